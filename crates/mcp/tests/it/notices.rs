//! Notices of change: of the tools, of the list of documents, of a document; in both eras.

use serde_json::{Value, json};

use crate::client::{Client, MODERN};
use crate::world::World;

const TOOLS: &str = "notifications/tools/list_changed";
const LIST: &str = "notifications/resources/list_changed";
const UPDATED: &str = "notifications/resources/updated";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn with_language(language: &str) -> String {
    format!("---\nmetadata:\n  language: {language}\n---\n# A\n\ntext\n")
}

fn world() -> World {
    World::new(&[("a.md", &with_language("go")), ("b.md", "# B\n\ntext\n"), ("c.md", "# C\n\ntext\n")])
}

fn subscribe(client: &mut Client, path: &str) {
    client.request("resources/subscribe", json!({"uri": format!("docent://docs/{path}")}));
}

#[test]
fn the_capabilities_promise_what_is_told() {
    let world = world();
    let answer = world.connect(crate::client::Era::Legacy).initialize();
    let capabilities = &answer["capabilities"];
    assert_eq!(capabilities["tools"]["listChanged"], true);
    assert_eq!(capabilities["resources"], json!({"subscribe": true, "listChanged": true}));
}

#[test]
fn tools_have_changed_when_a_facet_gets_a_new_value() {
    let world = world();
    let mut client = world.client();
    assert_eq!(client.parameters("search_docs")["language"]["enum"], json!(["go"]));
    world.write("b.md", &with_language("rust"));
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs")["language"]["enum"], json!(["go", "rust"]));
}

#[test]
fn tools_have_changed_when_a_facet_disappears() {
    let world = world();
    let mut client = world.client();
    client.tools();
    world.write("a.md", "# A\n\nno facet any more\n");
    client.notice(TOOLS);
    assert_eq!(client.parameters("search_docs").get("language"), None);
}

#[test]
fn tools_have_not_changed_when_only_text_has() {
    let world = world();
    let mut client = world.client();
    client.tools();
    world.write("d.md", &with_language("go"));
    client.notice(LIST);
    client.assert_no_notice(TOOLS);
}

#[test]
fn the_list_has_changed_when_a_document_comes_or_goes() {
    let world = world();
    let mut client = world.client();
    client.request("resources/list", json!({}));
    world.write("new.md", "# New\n");
    client.notice(LIST);
    world.remove("new.md");
    client.notice(LIST);
}

#[test]
fn a_subscriber_is_told_of_its_document_only() {
    let world = world();
    let mut client = world.client();
    subscribe(&mut client, "b.md");
    world.write("c.md", "# C\n\nchanged\n");
    world.write("b.md", "# B\n\nchanged\n");
    let notice = client.notice(UPDATED);
    assert_eq!(notice["params"]["uri"], "docent://docs/b.md");
    // A third change comes after both, and still nothing was said of c.md.
    world.write("b.md", "# B\n\nchanged again\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://docs/b.md");
    client.assert_no_notice(UPDATED);
    client.assert_no_notice(LIST);
}

#[test]
fn a_subscriber_is_told_when_its_document_is_deleted() {
    let world = world();
    let mut client = world.client();
    subscribe(&mut client, "b.md");
    world.remove("b.md");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://docs/b.md");
}

#[test]
fn a_section_changes_with_its_page() {
    let world = world();
    let mut client = world.client();
    subscribe(&mut client, "b.md#b");
    world.write("b.md", "# B\n\nchanged\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://docs/b.md#b");
}

#[test]
fn who_has_unsubscribed_is_told_no_more() {
    let world = world();
    let mut client = world.client();
    subscribe(&mut client, "b.md");
    subscribe(&mut client, "c.md");
    client.request("resources/unsubscribe", json!({"uri": "docent://docs/b.md"}));
    world.write("b.md", "# B\n\nchanged\n");
    world.write("c.md", "# C\n\nchanged\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://docs/c.md");
    world.write("c.md", "# C\n\nchanged again\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "docent://docs/c.md");
}

#[test]
fn each_client_has_its_own_subscriptions() {
    let world = world();
    let (mut one, mut other) = (world.client(), world.client());
    subscribe(&mut one, "b.md");
    subscribe(&mut other, "c.md");
    world.write("b.md", "# B\n\nchanged\n");
    assert_eq!(one.notice(UPDATED)["params"]["uri"], "docent://docs/b.md");
    world.write("c.md", "# C\n\nchanged\n");
    assert_eq!(other.notice(UPDATED)["params"]["uri"], "docent://docs/c.md");
    one.assert_alive("a change of another's document");
    one.assert_no_notice(UPDATED);
}

#[test]
fn a_client_that_left_does_not_keep_others_from_being_told() {
    let world = world();
    let mut gone = world.client();
    subscribe(&mut gone, "b.md");
    gone.hang_up().0.unwrap();
    let mut client = world.client();
    subscribe(&mut client, "b.md");
    world.write("b.md", "# B\n\nchanged\n");
    client.notice(UPDATED);
}

/// Gives back the id of the subscription and what was accepted.
fn listen(client: &mut Client, filter: Value) -> (i64, Value) {
    let id = client.begin("subscriptions/listen", json!({"notifications": filter}));
    let acknowledged = client.receive().unwrap();
    assert_eq!(acknowledged["method"], ACKNOWLEDGED, "the first message is the acknowledgement");
    assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], id);
    (id, acknowledged["params"]["notifications"].clone())
}

#[test]
fn listening_is_acknowledged_with_what_was_accepted() {
    let world = world();
    let asked = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
    let (_, accepted) = listen(&mut world.modern(), asked);
    assert_eq!(
        (&accepted["toolsListChanged"], &accepted["resourcesListChanged"]),
        (&json!(true), &json!(true))
    );
    assert_ne!(accepted["promptsListChanged"], true, "prompts never change while the server runs");
}

#[test]
fn a_listener_is_told_what_it_asked_for_with_its_subscription() {
    let world = world();
    let mut client = world.modern();
    let (id, _) = listen(
        &mut client,
        json!({"toolsListChanged": true, "resourceSubscriptions": ["docent://docs/b.md"]}),
    );
    world.write("b.md", &with_language("rust"));
    let tools = client.notice(TOOLS);
    assert_eq!(tools["params"]["_meta"][SUBSCRIPTION], id);
    let updated = client.notice(UPDATED);
    assert_eq!(updated["params"]["uri"], "docent://docs/b.md");
    assert_eq!(updated["params"]["_meta"][SUBSCRIPTION], id);
    world.write("new.md", "# New\n");
    world.write("c.md", &with_language("zig"));
    client.notice(TOOLS);
    client.assert_no_notice(LIST);
}

#[test]
fn a_listener_of_the_list_is_told_of_new_documents() {
    let world = world();
    let mut client = world.modern();
    listen(&mut client, json!({"resourcesListChanged": true}));
    world.write("new.md", &with_language("zig"));
    client.notice(LIST);
    client.assert_no_notice(TOOLS);
}

#[test]
fn calls_are_answered_while_somebody_listens() {
    let world = world();
    let mut client = world.modern();
    listen(&mut client, json!({"toolsListChanged": true}));
    client.assert_alive("listening");
}

#[test]
fn a_cancelled_subscription_is_told_no_more() {
    let world = world();
    let mut client = world.modern();
    let (id, _) = listen(&mut client, json!({"resourcesListChanged": true}));
    listen(&mut client, json!({"toolsListChanged": true}));
    client.notify("notifications/cancelled", json!({"requestId": id}));
    client.assert_alive("a cancelled subscription");
    world.write("new.md", &with_language("zig"));
    client.notice(TOOLS);
    client.assert_alive("a change");
    client.assert_no_notice(LIST);
}

#[test]
fn each_era_has_its_own_way_to_subscribe() {
    let world = world();
    let mut modern = world.modern();
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(modern.error(method, json!({"uri": "docent://docs/b.md"}))["code"], -32601, "{method}");
    }
    let mut legacy = world.client();
    assert_eq!(legacy.error("subscriptions/listen", json!({"notifications": {}}))["code"], -32601);
    assert_eq!(MODERN, "2026-07-28");
}
