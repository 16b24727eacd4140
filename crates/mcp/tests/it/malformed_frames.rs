//! Broken, hostile and merely odd lines: each gets the answer that JSON-RPC and MCP name, and the connection lives on.

use serde_json::{Value, json};

use crate::client::{Client, Era};
use crate::world::World;

/// What a line is answered with.
#[derive(Debug)]
enum Answer {
    /// An error with this code and this id.
    Error(i64, Value),
    /// A result with this id.
    Result(Value),
    /// A result of a tool with `isError` and this id.
    Refused(Value),
    /// Nothing at all.
    Nothing,
}

use Answer::{Error, Nothing, Refused, Result};

const PARSE: i64 = -32700;
const INVALID: i64 = -32600;
const UNKNOWN: i64 = -32601;
const PARAMS: i64 = -32602;

fn world() -> World {
    World::new(&[("a.md", "# A\n\nwords\n")])
}

fn check(client: &mut Client, line: &[u8], expected: &Answer) {
    let shown: String = String::from_utf8_lossy(line).chars().take(120).collect();
    client.send_line(line);
    if !matches!(expected, Nothing) {
        let got = client.receive().unwrap_or_else(|why| panic!("{shown}: {why}"));
        match expected {
            Error(code, id) => {
                assert_eq!((&got["error"]["code"], &got["id"]), (&json!(code), id), "{shown}: {got}");
                assert!(!got["error"]["message"].as_str().unwrap().is_empty(), "{shown}");
                assert!(got.to_string().len() < 1_000, "{shown}: the error repeats too much of the line");
            }
            Result(id) => assert!(got["result"].is_object() && got["id"] == *id, "{shown}: {got}"),
            Refused(id) => assert!(got["result"]["isError"] == true && got["id"] == *id, "{shown}: {got}"),
            Nothing => unreachable!(),
        }
    }
    client.assert_alive(&shown);
    assert_eq!(client.aside, Vec::<Value>::new(), "{shown} was answered by more than it should");
}

fn check_all(rows: &[(&[u8], Answer)]) {
    let world = world();
    let mut client = world.client();
    for (line, expected) in rows {
        check(&mut client, line, expected);
    }
    // The same lines before anybody said hello: whatever the answer, the server stays.
    let mut client = world.connect(Era::Legacy);
    for (line, _) in rows {
        client.send_line(line);
    }
    client.initialize();
    client.aside.clear();
    client.assert_alive("broken lines before the handshake");
}

fn request(id: &str, method: &str, params: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#).into_bytes()
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    let null = || Error(PARSE, Value::Null);
    check_all(&[
        (b"{", null()),
        (b"nope", null()),
        (b"NaN", null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping""#, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#, null()),
        (br#"{'jsonrpc':'2.0','id':1,'method':'ping'}"#, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, null()),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}"#, null()),
        (br#"{"jsonrpc":"2.0",/* hello */"id":1,"method":"ping"}"#, null()),
        (br#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#, null()),
        (br#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, null()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"a\tb\",\"method\":\"ping\"}", null()),
        (b"GET / HTTP/1.1", null()),
        (b"Content-Length: 44", null()),
    ]);
}

#[test]
fn bytes_that_are_no_text_are_a_parse_error() {
    let null = || Error(PARSE, Value::Null);
    let utf16: Vec<u8> =
        r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.encode_utf16().flat_map(u16::to_le_bytes).collect();
    check_all(&[
        (b"\xff\xfe\xfd", null()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", null()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"ping\"}", null()),
        (b"\x00", null()),
        (b"\x00\x00{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", null()),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\x00\"method\":\"ping\"}", null()),
        (b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", null()),
        (b"\x1b[31mred\x1b[0m", null()),
        (&utf16, null()),
    ]);
}

#[test]
fn nesting_without_end_is_a_parse_error() {
    let arrays = "[".repeat(200_000);
    let objects = r#"{"a":"#.repeat(100_000);
    let inside = request("1", "tools/call", &format!("{}1{}", r#"{"a":"#.repeat(50_000), "}".repeat(50_000)));
    check_all(&[
        (arrays.as_bytes(), Error(PARSE, Value::Null)),
        (objects.as_bytes(), Error(PARSE, Value::Null)),
        (&inside, Error(PARSE, Value::Null)),
    ]);
}

#[test]
fn json_that_is_no_request_is_invalid() {
    let null = || Error(INVALID, Value::Null);
    check_all(&[
        (b"1", null()),
        (b"\"ping\"", null()),
        (b"null", null()),
        (b"true", null()),
        (b"{}", null()),
        (br#"{"id":1,"method":"ping"}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":"2.0","id":1}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":"2.0","id":1,"method":null}"#, Error(INVALID, json!(1))),
        (br#"{"jsonrpc":"2.0","id":1,"method":["ping"]}"#, Error(INVALID, json!(1))),
        (br#"{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}"#, null()),
    ]);
}

#[test]
fn batches_are_refused() {
    let null = || Error(INVALID, Value::Null);
    check_all(&[
        (b"[]", null()),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, null()),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#, null()),
        (b"[1,2,3]", null()),
    ]);
}

#[test]
fn an_id_of_the_wrong_type_is_invalid_and_not_repeated() {
    let null = || Error(INVALID, Value::Null);
    let rows: Vec<(Vec<u8>, Answer)> =
        ["null", "1.5", "true", "{}", "[]", "[1]", "18446744073709551615", "1e300", "{\"a\":1}"]
            .iter()
            .map(|id| (request(id, "ping", "{}"), null()))
            .collect();
    let rows: Vec<(&[u8], Answer)> = rows.iter().map(|(line, _)| (line.as_slice(), null())).collect();
    check_all(&rows);
}

#[test]
fn an_id_of_any_right_kind_comes_back_as_it_was() {
    let world = world();
    let mut client = world.client();
    for id in [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "\"\"",
        "\"a\"",
        "\"日本\"",
        "\"1\"",
        "\"\\u0000\"",
    ] {
        let expected = Result(serde_json::from_str(id).unwrap());
        check(&mut client, &request(id, "ping", "{}"), &expected);
    }
}

#[test]
fn parameters_that_are_no_object_are_invalid() {
    let seven = || Error(PARAMS, json!(7));
    let rows: Vec<Vec<u8>> = ["[]", "[1]", "\"x\"", "1", "true", "null"]
        .iter()
        .map(|params| request("7", "tools/list", params))
        .collect();
    let rows: Vec<(&[u8], Answer)> = rows.iter().map(|line| (line.as_slice(), seven())).collect();
    check_all(&rows);
}

#[test]
fn known_methods_with_wrong_parameters_are_invalid_params() {
    let long = format!(r#"{{"name":"{}"}}"#, "x".repeat(100_000));
    let cases = [
        ("tools/call", "{}"),
        ("tools/call", r#"{"name":7}"#),
        ("tools/call", r#"{"name":null}"#),
        ("tools/call", r#"{"name":"search_docs","arguments":[]}"#),
        ("tools/call", r#"{"name":"search_docs","arguments":"query"}"#),
        ("tools/call", r#"{"name":"search_docs","arguments":7}"#),
        ("tools/call", r#"{"name":"no_such_tool"}"#),
        ("tools/call", r#"{"name":""}"#),
        ("tools/call", r#"{"name":"Search_Docs"}"#),
        ("tools/call", &long),
        ("tools/list", r#"{"cursor":7}"#),
        ("tools/list", r#"{"cursor":"forged"}"#),
        ("prompts/list", r#"{"cursor":"forged"}"#),
        ("resources/list", r#"{"cursor":"forged"}"#),
        ("resources/list", r#"{"cursor":{}}"#),
        ("resources/templates/list", r#"{"cursor":"forged"}"#),
        ("initialize", "{}"),
        ("initialize", r#"{"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#),
        ("resources/read", "{}"),
        ("resources/read", r#"{"uri":7}"#),
        ("resources/subscribe", "{}"),
        ("resources/unsubscribe", r#"{"uri":[]}"#),
        ("prompts/get", "{}"),
        ("prompts/get", r#"{"name":"answer_from_docs","arguments":"question"}"#),
        ("prompts/get", r#"{"name":"no_such_prompt"}"#),
        ("completion/complete", "{}"),
        ("completion/complete", r#"{"ref":{"type":"ref/nothing"},"argument":{"name":"a","value":"b"}}"#),
        ("completion/complete", r#"{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a"}}"#),
    ];
    let rows: Vec<Vec<u8>> = cases.iter().map(|(method, params)| request("7", method, params)).collect();
    let rows: Vec<(&[u8], Answer)> =
        rows.iter().map(|line| (line.as_slice(), Error(PARAMS, json!(7)))).collect();
    check_all(&rows);
}

#[test]
fn unknown_methods_are_not_found() {
    let long = "x".repeat(100_000);
    let methods = [
        "no/such/method",
        "",
        "tools",
        "tools/",
        "TOOLS/LIST",
        "rpc.discover",
        "sampling/createMessage",
        &long,
    ];
    let rows: Vec<Vec<u8>> = methods.iter().map(|method| request("7", method, "{}")).collect();
    let rows: Vec<(&[u8], Answer)> =
        rows.iter().map(|line| (line.as_slice(), Error(UNKNOWN, json!(7)))).collect();
    check_all(&rows);
}

#[test]
fn bad_arguments_of_a_tool_are_told_to_the_agent() {
    let cases = [
        ("search_docs", r#"{"query":7}"#),
        ("search_docs", r#"{"query":{"a":1}}"#),
        ("search_docs", r#"{"query":"words","cursor":"forged"}"#),
        (
            "search_docs",
            r#"{"query":"words","cursor":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#,
        ),
        ("search_docs", r#"{"query":"words","__proto__":{}}"#),
        ("get_page", r#"{"file_path":"../../etc/passwd"}"#),
        ("get_page", r#"{"file_path":"a\u0000.md"}"#),
        ("get_doc", r##"{"chunk_id":"#"}"##),
        ("get_doc", r#"{"chunk_id":"a.md","cursor":"forged"}"#),
        ("get_section", r#"{"file_path":"a.md"}"#),
        ("list_pages", r#"{"cursor":"forged"}"#),
        ("get_status", r#"{"x":1}"#),
    ];
    let rows: Vec<Vec<u8>> = cases
        .iter()
        .map(|(tool, arguments)| {
            request("\"t\"", "tools/call", &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#))
        })
        .collect();
    let rows: Vec<(&[u8], Answer)> = rows.iter().map(|line| (line.as_slice(), Refused(json!("t")))).collect();
    check_all(&rows);
}

#[test]
fn what_asks_for_no_answer_gets_none() {
    check_all(&[
        (b"", Nothing),
        (b"   \t ", Nothing),
        (b"\r", Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/unheard_of"}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345}}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{}}}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#, Nothing),
        (br#"{"jsonrpc":"2.0","method":"ping"}"#, Nothing),
        (br#"{"jsonrpc":"2.0","id":99,"result":{}}"#, Nothing),
        (br#"{"jsonrpc":"2.0","id":99,"result":"surprise"}"#, Nothing),
        (br#"{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}"#, Nothing),
        (br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#, Nothing),
    ]);
}

#[test]
fn odd_but_good_lines_are_answered() {
    let world = world();
    let mut client = world.client();
    let rows: [(&[u8], Answer); 6] = [
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r", Result(json!(1))),
        (b"  {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\t ", Result(json!(2))),
        (b"\n\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n", Result(json!(3))),
        (br#"{"method":"ping","id":4,"jsonrpc":"2.0","unheard":{"of":[1]}}"#, Result(json!(4))),
        (br#"{"jsonrpc":"2.0","id":5,"\u006dethod":"p\u0069ng"}"#, Result(json!(5))),
        // Of a key that is there twice the last one counts.
        (br#"{"jsonrpc":"2.0","id":6,"id":7,"method":"nope","method":"ping"}"#, Result(json!(7))),
    ];
    for (line, expected) in &rows {
        check(&mut client, line, expected);
    }
}

#[test]
fn a_line_of_five_megabytes_is_refused_and_the_next_is_read() {
    let garbage = vec![b'x'; 5 * 1024 * 1024];
    let valid = request("1", "ping", &format!(r#"{{"filler":"{}"}}"#, "x".repeat(5 * 1024 * 1024)));
    check_all(&[(&garbage, Error(INVALID, Value::Null)), (&valid, Error(INVALID, Value::Null))]);
}

#[test]
fn a_line_of_three_megabytes_is_read() {
    let world = world();
    let query = "words ".repeat(500_000);
    let line = request(
        "\"t\"",
        "tools/call",
        &format!(r#"{{"name":"get_page","arguments":{{"file_path":"{query}"}}}}"#),
    );
    let mut client = world.client();
    client.send_line(&line);
    assert_eq!(client.receive().unwrap()["result"]["isError"], true);
    client.assert_alive("three megabytes");
}

#[test]
fn a_message_may_come_in_pieces() {
    let world = world();
    let mut client = world.client();
    for byte in request("1", "ping", "{}") {
        client.send_bytes(&[byte]).unwrap();
    }
    client.send_bytes(b"\n").unwrap();
    assert_eq!(client.receive().unwrap(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[test]
fn half_a_message_waits_for_its_other_half_whatever_else_happens() {
    let world = world();
    let mut client = world.client();
    for round in 0..20 {
        // The answer to the call is sent while half of the next message has come.
        let call = request("\"call\"", "tools/call", r#"{"name":"get_status"}"#);
        let ping = request(&round.to_string(), "ping", "{}");
        let (half, other) = ping.split_at(10 + round);
        client.send_bytes(&[&call, &b"\n"[..], half].concat()).unwrap();
        client.answer(&json!("call"));
        client.send_line(other);
        assert_eq!(client.receive().unwrap(), json!({"jsonrpc": "2.0", "id": round, "result": {}}));
    }
}

#[test]
fn every_broken_line_is_answered_however_busy_the_server_is() {
    let world = world();
    let mut client = world.client();
    let mut lines = Vec::new();
    for id in 0..100 {
        lines.extend_from_slice(&request(&id.to_string(), "ping", "{}"));
        lines.extend_from_slice(b"\nbroken\n");
    }
    client.send_bytes(&lines).unwrap();
    let answers: Vec<Value> = (0..200).map(|_| client.receive().unwrap()).collect();
    let refused = answers.iter().filter(|answer| answer["error"]["code"] == PARSE).count();
    assert_eq!(refused, 100);
    client.assert_alive("many broken lines");
}

#[test]
fn a_last_line_without_an_end_is_read() {
    let world = world();
    let mut client = world.client();
    client.send_bytes(&request("1", "ping", "{}")).unwrap();
    let (outcome, rest) = client.hang_up();
    outcome.unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&rest).unwrap()["id"], 1);
}

#[test]
fn an_answer_never_spans_lines() {
    let world = World::new(&[("a.md", "# A\n\nline\nline\r\nline\u{2028}line\u{85}\n")]);
    let mut client = world.client();
    let call = json!({"name": "get_page", "arguments": {"file_path": "a.md"}});
    let result = client.request("tools/call", call);
    assert_eq!(result["structuredContent"]["chunks"][0]["content"], world.text("a.md"));
}
