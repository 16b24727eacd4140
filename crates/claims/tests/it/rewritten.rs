//! Lines that somebody wrote again after what they name was gone.

use docent_claims::{Judged, Verdict};

use crate::support::Desk;
use crate::verification::{told, verified};

const PAINTED: &str = "fn main() { std::env::var(\"LAUNCH_PAD_COLOUR\").ok(); }\n";

/// Variables that begin with its name are its own.
const OWN: &str = "[package]\nname = \"launch\"\n";

/// A page that names a variable and a target, with enough commits that a past state is looked at.
fn desk() -> Desk {
    let mut desk = Desk::new();
    desk.write(
        "README.md",
        "Set `LAUNCH_PAD_COLOUR` to paint it.\n\nType `make launch`, then `make land`.\n",
    );
    desk.write("src/main.rs", PAINTED);
    desk.write("Cargo.toml", OWN);
    desk.write("Makefile", "launch:\n\ttrue\nland:\n\ttrue\n");
    desk.commit("first");
    for number in 0..4 {
        desk.commit_file("notes.txt", &number.to_string());
    }
    desk
}

fn drifted(desk: &Desk) -> Vec<Judged> {
    verified(desk).judged().filter(|judged| judged.verdict == Verdict::Drifted).collect()
}

fn named(desk: &Desk) -> Vec<String> {
    drifted(desk).into_iter().map(|judged| judged.claim.named).collect()
}

#[test]
fn a_word_that_was_mended_beside_it_does_not_make_a_dead_name_right() {
    let mut desk = desk();
    let gone = desk.commit_file("src/main.rs", "fn main() {}\n");
    desk.commit_file(
        "README.md",
        "Set `LAUNCH_PAD_COLOUR` to paint all of it.\n\nType `make launch`, then `make land`.\n",
    );
    desk.commit_file(
        "README.md",
        "Set `LAUNCH_PAD_COLOUR` to paint everything.\n\nType `make launch`, then `make land`.\n",
    );
    let found = drifted(&desk);
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.claim.named.as_str(), found.class.name()), ("LAUNCH_PAD_COLOUR", "stale_at_birth"));
    assert_eq!(found.evidence.breaking.as_ref().and_then(|it| it.commit.as_ref()), Some(&gone));
    assert!(found.confidence < 0.85, "{}", found.confidence);
}

#[test]
fn a_name_that_may_be_somebodys_is_doubted_where_its_line_was_written_after_it_was_gone() {
    let mut desk = desk();
    desk.write("Cargo.toml", &OWN.replace("launch", "paint"));
    desk.commit_file("src/main.rs", "fn main() {}\n");
    desk.commit_file(
        "README.md",
        "Set `LAUNCH_PAD_COLOUR` to paint it all.\n\nType `make launch`, then `make land`.\n",
    );
    let found = verified(&desk).findings();
    let [found] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((found.claim.named.as_str(), found.verdict), ("LAUNCH_PAD_COLOUR", Verdict::Uncertain));
}

#[test]
fn a_target_is_followed_through_commits_that_rephrase_its_line() {
    let mut desk = desk();
    desk.commit_file("Makefile", "launch:\n\ttrue\n");
    desk.commit_file(
        "README.md",
        "Set `LAUNCH_PAD_COLOUR` to paint it.\n\nAt last type `make launch`, then `make land`.\n",
    );
    assert_eq!(named(&desk), ["make land"]);
}

#[test]
fn who_takes_it_away_and_writes_the_line_again_knows_it() {
    let mut desk = desk();
    desk.write("src/main.rs", "fn main() {}\n");
    desk.write(
        "README.md",
        "`LAUNCH_PAD_COLOUR` means nothing to it.\n\nType `make launch`, then `make land`.\n",
    );
    desk.commit("paint nothing");
    assert!(named(&desk).is_empty(), "{:?}", named(&desk));
}

#[test]
fn a_name_that_comes_into_a_document_after_its_end_is_nobodys_claim() {
    let mut desk = desk();
    desk.write("README.md", "Type `make launch`, then `make land`.\n");
    desk.write("src/main.rs", "fn main() {}\n");
    desk.commit("paint nothing");
    desk.commit_file(
        "README.md",
        "Type `make launch`, then `make land`.\n\nOther tools set `LAUNCH_PAD_COLOUR`.\n",
    );
    assert!(named(&desk).is_empty(), "{:?}", named(&desk));
}

#[test]
fn a_short_history_is_followed_as_well() {
    let mut desk = Desk::new();
    desk.write("Cargo.toml", OWN);
    desk.write("src/main.rs", PAINTED);
    desk.write("docs/b.md", "# Install\n");
    desk.write("README.md", "Set `LAUNCH_PAD_COLOUR` to start.\n\nSee [b](docs/b.md#install) first.\n");
    desk.commit("first");
    desk.write("docs/b.md", "# Set up\n");
    let gone = desk.commit_file("src/main.rs", "fn main() {}\n");
    let reworded = "Set `LAUNCH_PAD_COLOUR` to start it.\n\nSee [b](docs/b.md#install) before.\n";
    desk.write("README.md", reworded);
    // Not committed, and committed.
    assert_eq!(named(&desk), ["LAUNCH_PAD_COLOUR", "docs/b.md#install"]);
    desk.commit("reword");
    assert_eq!(named(&desk), ["LAUNCH_PAD_COLOUR", "docs/b.md#install"]);
    let found = drifted(&desk);
    let broke = |judged: &Judged| judged.evidence.breaking.as_ref().and_then(|it| it.commit.clone());
    assert!(found.iter().all(|judged| broke(judged) == Some(gone.clone())), "{found:?}");
}

#[test]
fn who_takes_away_and_rewords_without_a_commit_knows_it_too() {
    let mut desk = Desk::new();
    desk.write("src/main.rs", PAINTED);
    desk.write("README.md", "Set `LAUNCH_PAD_COLOUR` to start.\n");
    desk.commit("first");
    desk.write("src/main.rs", "fn main() {}\n");
    assert_eq!(named(&desk), ["LAUNCH_PAD_COLOUR"]);
    desk.write("README.md", "Set `LAUNCH_PAD_COLOUR` to start it.\n");
    assert_eq!(named(&desk), Vec::<String>::new());
}

#[test]
fn a_document_that_is_being_renamed_keeps_its_past() {
    let mut desk = Desk::new();
    desk.write("docs/a.md", "# A\n\nSee `src/part/old.rs`.\n\nSee `src/part/new.rs`.\n");
    desk.write("src/part/old.rs", "");
    desk.write("src/part/new.rs", "");
    desk.commit("first");
    desk.delete("src/part/old.rs");
    desk.commit("second");
    desk.rename("docs/a.md", "docs/b.md");
    desk.write("docs/new.md", "# New\n\nSee `src/part/old.rs`.\n");
    let told = |desk: &Desk| -> Vec<String> {
        let found = verified(desk).findings();
        found.iter().map(|it| format!("{} {:?}", it.claim.file, it.verdict)).collect()
    };
    let drifted = "docs/b.md Drifted".to_owned();
    assert!(told(&desk).contains(&drifted), "{:?}", told(&desk));
    desk.git(&["add", "-A"]);
    assert!(told(&desk).contains(&drifted), "{:?}", told(&desk));
    desk.commit("rename");
    assert!(told(&desk).contains(&drifted), "{:?}", told(&desk));
}

#[test]
fn who_mends_one_name_of_a_line_has_not_written_the_others_again() {
    let mut desk = desk();
    desk.write("src/queue.py", "class JobQueue:\n    def drain(self): pass\n");
    desk.write("src/retry.py", "x = 1\n# a file of some lines\n");
    desk.write("src/more.py", "y = 1\n# another file of some lines\n");
    desk.write("docs/guide.md", "See `src/retry.py`, `src/more.py` and `JobQueue.drain` for it.\n");
    desk.commit("first");
    desk.write("src/queue.py", "class JobQueue:\n    def empty_out(self): pass\n");
    desk.rename("src/retry.py", "src/backoff.py");
    desk.rename("src/more.py", "src/less.py");
    desk.commit("second");
    let expected =
        ["docs/guide.md:1 drifted broke_at src/more.py", "docs/guide.md:1 drifted broke_at JobQueue.drain"];
    let others = |desk: &Desk| {
        let mut told = told(&verified(desk));
        told.retain(|it| it.contains("drifted") && !it.contains("retry"));
        told
    };
    assert_eq!(others(&desk), expected);
    desk.write("docs/guide.md", "See `src/backoff.py`, `src/more.py` and `JobQueue.drain` for it.\n");
    assert_eq!(others(&desk), expected);
    desk.commit("mend");
    assert_eq!(others(&desk), expected);
}
