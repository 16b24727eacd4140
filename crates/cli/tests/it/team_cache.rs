//! Vectors that somebody in a team has computed are there for all of it.

use std::path::Path;

use serde_json::Value;

use crate::embedding_server::EmbeddingServer;
use crate::postgres::Team;
use crate::support::ran;

fn index(team: &Team, server: &EmbeddingServer, clone: &Path, cache: &str) -> Value {
    let mut command = team.command(clone, &team.database.url(), &["index", "--json"]);
    server.use_in(&mut command);
    let ran = ran(command.env("DOCENT_CACHE_DIR", team.project.path(cache)).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn no_text_is_embedded_twice_in_a_team() {
    let Some(team) = Team::on(0) else { return };
    let server = EmbeddingServer::start();
    // Two repositories with the same pages, indexed on two machines.
    let (one, two) = (team.clone_of("acme/shop", "one"), team.clone_of("acme/fork", "two"));
    index(&team, &server, &one, "cache-one");
    assert!(!server.take_texts().is_empty());
    let forked = index(&team, &server, &two, "cache-two");
    assert_eq!(forked["added"], 3, "{forked}");
    // A server is asked once how long its vectors are.
    assert_eq!(server.take_texts(), ["dimensions"]);
}
