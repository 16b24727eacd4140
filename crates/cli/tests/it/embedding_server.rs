//! A small server that speaks the OpenAI embeddings protocol, for tests that must know what was embedded and when.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

/// Length of its vectors.
const DIMENSIONS: usize = 16;

pub(crate) struct EmbeddingServer {
    address: String,
    shared: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    /// Requests that get an answer; later ones wait for ever.
    answered: Option<usize>,
    requests: usize,
    texts: Vec<String>,
}

impl EmbeddingServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let shared = Arc::<(Mutex<State>, Condvar)>::default();
        let ours = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&ours);
                std::thread::spawn(move || serve(stream, &shared));
            }
        });
        Self { address, shared }
    }

    /// Makes a command use this server.
    pub(crate) fn use_in(&self, command: &mut Command) {
        command.env("DOCENT_EMBEDDER", "openai").env("DOCENT_OPENAI_MODEL", "test-model");
        command.env("DOCENT_OPENAI_BASE_URL", &self.address);
    }

    /// Answers only so many more requests, or all.
    pub(crate) fn answer(&self, requests: Option<usize>) {
        let mut state = self.shared.0.lock().unwrap();
        state.answered = requests.map(|more| state.requests + more);
    }

    /// Waits until a request came that gets no answer.
    pub(crate) fn wait_until_stuck(&self) {
        let (state, changed) = &*self.shared;
        let mut state = state.lock().unwrap();
        while state.answered.is_none_or(|answered| state.requests <= answered) {
            state = changed.wait(state).unwrap();
        }
    }

    /// The texts that were embedded since the last call.
    pub(crate) fn take_texts(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.0.lock().unwrap().texts)
    }
}

fn serve(mut stream: TcpStream, (state, changed): &(Mutex<State>, Condvar)) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).unwrap_or(0) == 0 {
                return;
            }
        }
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut body).unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let texts: Vec<&str> = body["input"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let is_answered = {
            let mut state = state.lock().unwrap();
            state.requests += 1;
            let is_answered = state.answered.is_none_or(|answered| state.requests <= answered);
            if is_answered {
                state.texts.extend(texts.iter().map(|text| (*text).to_owned()));
            }
            changed.notify_all();
            is_answered
        };
        if !is_answered {
            std::thread::park();
        }
        let item = |(index, text): (usize, &&str)| json!({"index": index, "embedding": vector(text)});
        let answer = json!({"data": texts.iter().enumerate().map(item).collect::<Vec<_>>()}).to_string();
        let length = answer.len();
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{answer}").unwrap();
    }
}

/// Counts of the text's bytes: texts of the same words are near each other.
fn vector(text: &str) -> Vec<u32> {
    let mut vector = vec![1; DIMENSIONS];
    for byte in text.bytes() {
        vector[usize::from(byte) % DIMENSIONS] += 1;
    }
    vector
}
