//! Resources: the list and its pages, templates, reading, completion.

use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{Setup, World, wait_until};

fn world() -> World {
    World::quiet(&[
        ("guides/retries.md", "---\ntitle: T\n---\n# Retries\n\ntext\n\n## Backoff Strategy\n\nwait\n"),
        ("a b#c?.md", "# Odd\n\nodd name\n"),
        ("日本/語.md", "# 日本語\n\n本文\n"),
    ])
}

fn read(client: &mut Client, uri: &str) -> String {
    let result = client.request("resources/read", json!({"uri": uri}));
    let [contents] = result["contents"].as_array().unwrap().as_slice() else { panic!("{result}") };
    assert_eq!(contents["uri"], uri);
    assert_eq!(contents["mimeType"], "text/markdown");
    contents["text"].as_str().unwrap().to_owned()
}

#[test]
fn every_document_is_a_resource_with_its_description() {
    let world = world();
    let listed = world.client().request("resources/list", json!({}));
    let resources = listed["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 3);
    assert_eq!(listed.get("nextCursor"), None);
    let retries = resources.iter().find(|one| one["name"] == "guides/retries.md").unwrap();
    assert_eq!(retries["uri"], "docent://docs/guides/retries.md");
    assert_eq!(retries["title"], "Retries");
    assert_eq!(retries["mimeType"], "text/markdown");
    assert_eq!(retries["size"], world.text("guides/retries.md").len());
    assert!(!retries["description"].as_str().unwrap().is_empty());
    assert!(retries["annotations"]["lastModified"].is_string(), "{retries}");
}

#[test]
fn every_listed_resource_can_be_read_byte_for_byte() {
    let world = world();
    let mut client = world.client();
    let listed = client.request("resources/list", json!({}));
    for resource in listed["resources"].as_array().unwrap() {
        let text = read(&mut client, resource["uri"].as_str().unwrap());
        assert_eq!(text, world.text(resource["name"].as_str().unwrap()));
    }
}

#[test]
fn a_section_is_read_by_its_id() {
    let world = world();
    let mut client = world.client();
    let uri = "docent://docs/guides/retries.md#retries/backoff-strategy";
    assert_eq!(read(&mut client, uri), "## Backoff Strategy\n\nwait\n");
    assert_eq!(
        read(&mut client, "docent://docs/%E6%97%A5%E6%9C%AC/%E8%AA%9E.md#日本語"),
        "# 日本語\n\n本文\n"
    );
}

#[test]
fn a_new_document_is_listed_and_read_at_once() {
    let world = world();
    let mut client = world.client();
    world.write("new.md", "# New\n");
    let listed = client.request("resources/list", json!({}));
    assert_eq!(listed["resources"].as_array().unwrap().len(), 4);
    assert_eq!(read(&mut client, "docent://docs/new.md"), "# New\n");
}

const MISSING: &[&str] = &[
    "docent://docs/nope.md",
    "docent://docs/guides/retries.md#nope",
    "docent://nope/guides/retries.md",
    "docent://docs/",
    "docent://docs",
    "docent://",
    "docent:guides/retries.md",
    "file:///etc/passwd",
    "https://example.org/a.md",
    "docent://docs/../../etc/passwd",
    "docent://docs/%2e%2e/secret.md",
    "docent://docs/%ff.md",
    "nonsense",
    "",
];

#[test]
fn an_unknown_resource_is_minus_32002_in_the_handshake_era() {
    let world = world();
    let mut client = world.client();
    for uri in MISSING {
        let error = client.error("resources/read", json!({"uri": uri}));
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32002), &json!(uri)), "{error}");
    }
}

#[test]
fn an_unknown_resource_is_minus_32602_since_2026_07_28() {
    let world = world();
    let mut client = world.modern();
    for uri in MISSING {
        let error = client.error("resources/read", json!({"uri": uri}));
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32602), &json!(uri)), "{error}");
    }
}

#[test]
fn a_deleted_document_is_not_found() {
    let world = world();
    let mut client = world.client();
    read(&mut client, "docent://docs/guides/retries.md");
    world.remove("guides/retries.md");
    let error = client.error("resources/read", json!({"uri": "docent://docs/guides/retries.md"}));
    assert_eq!(error["code"], -32002);
}

#[test]
fn templates_describe_pages_and_sections() {
    let world = world();
    let result = world.client().request("resources/templates/list", json!({}));
    let templates = result["resourceTemplates"].as_array().unwrap();
    let uris: Vec<&Value> = templates.iter().map(|template| &template["uriTemplate"]).collect();
    assert_eq!(uris, ["docent://{collection}/{+path}", "docent://{collection}/{+path}{#section}"]);
    for template in templates {
        assert_eq!(template["mimeType"], "text/markdown");
        assert!(template["name"].is_string() && !template["description"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_list_is_paged_without_gaps_or_repeats() {
    let files: Vec<(String, String)> =
        (0..1_100).map(|number| (format!("{number:04}.md"), format!("# {number}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    let mut client = world.client();
    let mut names = Vec::new();
    let mut params = json!({});
    let mut cursors = Vec::new();
    loop {
        let page = client.request("resources/list", params);
        names.extend(page["resources"].as_array().unwrap().iter().map(|one| one["name"].clone()));
        let Some(cursor) = page.get("nextCursor") else { break };
        cursors.push(cursor.clone());
        params = json!({"cursor": cursor});
        assert!(cursors.len() < 10);
    }
    let expected: Vec<Value> = files.iter().map(|(path, _)| json!(path)).collect();
    assert_eq!(names, expected);
    assert!(cursors.len() >= 2);
    // The same documents, so the cursor still holds after a restart; not after a change.
    let world = world.restart(Setup::new(&[]));
    let mut client = world.client();
    client.request("resources/list", json!({"cursor": cursors[0]}));
    world.remove("0000.md");
    wait_until("the cursor to be outdated", || {
        let answer = client.ask("resources/list", json!({"cursor": cursors[0]}));
        answer["error"]["code"] == -32602
    });
}

#[test]
fn a_forged_cursor_of_the_list_is_minus_32602() {
    let world = world();
    let mut client = world.client();
    for cursor in ["x", "", "eyJvZmZzZXQiOjEwfQ", "日本"] {
        assert_eq!(client.error("resources/list", json!({"cursor": cursor}))["code"], -32602, "{cursor}");
    }
}

#[test]
fn the_cursor_of_a_search_is_no_cursor_of_the_list() {
    let world = world();
    let mut client = world.client();
    let answer = client.call("search_docs", json!({"query": "text", "limit": 1}));
    let error = client.error("resources/list", json!({"cursor": answer["next_cursor"]}));
    assert_eq!(error["code"], -32602);
}

fn complete(client: &mut Client, argument: &str, typed: &str, known: Value) -> Vec<String> {
    let result = client.request(
        "completion/complete",
        json!({
            "ref": {"type": "ref/resource", "uri": "docent://{collection}/{+path}{#section}"},
            "argument": {"name": argument, "value": typed},
            "context": {"arguments": known},
        }),
    );
    let values = result["completion"]["values"].as_array().unwrap();
    values.iter().map(|value| value.as_str().unwrap().to_owned()).collect()
}

#[test]
fn paths_are_completed() {
    let world = world();
    let mut client = world.client();
    assert_eq!(complete(&mut client, "path", "guides/", json!({})), ["guides/retries.md"]);
    assert_eq!(complete(&mut client, "path", "gui", json!({"collection": "docs"})), ["guides/retries.md"]);
    assert_eq!(complete(&mut client, "path", "", json!({})).len(), 3);
    assert_eq!(complete(&mut client, "path", "zzz", json!({})), Vec::<String>::new());
    assert_eq!(complete(&mut client, "path", "", json!({"collection": "nope"})), Vec::<String>::new());
}

#[test]
fn sections_are_completed_once_the_path_is_known() {
    let world = world();
    let mut client = world.client();
    let known = json!({"collection": "docs", "path": "guides/retries.md"});
    assert_eq!(complete(&mut client, "section", "", known.clone()), ["retries", "retries/backoff-strategy"]);
    assert_eq!(complete(&mut client, "section", "backoff", known), ["retries/backoff-strategy"]);
    assert_eq!(complete(&mut client, "section", "", json!({})), Vec::<String>::new());
    assert_eq!(complete(&mut client, "section", "", json!({"path": "nope.md"})), Vec::<String>::new());
}

#[test]
fn a_completed_section_can_be_read() {
    let world = world();
    let mut client = world.client();
    let known = json!({"collection": "docs", "path": "guides/retries.md"});
    for section in complete(&mut client, "section", "", known) {
        read(&mut client, &format!("docent://docs/guides/retries.md#{section}"));
    }
}

#[test]
fn collections_are_completed() {
    let world = Setup::new(&[("a.md", "# A\n")]).folder("handbook", &[("b.md", "# B\n")]).start();
    let mut client = world.client();
    assert_eq!(complete(&mut client, "collection", "", json!({})), ["docs", "handbook"]);
    assert_eq!(complete(&mut client, "collection", "hand", json!({})), ["handbook"]);
    assert_eq!(complete(&mut client, "path", "", json!({"collection": "handbook"})), ["b.md"]);
}

#[test]
fn at_most_a_hundred_values_are_offered_and_the_rest_is_counted() {
    let files: Vec<(String, String)> =
        (0..150).map(|number| (format!("{number:03}.md"), "# A\n".to_owned())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = World::new(&files);
    let result = world.client().request(
        "completion/complete",
        json!({
            "ref": {"type": "ref/resource", "uri": "docent://{collection}/{+path}"},
            "argument": {"name": "path", "value": ""},
        }),
    );
    assert_eq!(result["completion"]["values"].as_array().unwrap().len(), 100);
    assert_eq!(
        (&result["completion"]["total"], &result["completion"]["hasMore"]),
        (&json!(150), &json!(true))
    );
}

#[test]
fn nothing_is_completed_for_what_is_not_ours() {
    let world = world();
    let mut client = world.client();
    for reference in [
        json!({"type": "ref/resource", "uri": "file:///{path}"}),
        json!({"type": "ref/prompt", "name": "nope"}),
    ] {
        let params = json!({"ref": reference, "argument": {"name": "path", "value": ""}});
        assert_eq!(client.request("completion/complete", params)["completion"]["values"], json!([]));
    }
}

#[test]
fn results_say_how_long_they_may_be_kept() {
    let world = world();
    let mut client = world.modern();
    let read = client.request("resources/read", json!({"uri": "docent://docs/guides/retries.md"}));
    assert_eq!(read["ttlMs"], 0, "a document may change at any moment");
    for method in ["resources/list", "resources/templates/list", "tools/list", "prompts/list"] {
        let result = client.request(method, json!({}));
        assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{method}: {result}");
        assert_eq!(result["resultType"], "complete");
    }
}
