//! What every place that keeps docs health must do, written once over `dyn HealthStore`.

use docent_index::health::{Decision, HealthStore, NewClaim, NewReport, Recorded, RecordedDocument, Status};

/// Makes one `#[test]` of each rule; `$make` gives a store and whatever has to live as long, or
/// nothing where it cannot be tested.
#[macro_export]
macro_rules! health_suite {
    ($make:expr) => {
        $crate::health_suite! { $make =>
            a_repository_is_made_known_once,
            claims_come_back_by_file_and_line,
            a_claim_that_stays_keeps_its_id,
            claims_are_told_apart_by_how_often_they_came_before,
            what_is_recorded_replaces_the_document,
            a_complete_record_forgets_other_documents,
            a_confirmed_document_is_as_of_now,
            every_change_is_a_generation,
            counts_are_by_file_type_and_status,
            reports_come_back_the_newest_first,
            an_accepted_report_marks_its_claim_until_the_line_changes,
            a_rejected_report_lets_the_verdict_count_again,
            repositories_are_apart,
        }
    };
    ($make:expr => $($rule:ident,)*) => {
        $(
            #[test]
            fn $rule() {
                let made = $make;
                let Some((store, _kept)) = made else { return };
                $crate::health::$rule(&store);
            }
        )*
    };
}

const NOW: i64 = 1_770_000_000;
const DAY: i64 = 86_400;

/// A claim that holds.
pub fn claim(line: u32, named: &str) -> NewClaim {
    NewClaim {
        line_number: line,
        end_line: line,
        section_heading: Some("Usage".to_owned()),
        claim_text: format!("Run `{named}` to begin."),
        claim_type: "command".to_owned(),
        kind: "make_target".to_owned(),
        named: named.to_owned(),
        keywords: vec![named.to_lowercase()],
        verification_status: Status::Verified,
        class: "holds".to_owned(),
        confidence: 0.99,
        severity: "medium".to_owned(),
        evidence: "{}".to_owned(),
        blame_commit: None,
        broke_commit: None,
        suppressed: None,
    }
}

/// A claim that stands otherwise.
pub fn claim_that_is(status: Status, line: u32, named: &str) -> NewClaim {
    let class = if status == Status::Verified { "holds" } else { "broke_at" };
    NewClaim { verification_status: status, class: class.to_owned(), ..claim(line, named) }
}

/// A document with its claims.
pub fn document(file: &str, claims: Vec<NewClaim>) -> RecordedDocument {
    RecordedDocument { source_file: file.to_owned(), content_hash: format!("hash of {file}"), claims }
}

fn recorded(at: i64, documents: Vec<RecordedDocument>) -> Recorded {
    Recorded { verified_at: at, documents, ..Recorded::default() }
}

fn repo(store: &dyn HealthStore) -> String {
    store.put_repo("acme", "shop", NOW).unwrap().id
}

fn names(store: &dyn HealthStore, repo: &str) -> Vec<String> {
    let claims = store.claims(repo).unwrap();
    claims
        .into_iter()
        .map(|row| format!("{}:{} {}", row.source_file, row.claim.line_number, row.claim.named))
        .collect()
}

fn id(store: &dyn HealthStore, repo: &str, named: &str, nth: usize) -> String {
    let claims = store.claims(repo).unwrap();
    claims.into_iter().filter(|row| row.claim.named == named).nth(nth).unwrap().id
}

fn report(claim: Option<String>) -> NewReport {
    NewReport {
        claim_id: claim,
        doc_file: "README.md".to_owned(),
        line_number: Some(3),
        claim_text: "Run `make x`".to_owned(),
        actual_behavior: "There is no \"x\"".to_owned(),
        evidence_files: vec!["Makefile".to_owned()],
        agent_type: "tests".to_owned(),
        created_at: NOW,
    }
}

/// Asking twice gives the same one.
pub fn a_repository_is_made_known_once(store: &dyn HealthStore) {
    assert_eq!(store.repo("acme", "shop").unwrap(), None);
    assert_eq!(store.generation("nobody").unwrap(), 0);
    let made = store.put_repo("acme", "shop", NOW).unwrap();
    assert_eq!(store.put_repo("acme", "shop", NOW + 5).unwrap(), made);
    assert_eq!(store.repo("acme", "shop").unwrap(), Some(made));
}

/// All fields, in order.
pub fn claims_come_back_by_file_and_line(store: &dyn HealthStore) {
    let repo = repo(store);
    let full = NewClaim {
        section_heading: None,
        blame_commit: Some("b".to_owned()),
        broke_commit: Some("c".to_owned()),
        suppressed: Some("for a reason".to_owned()),
        evidence: "{\"looked_at\":\"ünïcode\"}".to_owned(),
        ..claim_that_is(Status::Drifted, 7, "make x")
    };
    let documents = vec![
        document("b.md", vec![claim(2, "make z"), full.clone()]),
        document("a.md", vec![claim(9, "make y")]),
    ];
    store.record(&repo, &recorded(NOW, documents)).unwrap();
    assert_eq!(names(store, &repo), ["a.md:9 make y", "b.md:2 make z", "b.md:7 make x"]);
    let claims = store.claims(&repo).unwrap();
    assert_eq!((&claims[2].claim, claims[2].last_verified_at), (&full, Some(NOW)));
    let hashes = store.documents(&repo).unwrap();
    assert_eq!(hashes[0], ("a.md".to_owned(), "hash of a.md".to_owned()));
}

/// Lines may move and verdicts change.
pub fn a_claim_that_stays_keeps_its_id(store: &dyn HealthStore) {
    let repo = repo(store);
    store.record(&repo, &recorded(NOW, vec![document("a.md", vec![claim(3, "make x")])])).unwrap();
    let before = id(store, &repo, "make x", 0);
    let moved = claim_that_is(Status::Drifted, 30, "make x");
    store.record(&repo, &recorded(NOW + 1, vec![document("a.md", vec![claim(1, "make y"), moved])])).unwrap();
    assert_eq!(id(store, &repo, "make x", 0), before);
    assert_eq!(names(store, &repo), ["a.md:1 make y", "a.md:30 make x"]);
}

/// The second of two keeps being the second.
pub fn claims_are_told_apart_by_how_often_they_came_before(store: &dyn HealthStore) {
    let repo = repo(store);
    let twice = vec![claim(3, "make x"), claim(9, "make x")];
    store.record(&repo, &recorded(NOW, vec![document("a.md", twice)])).unwrap();
    let (first, second) = (id(store, &repo, "make x", 0), id(store, &repo, "make x", 1));
    assert_ne!(first, second);
    store.record(&repo, &recorded(NOW, vec![document("a.md", vec![claim(9, "make x")])])).unwrap();
    assert_eq!(names(store, &repo), ["a.md:9 make x"]);
    assert_eq!(id(store, &repo, "make x", 0), first);
}

/// What is no more in it is gone, from the words too.
pub fn what_is_recorded_replaces_the_document(store: &dyn HealthStore) {
    let repo = repo(store);
    let documents =
        vec![document("a.md", vec![claim(1, "walrus")]), document("b.md", vec![claim(1, "heron")])];
    store.record(&repo, &recorded(NOW, documents)).unwrap();
    store.record(&repo, &recorded(NOW, vec![document("a.md", vec![claim(1, "otter")])])).unwrap();
    assert_eq!(names(store, &repo), ["a.md:1 otter", "b.md:1 heron"]);
    store.record(&repo, &recorded(NOW, vec![document("a.md", Vec::new())])).unwrap();
    assert_eq!(names(store, &repo), ["b.md:1 heron"]);
}

/// A document that was deleted is no more.
pub fn a_complete_record_forgets_other_documents(store: &dyn HealthStore) {
    let repo = repo(store);
    let one = |file: &str| document(file, vec![claim(1, file)]);
    store.record(&repo, &recorded(NOW, vec![one("a.md"), one("b.md"), one("c.md")])).unwrap();
    let complete = Recorded {
        confirmed: vec!["b.md".to_owned()],
        is_complete: true,
        ..recorded(NOW, vec![one("a.md")])
    };
    store.record(&repo, &complete).unwrap();
    assert_eq!(names(store, &repo), ["a.md:1 a.md", "b.md:1 b.md"]);
    assert_eq!(store.documents(&repo).unwrap().len(), 2);
}

/// Nothing else changes.
pub fn a_confirmed_document_is_as_of_now(store: &dyn HealthStore) {
    let repo = repo(store);
    store.record(&repo, &recorded(NOW, vec![document("a.md", vec![claim(1, "x")])])).unwrap();
    let again = Recorded { confirmed: vec!["a.md".to_owned()], ..recorded(NOW + DAY, Vec::new()) };
    store.record(&repo, &again).unwrap();
    let claims = store.claims(&repo).unwrap();
    assert_eq!(claims[0].last_verified_at, Some(NOW + DAY));
}

/// So that answers that were kept are known to be old.
pub fn every_change_is_a_generation(store: &dyn HealthStore) {
    let repo = repo(store);
    let first = store.record(&repo, &recorded(NOW, vec![document("a.md", vec![claim(1, "x")])])).unwrap();
    assert_eq!(store.generation(&repo).unwrap(), first);
    let second = store.record(&repo, &recorded(NOW, Vec::new())).unwrap();
    assert!(second > first);
    let made = store.add_report(&repo, &report(Some(id(store, &repo, "x", 0)))).unwrap();
    assert_eq!(store.generation(&repo).unwrap(), second);
    store.decide(&repo, &made, Decision::Accepted, NOW).unwrap();
    assert!(store.generation(&repo).unwrap() > second);
}

/// With what was waived apart.
pub fn counts_are_by_file_type_and_status(store: &dyn HealthStore) {
    let repo = repo(store);
    let waived = NewClaim { suppressed: Some("old".to_owned()), ..claim_that_is(Status::Drifted, 4, "w") };
    let claims = vec![claim(1, "a"), claim(2, "b"), claim_that_is(Status::Drifted, 3, "c"), waived];
    store.record(&repo, &recorded(NOW, vec![document("a.md", claims)])).unwrap();
    let mut counts: Vec<(Status, bool, u64)> = store
        .counts(&repo)
        .unwrap()
        .into_iter()
        .map(|count| (count.status, count.is_suppressed, count.count))
        .collect();
    counts.sort_unstable();
    assert_eq!(
        counts,
        [(Status::Verified, false, 2), (Status::Drifted, false, 1), (Status::Drifted, true, 1)]
    );
}

/// Word for word.
pub fn reports_come_back_the_newest_first(store: &dyn HealthStore) {
    let repo = repo(store);
    assert!(store.reports(&repo, None).unwrap().is_empty());
    let first = store.add_report(&repo, &report(None)).unwrap();
    // A claim that is not there is none.
    let second = store.add_report(&repo, &report(Some("gone".to_owned()))).unwrap();
    assert_ne!(first, second);
    let all = store.reports(&repo, None).unwrap();
    assert_eq!(all.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), [second.clone(), first.clone()]);
    assert_eq!(all[1].report, report(None));
    assert_eq!(
        (all[0].verification_status, all[0].decided_at, &all[0].report.claim_id),
        (Decision::Pending, None, &None)
    );
    assert!(store.decide(&repo, "nonsense", Decision::Accepted, NOW).unwrap().is_none());
    let decided = store.decide(&repo, &first, Decision::Rejected, NOW + 7).unwrap().unwrap();
    assert_eq!((decided.verification_status, decided.decided_at), (Decision::Rejected, Some(NOW + 7)));
    assert_eq!(store.reports(&repo, Some(Decision::Pending)).unwrap().len(), 1);
}

/// A person who agreed knows better than a check, until somebody rewrites the line.
pub fn an_accepted_report_marks_its_claim_until_the_line_changes(store: &dyn HealthStore) {
    let repo = repo(store);
    let standing = |expected: Status, class: &str| {
        let row = store.claims(&repo).unwrap().swap_remove(0);
        assert_eq!((row.claim.verification_status, row.claim.class.as_str()), (expected, class));
        row.claim
    };
    store.record(&repo, &recorded(NOW, vec![document("README.md", vec![claim(3, "make x")])])).unwrap();
    let filed = store.add_report(&repo, &report(Some(id(store, &repo, "make x", 0)))).unwrap();
    standing(Status::Verified, "holds");
    store.decide(&repo, &filed, Decision::Accepted, NOW).unwrap();
    let marked = standing(Status::Drifted, "reported");
    assert!(
        marked.evidence.contains("There is no \\\"x\\\"") && marked.evidence.contains(&filed),
        "{}",
        marked.evidence
    );
    // The line has moved and says the same.
    store.record(&repo, &recorded(NOW, vec![document("README.md", vec![claim(5, "make x")])])).unwrap();
    assert_eq!(standing(Status::Drifted, "reported").line_number, 5);
    let rewritten = NewClaim { claim_text: "Now run `make x`.".to_owned(), ..claim(5, "make x") };
    store.record(&repo, &recorded(NOW, vec![document("README.md", vec![rewritten])])).unwrap();
    standing(Status::Verified, "holds");
}

/// Taking an agreement back.
pub fn a_rejected_report_lets_the_verdict_count_again(store: &dyn HealthStore) {
    let repo = repo(store);
    let broken = || vec![document("README.md", vec![claim_that_is(Status::Drifted, 3, "make x")])];
    store.record(&repo, &recorded(NOW, vec![document("README.md", vec![claim(3, "make x")])])).unwrap();
    let filed = store.add_report(&repo, &report(Some(id(store, &repo, "make x", 0)))).unwrap();
    store.decide(&repo, &filed, Decision::Accepted, NOW).unwrap();
    // Meanwhile a check finds something of its own.
    store.record(&repo, &recorded(NOW, broken())).unwrap();
    store.decide(&repo, &filed, Decision::Rejected, NOW).unwrap();
    let row = store.claims(&repo).unwrap().swap_remove(0);
    assert_eq!((row.claim.verification_status, row.claim.class.as_str()), (Status::Drifted, "broke_at"));
    assert_eq!(row.claim.evidence, "{}");
}

/// Nobody sees what belongs to another repository.
pub fn repositories_are_apart(store: &dyn HealthStore) {
    let (one, other) = (repo(store), store.put_repo("acme", "other", NOW).unwrap().id);
    let documents = || vec![document("a.md", vec![claim_that_is(Status::Drifted, 1, "walrus")])];
    store.record(&one, &recorded(NOW, documents())).unwrap();
    store.add_report(&one, &report(None)).unwrap();
    assert!(store.claims(&other).unwrap().is_empty());
    assert!(store.counts(&other).unwrap().is_empty());
    assert!(store.reports(&other, None).unwrap().is_empty());
    store.record(&other, &Recorded { is_complete: true, ..recorded(NOW, Vec::new()) }).unwrap();
    assert_eq!(names(store, &one).len(), 1);
}
