//! Pages that tell of their time, by what stands in them: plans, designs, decisions, lists of releases.

/// Whether the sections of a page are releases: `# Release 1.0.1`, `## v0.3`, `## [2.1.0] - 2026-01-01`.
pub(super) fn lists_releases(text: &str) -> bool {
    const RELEASES: usize = 3;
    let is_release = |line: &&str| {
        let Some(heading) = line.strip_prefix('#') else { return false };
        let heading = heading.trim_start_matches(['#', ' ', '[']).to_lowercase();
        let named = ["release ", "version ", "v"].iter().find_map(|word| heading.strip_prefix(word));
        let number = named.unwrap_or(&heading).trim_start_matches('v');
        let end = number.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(number.len());
        let (number, behind) = number.split_at(end);
        let parts = number.split('.');
        let is_number = parts.clone().all(|part| !part.is_empty() && part.len() < 4);
        // Chapters have numbers, too, and words behind them.
        let is_alone =
            behind.trim_start().is_empty() || behind.trim_start().starts_with([']', '(', '-', '–']);
        is_number && parts.count() > if named.is_some() { 1 } else { 2 } && (named.is_some() || is_alone)
    };
    text.lines().filter(is_release).take(RELEASES).count() == RELEASES
}

/// Whether a page says of itself that it is a plan, a proposal or a record of a decision: by its status, its first words, or
/// the sections that only those have.
pub(super) fn is_plan(head: &str, text: &str) -> bool {
    const SAYS: &[&str] = &[
        "this design doc",
        "this document proposes",
        "this implementation plan",
        "this plan ",
        "this proposal ",
        "this rfc ",
        "we propose ",
    ];
    const SECTIONS: &[&str] = &[
        "acceptance criteria",
        "action items",
        "alternatives",
        "background",
        "consequences",
        "decision",
        "drawbacks",
        "future improvements",
        "future work",
        "goals",
        "implementation plan",
        "milestones",
        "motivation",
        "non goals",
        "open questions",
        "options considered",
        "out of scope",
        "prior art",
        "problem statement",
        "proposal",
        "proposed",
        "rejected alternatives",
        "risks",
        "rollout",
        "success criteria",
        "timeline",
        "unresolved questions",
    ];
    let lower = head.to_lowercase();
    if has_status(head) || SAYS.iter().any(|says| lower.contains(says)) {
        return true;
    }
    let mut is_fence = false;
    let headings = text.lines().filter_map(|line| {
        is_fence ^= line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        let heading = line.strip_prefix('#').filter(|_| !is_fence)?.trim_start_matches('#');
        let heading = heading.trim_start_matches(|c: char| !c.is_alphabetic());
        Some(heading.to_lowercase().replace('-', " "))
    });
    let mut sections: Vec<&str> = Vec::new();
    for heading in headings.take(MOST_HEADINGS) {
        sections.extend(SECTIONS.iter().find(|section| heading.starts_with(**section)));
    }
    sections.sort_unstable();
    sections.dedup();
    sections.len() >= SECTIONS_OF_A_PLAN
}

/// So many headings of one page are looked at.
const MOST_HEADINGS: usize = 200;
/// A page of documentation may have "Goals" and "Background", too.
const SECTIONS_OF_A_PLAN: usize = 3;

/// `* Status: Accepted` near the top: a design that somebody proposed, with what became of it.
fn has_status(head: &str) -> bool {
    const STATES: &[&str] = &[
        "abandoned",
        "accepted",
        "approved",
        "awaiting",
        "complete",
        "completed",
        "deferred",
        "defunct",
        "done",
        "frozen",
        "draft",
        "final",
        "future",
        "implementable",
        "implemented",
        "obsolete",
        "pending",
        "planned",
        "proposal",
        "proposed",
        "provisional",
        "rejected",
        "replaced",
        "shipped",
        "speculative",
        "superseded",
        "wip",
        "withdrawn",
    ];
    head.lines().take(25).any(|line| {
        let line = line.trim_start_matches(['*', '-', '>', '|', ' ']).to_lowercase();
        let Some(state) = line.strip_prefix("status") else { return false };
        let state = state.trim_start_matches([':', '*', '|', ' ']);
        let end = state.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(state.len());
        STATES.contains(&state.get(..end).unwrap_or_default())
    })
}
