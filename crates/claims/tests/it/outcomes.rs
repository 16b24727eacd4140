//! Claims, and what is said of them, for the tests of all checks.

use docent_claims::{Claim, ClaimType, Cues, Outcome, Subject, World, checks};

/// A claim about something, as extraction makes it.
pub(crate) fn claim(kind: &str, named: &str, subject: Subject) -> Claim {
    Claim {
        file: "README.md".to_owned(),
        line: 1,
        end_line: 1,
        span: 0..named.len(),
        section_heading: None,
        claim_type: ClaimType::CodeExample,
        kind: kind.to_owned(),
        named: named.to_owned(),
        text: named.to_owned(),
        subject,
        cues: Cues::default(),
        source: None,
        again: Vec::new(),
    }
}

/// What a check says, in a word: `valid`, `missing`, `not ours`, or the value that differs.
pub(crate) fn said(files: &[(&str, &str)], claim: &Claim) -> String {
    match checks::check(claim, &claim.file, &World::of_files(files)) {
        Outcome::Valid { found } => {
            assert!(!found.is_empty(), "a valid claim says where");
            // The promise of `needles`: a file that makes a claim valid holds one of them.
            let needles = checks::needles(claim);
            let world = World::of_files(files);
            let is_needle = |path: &String| {
                needles.iter().any(|word| world.mentioning(word).contains(path) || path.contains(word))
            };
            let decides = |path: &String| needles.is_empty() || is_needle(path) || path.ends_with(".md");
            assert!(found.iter().any(|place| decides(&place.path)), "{needles:?} do not lead to {found:?}");
            "valid".to_owned()
        }
        Outcome::Missing { .. } => "missing".to_owned(),
        Outcome::Differs { actual, .. } => actual,
        Outcome::NotOurs => "not ours".to_owned(),
    }
}
