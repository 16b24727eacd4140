//! A repository with documents whose claims were checked, for the tools of `health`.

use docent_claims::{
    Breaking, Claim, ClaimType, Class, Cues, Evidence, Judged, Severity, Subject, Suggestion, Verdict,
};
use docent_health::{Findings, VerifiedDocument};
use serde_json::{Value, json};

use crate::client::Client;
use crate::world::{NOW, Setup, World};

pub(crate) const AUTH: &str = "# Authentication\n\nHow people get in.\n\n## Password Hashing\n\n\
    Authentication uses argon2id with 64MB memory cost, see `src/auth/password.ts`.\n\n## Sessions\n\n\
    Sessions live in `src/auth/session.ts` and end after an hour.\n";
pub(crate) const DEPLOY: &str =
    "# Deployment\n\nThe cluster is made with `make cluster`.\n\n## Rollback\n\nType `make rollback`.\n";

/// A claim with its verdict; `what` is its line, its heading, what it names and the sentence around that.
pub(crate) fn judged(verdict: Verdict, kind: ClaimType, what: (u32, &str, &str, &str)) -> Judged {
    let (line, heading, named, text) = what;
    let is_broken = verdict == Verdict::Drifted;
    let breaking = Breaking {
        commit: Some("4c1d77e0aa".to_owned()),
        time: 1_757_800_000,
        subject: "split server".to_owned(),
        kind: "deleted".to_owned(),
        renamed_to: None,
    };
    let suggestion =
        Suggestion { replacement: "make undo".to_owned(), is_certain: false, reason: "alike".to_owned() };
    Judged {
        claim: Claim {
            file: String::new(),
            line,
            end_line: line,
            span: 0..named.len(),
            section_heading: (!heading.is_empty()).then(|| heading.to_owned()),
            claim_type: kind,
            kind: "span".to_owned(),
            named: named.to_owned(),
            text: text.to_owned(),
            subject: Subject::Variable { name: named.to_owned() },
            cues: Cues::default(),
            source: None,
            again: Vec::new(),
        },
        verdict,
        class: match verdict {
            Verdict::Verified => Class::Holds,
            Verdict::Drifted => Class::BrokeAt,
            Verdict::Uncertain => Class::NeverExisted,
        },
        confidence: 0.9,
        severity: Severity::High,
        evidence: Evidence {
            breaking: is_broken.then_some(breaking),
            suggestion: is_broken.then_some(suggestion),
            ..Evidence::default()
        },
        suppressed: None,
    }
}

/// A short claim of a command that stands thus.
pub(crate) fn command(verdict: Verdict, line: u32, heading: &str, named: &str) -> Judged {
    judged(verdict, ClaimType::Command, (line, heading, named, &format!("Type `{named}`.")))
}

/// Keeps the claims of documents as of `at`; a document that is on disk is known by its content.
pub(crate) fn record(world: &World, at: i64, documents: Vec<(&str, Vec<Judged>)>) {
    let base = world.docs.parent().unwrap();
    let document = |(file, claims): (&str, Vec<Judged>)| {
        let hash = std::fs::read(base.join(file)).map(|bytes| docent_index::ContentHash::of(&bytes).to_hex());
        VerifiedDocument { file: file.to_owned(), content_hash: hash.unwrap_or_default(), claims }
    };
    let documents = documents.into_iter().map(document).collect();
    let found = Findings { verified_at: at, documents, ..Findings::default() };
    world.health.as_ref().unwrap().record(&found).unwrap();
}

pub(crate) fn setup() -> Setup {
    let setup = Setup::new(&[("auth.md", AUTH), ("deploy.md", DEPLOY)]);
    Setup { background: false, ..setup }
}

/// Two documents in the index, checked: of `auth.md` everything holds, of `deploy.md` one of two claims. `README.md` is outside of
/// the indexed folder.
pub(crate) fn world() -> World {
    let world = setup().start();
    fill(&world);
    world
}

pub(crate) fn fill(world: &World) {
    let path = |line, heading, named, text| {
        judged(Verdict::Verified, ClaimType::PathReference, (line, heading, named, text))
    };
    let hashing = "Authentication uses argon2id with 64MB memory cost, see `src/auth/password.ts`.";
    let sessions = "Sessions live in `src/auth/session.ts` and end after an hour.";
    let cluster = "The cluster is made with `make cluster`.";
    record(
        world,
        NOW,
        vec![
            (
                "docs/auth.md",
                vec![
                    path(7, "Password Hashing", "src/auth/password.ts", hashing),
                    path(11, "Sessions", "src/auth/session.ts", sessions),
                ],
            ),
            (
                "docs/deploy.md",
                vec![
                    judged(Verdict::Verified, ClaimType::Command, (3, "Deployment", "make cluster", cluster)),
                    command(Verdict::Drifted, 7, "Rollback", "make rollback"),
                ],
            ),
            (
                "README.md",
                vec![judged(
                    Verdict::Uncertain,
                    ClaimType::Environment,
                    (
                        12,
                        "Getting Started",
                        "AUTH_SECRET",
                        "Configure authentication by setting AUTH_SECRET in .env",
                    ),
                )],
            ),
        ],
    );
}

/// Fails unless the call is refused with this code and these words.
pub(crate) fn assert_refused(
    client: &mut Client,
    tool: &str,
    arguments: Value,
    code: i64,
    message: &str,
) -> Value {
    let error = client.error("tools/call", json!({"name": tool, "arguments": arguments}));
    assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!(message)), "{tool}: {error}");
    error
}
