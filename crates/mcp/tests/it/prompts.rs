//! Prompts: the two of ours and the user's templates.

use docent_mcp::Template;
use serde_json::{Value, json};

use crate::world::{Setup, World};

fn world() -> World {
    let mut setup = Setup::new(&[("guides/a.md", "# A\n"), ("b.md", "# B\n")]);
    setup.options.prompts = vec![
        Template::new("review", "Review a change", "Review {{change}} against our rules. {{focus?}}")
            .unwrap(),
        Template::new("plain", "", "Nothing to fill in.").unwrap(),
    ];
    setup.start()
}

fn text(world: &World, name: &str, arguments: Value) -> String {
    let result = world.client().request("prompts/get", json!({"name": name, "arguments": arguments}));
    let [message] = result["messages"].as_array().unwrap().as_slice() else { panic!("{result}") };
    assert_eq!((&message["role"], &message["content"]["type"]), (&json!("user"), &json!("text")));
    message["content"]["text"].as_str().unwrap().to_owned()
}

fn check_refused(world: &World, params: Value, expected: &str) {
    let error = world.client().error("prompts/get", params.clone());
    assert_eq!(error["code"], -32602, "{params}: {error}");
    assert!(error["message"].as_str().unwrap().contains(expected), "{params}: {error}");
}

#[test]
fn all_prompts_are_listed_ours_first() {
    let result = world().client().request("prompts/list", json!({}));
    let prompts = result["prompts"].as_array().unwrap();
    let names: Vec<&Value> = prompts.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["answer_from_docs", "whats_drifted", "review", "plain"]);
    for prompt in prompts {
        assert!(!prompt["description"].as_str().unwrap().is_empty(), "{prompt}");
    }
}

#[test]
fn arguments_say_whether_they_are_required() {
    let result = world().client().request("prompts/list", json!({}));
    let argument = |prompt: usize, at: usize| &result["prompts"][prompt]["arguments"][at];
    assert_eq!((&argument(0, 0)["name"], &argument(0, 0)["required"]), (&json!("question"), &json!(true)));
    assert_eq!((&argument(1, 0)["name"], &argument(1, 0)["required"]), (&json!("path"), &json!(false)));
    assert_eq!((&argument(2, 0)["name"], &argument(2, 0)["required"]), (&json!("change"), &json!(true)));
    assert_eq!((&argument(2, 1)["name"], &argument(2, 1)["required"]), (&json!("focus"), &json!(false)));
}

#[test]
fn answer_from_docs_carries_the_question_and_asks_for_citations() {
    let world = world();
    let text = text(&world, "answer_from_docs", json!({"question": "How are retries configured?"}));
    assert!(text.contains("How are retries configured?"));
    assert!(text.contains("search_docs") && text.contains("cite"), "{text}");
}

#[test]
fn whats_drifted_takes_a_path_or_everything() {
    let world = world();
    assert!(text(&world, "whats_drifted", json!({"path": "guides"})).contains("`guides`"));
    assert!(text(&world, "whats_drifted", json!({})).contains("list_pages"));
}

#[test]
fn a_template_of_the_user_is_filled_in() {
    let world = world();
    let full = text(&world, "review", json!({"change": "the retry loop", "focus": "Look at names."}));
    assert_eq!(full, "Review the retry loop against our rules. Look at names.");
    assert_eq!(text(&world, "review", json!({"change": "it"})), "Review it against our rules. ");
    assert_eq!(text(&world, "plain", json!({})), "Nothing to fill in.");
}

#[test]
fn what_is_filled_in_is_not_read_as_a_template() {
    let world = world();
    assert_eq!(
        text(&world, "review", json!({"change": "{{focus}}"})),
        "Review {{focus}} against our rules. "
    );
}

#[test]
fn a_missing_argument_is_minus_32602() {
    let world = world();
    check_refused(&world, json!({"name": "answer_from_docs"}), "question");
    check_refused(&world, json!({"name": "answer_from_docs", "arguments": {"question": "  "}}), "question");
    check_refused(&world, json!({"name": "review", "arguments": {"focus": "x"}}), "change");
}

#[test]
fn an_argument_of_the_wrong_type_is_minus_32602() {
    let world = world();
    check_refused(&world, json!({"name": "answer_from_docs", "arguments": {"question": 7}}), "question");
    check_refused(&world, json!({"name": "review", "arguments": {"change": ["x"]}}), "change");
}

#[test]
fn an_unknown_prompt_is_minus_32602_and_names_those_there_are() {
    let world = world();
    check_refused(&world, json!({"name": "nope"}), "answer_from_docs, whats_drifted, review, plain");
}

#[test]
fn the_path_of_whats_drifted_is_completed() {
    let world = world();
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "whats_drifted"},
        "argument": {"name": "path", "value": "gui"},
    });
    let result = world.client().request("completion/complete", params);
    assert_eq!(result["completion"]["values"], json!(["guides/a.md"]));
}
