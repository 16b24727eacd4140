//! Splicing, case by case: what is put in, exchanged and taken out, and that nothing else changes.

use serde_json::{Value, json};

use super::super::clients::find;
use super::super::edit::{Action, Problem, Wish, apply};
use super::{remove, set};
use docent_authoring::jsonc::parse;

fn entry() -> Value {
    json!({ "command": "docent", "args": ["serve"] })
}

fn put(text: &str) -> String {
    set(text, "servers", "docent", &entry()).unwrap()
}

fn check(text: &str, expected: &str) {
    let new = put(text);
    assert_eq!(new, expected);
    let value = parse(&new).unwrap().unwrap().to_value();
    assert_eq!(value["servers"]["docent"], entry(), "{new}");
    assert_eq!(put(&new), new, "a second time changes nothing");
}

/// Putting in and taking out again gives the same bytes.
fn check_both_ways(text: &str, expected: &str) {
    check(text, expected);
    assert_eq!(remove(expected, "servers", "docent").unwrap(), text);
}

const WHOLE: &str = r#"{
  "servers": {
    "docent": {
      "command": "docent",
      "args": ["serve"]
    }
  }
}
"#;

#[test]
fn a_new_file() {
    check("", WHOLE);
    check(" \n\n", WHOLE);
    check("// mine\n", &format!("// mine\n{WHOLE}"));
    check("{}\n", WHOLE);
    check("{\n}\n", WHOLE);
}

#[test]
fn a_file_without_servers() {
    check(
        "{\n  \"theme\": \"dark\" // nice\n}\n",
        "{\n  \"theme\": \"dark\", // nice\n  \"servers\": {\n    \"docent\": {\n      \"command\": \"docent\",\n      \"args\": [\"serve\"]\n    }\n  }\n}\n",
    );
    check("{\"a\":1}", r#"{"a":1, "servers": {"docent": {"command": "docent", "args": ["serve"]}}}"#);
}

#[test]
fn after_other_servers() {
    check_both_ways(
        r#"{
    // all servers
    "servers": {
        "one": { "command": "x" } // first
        // the end
    }
}"#,
        r#"{
    // all servers
    "servers": {
        "one": { "command": "x" }, // first
        // the end
        "docent": {
            "command": "docent",
            "args": ["serve"]
        }
    }
}"#,
    );
}

#[test]
fn trailing_commas_stay_a_habit() {
    check_both_ways(
        "{\n\t\"servers\": {\n\t\t\"one\": {},\n\t},\n}\n",
        "{\n\t\"servers\": {\n\t\t\"one\": {},\n\t\t\"docent\": {\n\t\t\t\"command\": \"docent\",\n\t\t\t\"args\": [\"serve\"]\n\t\t},\n\t},\n}\n",
    );
}

#[test]
fn line_ends_stay() {
    check_both_ways(
        "{\r\n  \"servers\": {\r\n    \"one\": {}\r\n  }\r\n}\r\n",
        "{\r\n  \"servers\": {\r\n    \"one\": {},\r\n    \"docent\": {\r\n      \"command\": \"docent\",\r\n      \"args\": [\"serve\"]\r\n    }\r\n  }\r\n}\r\n",
    );
    check("\u{feff}{}", &format!("\u{feff}{}", WHOLE.trim_end()));
}

#[test]
fn everything_on_one_line() {
    check_both_ways(
        r#"{"servers": {"one": {}}, "b": 2}"#,
        r#"{"servers": {"one": {}, "docent": {"command": "docent", "args": ["serve"]}}, "b": 2}"#,
    );
    check_both_ways(
        r#"{"servers": {}, "b": 2}"#,
        r#"{"servers": {"docent": {"command": "docent", "args": ["serve"]}}, "b": 2}"#,
    );
    check(
        "{\n  \"servers\": {\"one\": {}}\n}",
        "{\n  \"servers\": {\"one\": {}, \"docent\": {\"command\": \"docent\", \"args\": [\"serve\"]}}\n}",
    );
}

#[test]
fn odd_layouts() {
    check(
        "{\n  \"servers\": {\n    \"one\": {} }\n}",
        "{\n  \"servers\": {\n    \"one\": {},\n    \"docent\": {\n      \"command\": \"docent\",\n      \"args\": [\"serve\"]\n    }\n  }\n}",
    );
    check(
        "{ \"servers\": { // none yet\n  } }",
        "{ \"servers\": { // none yet\n  \"docent\": {\n    \"command\": \"docent\",\n    \"args\": [\"serve\"]\n  }\n  } }",
    );
    check(
        "{\n  \"servers\": { /* none */ }\n}",
        "{\n  \"servers\": { /* none */\n    \"docent\": {\n      \"command\": \"docent\",\n      \"args\": [\"serve\"]\n    }\n  }\n}",
    );
}

#[test]
fn an_entry_that_is_there_is_exchanged() {
    check(
        "{\n  \"servers\": {\n    // ours\n    \"docent\": { \"command\": \"old\" }, // stays\n    \"two\": 2\n  }\n}",
        "{\n  \"servers\": {\n    // ours\n    \"docent\": {\n      \"command\": \"docent\",\n      \"args\": [\"serve\"]\n    }, // stays\n    \"two\": 2\n  }\n}",
    );
    check(
        r#"{"servers": {"docent": 1, "docent": null}}"#,
        r#"{"servers": {"docent": 1, "docent": {"command": "docent", "args": ["serve"]}}}"#,
    );
}

#[test]
fn taking_out() {
    let check = |text: &str, expected: &str| {
        assert_eq!(remove(text, "servers", "docent").unwrap(), expected);
        assert!(parse(expected).is_ok());
    };
    check("", "");
    check("{}", "{}");
    check("{\"servers\": {\"other\": 1}}", "{\"servers\": {\"other\": 1}}");
    check(WHOLE, "{\n  \"servers\": {}\n}\n");
    check("{\"servers\": {\"docent\": {}, \"b\": 1}}", "{\"servers\": {\"b\": 1}}");
    check("{\"servers\": {\"a\": 1, \"docent\": {}, \"b\": 1}}", "{\"servers\": {\"a\": 1, \"b\": 1}}");
    check("{\"servers\": {\"a\": 1, \"docent\": {} }}", "{\"servers\": {\"a\": 1 }}");
    check(
        "{\"servers\": {\n  // mine\n  \"docent\": {} // too\n}}",
        "{\"servers\": {\n  // mine\n // too\n}}",
    );
    check("{\"servers\": {\n  \"a\": 1, // a\n  \"docent\": {}\n}}", "{\"servers\": {\n  \"a\": 1 // a\n}}");
    check("{\"servers\": {\"docent\": 1, \"a\": 1, \"docent\": 2}}", "{\"servers\": {\"a\": 1}}");
}

#[test]
fn what_is_no_object_is_refused() {
    let broken = |text: &str| set(text, "servers", "docent", &entry()).unwrap_err();
    assert!(broken("[]").message.contains("the file should be an object"));
    let text = "{\n  \"servers\": null\n}";
    assert_eq!(broken(text).position(text), (2, 14));
    assert!(broken(text).message.contains("`servers` should be an object"));
    assert!(remove("{\"servers\": []}", "servers", "docent").is_err());
}

/// Texts by chance: every layout that the grammar allows, with numbered comments.
struct Chance {
    state: u64,
    comments: usize,
}

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % limit
    }

    fn gap(&mut self) -> String {
        let mut gap = String::new();
        for _ in 0..self.below(3) {
            self.comments += 1;
            let number = self.comments;
            gap += &match self.below(7) {
                0 => format!("/* c{number}. {{ \" */"),
                1 => format!("// c{number}. }} \"\n"),
                2 => "\n".to_owned(),
                3 => "\r\n\t".to_owned(),
                _ => " ".to_owned(),
            };
        }
        gap
    }

    fn object(&mut self, keys: &[&str], depth: u64) -> String {
        let mut text = format!("{{{}", self.gap());
        let count = self.below(4);
        for at in 0..count {
            let key = keys[usize::try_from(self.below(keys.len() as u64)).unwrap()];
            let value = match (key, depth, self.below(3)) {
                ("servers", 0, _) => self.object(&["docent", "one", "two"], 1),
                (_, 0..3, 0) => self.object(&["a", "b"], depth + 1),
                (_, _, 1) => "[1, \"x\",]".to_owned(),
                _ => "\"y\"".to_owned(),
            };
            let comma = if at + 1 < count || self.below(2) == 0 { "," } else { "" };
            let gaps = [self.gap(), self.gap(), self.gap(), self.gap()];
            text += &format!("\"{key}\"{}:{}{value}{}{comma}{}", gaps[0], gaps[1], gaps[2], gaps[3]);
        }
        text + "}"
    }
}

#[test]
fn nothing_is_lost_in_texts_by_chance() {
    let mut chance = Chance { state: 7, comments: 0 };
    let client = find("vscode").unwrap();
    let comments = |text: &str| text.matches(". ").count();
    for _ in 0..5_000 {
        let text = format!("{}{}{}", chance.gap(), chance.object(&["servers", "a", "b"], 0), chance.gap());
        // `apply` itself reads every new text back and compares what is in it.
        let apply = |text: &str, wish: &Wish<'_>| apply(client, text, "docent", wish);
        let (action, new) = match apply(&text, &Wish::Set(&entry())) {
            Ok(done) => done,
            Err(Problem::Broken(_)) if text.contains("\"servers\"") => continue,
            Err(problem) => panic!("{text}\n{problem:?}"),
        };
        if action == Action::Added {
            assert_eq!(comments(&new), comments(&text), "{text}\n---\n{new}");
            let (_, back) = apply(&new, &Wish::Remove).unwrap();
            assert_eq!(comments(&back), comments(&text), "{text}\n---\n{back}");
        }
        assert_eq!(put(&new), new);
    }
}
