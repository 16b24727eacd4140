//! The OpenAI-compatible embedder against a real HTTP server on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use docent_embed::{OpenAi, OpenAiConfig};
use docent_index::{EmbedError, Embedder};
use serde_json::{Value, json};

/// What the server has seen: headers (lower case) and body of each request.
type Seen = Arc<Mutex<Vec<(String, Value)>>>;

/// Starts a server; `answer` gets the number of the request and its body and returns status, extra headers and body.
fn server(
    answer: impl Fn(usize, &Value) -> (u16, &'static str, String) + Send + Sync + 'static,
) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Seen::default();
    let (answer, log) = (Arc::new(answer), Arc::clone(&seen));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
            std::thread::spawn(move || serve(stream, &*answer, &log));
        }
    });
    (address, seen)
}

fn serve(mut stream: TcpStream, answer: &dyn Fn(usize, &Value) -> (u16, &'static str, String), log: &Seen) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")).map(|n| n.parse().unwrap());
        let mut body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let number = {
            let mut log = log.lock().unwrap();
            log.push((head, body.clone()));
            log.len() - 1
        };
        let (status, headers, text) = answer(number, &body);
        let length = text.len();
        write!(stream, "HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{text}").unwrap();
    }
}

/// A right answer: the vector of a text is its length and 1.
fn vectors(body: &Value) -> String {
    let texts = body["input"].as_array().unwrap();
    let item = |(index, text): (usize, &Value)| json!({ "index": index, "embedding": [text.as_str().unwrap().len(), 1] });
    json!({ "data": texts.iter().enumerate().map(item).collect::<Vec<_>>() }).to_string()
}

fn config(base_url: String) -> OpenAiConfig {
    let mut config = OpenAiConfig::new("test-model");
    config.base_url = base_url;
    config.dimensions = Some(2);
    config.retry_delay = Duration::from_millis(1);
    config.timeout = Duration::from_secs(5);
    config
}

fn failure(status: u16, text: &'static str, key: Option<&str>) -> (EmbedError, usize) {
    let (url, seen) = server(move |_, _| (status, "", text.to_owned()));
    let mut config = config(url);
    config.api_key = key.map(str::to_owned);
    config.max_retries = 2;
    let error = OpenAi::new(config).unwrap().embed_query("x").unwrap_err();
    let requests = seen.lock().unwrap().len();
    (error, requests)
}

#[test]
fn documents_go_out_in_batches_and_come_back_in_order() {
    let (url, seen) = server(|_, body| (200, "", vectors(body)));
    let mut config = config(url);
    (config.batch_size, config.concurrency) = (3, 4);
    config.document_prefix = "passage: ".to_owned();
    config.query_prefix = "query: ".to_owned();
    config.api_key = Some("sk-secret".to_owned());
    let embedder = OpenAi::new(config).unwrap();
    let texts: Vec<String> = (0..20).map(|length| "x".repeat(length)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = embedder.embed_documents(&texts).unwrap();
    assert_eq!(found.len(), 20);
    for (text, vector) in texts.iter().zip(found) {
        let length = (text.len() + "passage: ".len()) as f32;
        assert!((vector[0] / vector[1] - length).abs() < 1e-3, "{vector:?}");
        assert!((vector[0] * vector[0] + vector[1] * vector[1] - 1.0).abs() < 1e-5);
    }
    assert!((embedder.embed_query("abc").unwrap()[0] - 10.0 / 101f32.sqrt()).abs() < 1e-4);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 8);
    assert!(seen.iter().all(|(head, body)| {
        head.starts_with("post /v1/embeddings ")
            && head.contains("authorization: bearer sk-secret")
            && body["model"] == "test-model"
            && body["dimensions"] == 2
    }));
    assert!(embedder.model().id.starts_with("openai:test-model:2:"));
    assert!(!format!("{embedder:?}").contains("secret"));
}

#[test]
fn several_queries_go_out_together() {
    let (url, seen) = server(|_, body| (200, "", vectors(body)));
    let mut config = config(url);
    config.query_prefix = "query: ".to_owned();
    let embedder = OpenAi::new(config).unwrap();
    let together = embedder.embed_queries(&["a", "abc", ""]).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 1);
    assert_eq!(together, ["a", "abc", ""].map(|text| embedder.embed_query(text).unwrap()));
}

#[test]
fn dimensions_are_learnt_when_not_given() {
    let (url, seen) = server(|_, body| (200, "", vectors(body)));
    let mut config = config(url);
    config.dimensions = None;
    let embedder = OpenAi::new(config).unwrap();
    assert_eq!((embedder.model().dimensions, embedder.model().id.as_str()), (2, "openai:test-model:2"));
    assert!(seen.lock().unwrap()[0].1.get("dimensions").is_none());
}

#[test]
fn positions_in_the_answer_count() {
    let answer = json!({ "data": [
        { "index": 1, "embedding": [0, 1] }, { "index": 2, "embedding": [-1, 0] }, { "index": 0, "embedding": [1, 0] },
    ] });
    let (url, _) = server(move |_, _| (200, "", answer.to_string()));
    let found = OpenAi::new(config(url)).unwrap().embed_documents(&["a", "b", "c"]).unwrap();
    assert_eq!(found, [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]);
}

#[test]
fn too_many_requests_are_repeated_after_the_wait_the_server_asks_for() {
    let (url, seen) = server(|number, body| match number {
        0 => (429, "retry-after: 1\r\n", json!({ "error": { "message": "slow down" } }).to_string()),
        _ => (200, "", vectors(body)),
    });
    let start = Instant::now();
    OpenAi::new(config(url)).unwrap().embed_query("x").unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[test]
fn server_errors_are_repeated_until_it_recovers_or_patience_ends() {
    let (url, _) =
        server(|number, body| if number < 2 { (503, "", String::new()) } else { (200, "", vectors(body)) });
    OpenAi::new(config(url)).unwrap().embed_query("x").unwrap();
    let (error, requests) = failure(500, "boom", None);
    assert!(error.retryable && requests == 3, "{error:?}");
    assert!(error.message.contains("500: boom"), "{}", error.message);
}

#[test]
fn a_refused_key_is_said_once_and_never_shown() {
    let text = r#"{"error":{"message":"Incorrect API key provided: sk-secret."}}"#;
    let (error, requests) = failure(401, text, Some("sk-secret"));
    assert!(!error.retryable && requests == 1, "{error:?}");
    assert!(error.message.contains("401") && !error.message.contains("secret"), "{}", error.message);
    assert_eq!(error.hint, "the API key was refused: check the value of OPENAI_API_KEY");
    let (error, _) = failure(401, "", None);
    assert_eq!(error.hint, "the server wants an API key: set OPENAI_API_KEY");
}

#[test]
fn a_missing_model_is_named() {
    let (error, requests) =
        failure(404, r#"{"error":"model \"test-model\" not found, try pulling it first"}"#, None);
    assert!(error.hint.contains("\"test-model\"") && requests == 1, "{error:?}");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let (error, requests) = failure(200, r#"{"data":[{"index":0,"embedding":[1,2,3]}]}"#, None);
    assert!(error.message.contains("3 dimensions instead of 2") && requests == 1, "{error:?}");
    assert!(error.hint.contains("set dimensions to 3"), "{}", error.hint);
    let (error, _) = failure(200, r#"{"data":[]}"#, None);
    assert!(error.message.contains("0 vectors for 1 texts"), "{}", error.message);
    let (error, _) = failure(200, "<html>hello</html>", None);
    assert!(!error.retryable && error.hint.contains("base_url"), "{error:?}");
}

#[test]
fn one_failed_batch_fails_the_whole() {
    let (url, _) = server(|_, body| {
        let bad = body["input"].as_array().unwrap().iter().any(|text| text == "bad");
        if bad { (400, "", "no".to_owned()) } else { (200, "", vectors(body)) }
    });
    let mut config = config(url);
    (config.batch_size, config.concurrency) = (1, 3);
    let texts = ["a", "b", "bad", "c", "d", "e", "f", "g"];
    let error = OpenAi::new(config).unwrap().embed_documents(&texts).unwrap_err();
    assert!(error.message.contains("400: no"), "{}", error.message);
}

#[test]
fn a_server_that_is_not_there_is_a_retryable_error() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut config = config(format!("http://{address}/v1"));
    config.max_retries = 1;
    let error = OpenAi::new(config).unwrap().embed_query("x").unwrap_err();
    assert!(error.retryable && error.hint.contains("base_url"), "{error:?}");
}
