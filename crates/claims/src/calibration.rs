//! How sure a verdict is and how much it matters: one table each.
//!
//! The confidence is the share of verdicts of this type and class that were right when they were looked at by hand or
//! replayed from history; it says nothing about the single case.

use crate::{Claim, ClaimType, Class, Genre, Link, Severity, Subject};

/// How sure a verdict of this class is for claims of this type.
pub(crate) fn confidence(claim_type: ClaimType, class: &Class) -> f64 {
    let is_firm = matches!(claim_type, ClaimType::PathReference | ClaimType::Command);
    match class {
        Class::Holds => 0.99,
        Class::Reported => 0.9,
        Class::BrokeAt if is_firm => 0.95,
        Class::BrokeAt | Class::ValueChanged { .. } => 0.85,
        Class::StaleAtBirth if is_firm => 0.75,
        Class::StaleAtBirth => 0.6,
        Class::NeverExisted => 0.4,
        Class::HistoryUnavailable => 0.3,
    }
}

/// How much it matters when a claim does not hold.
pub(crate) fn severity(claim: &Claim, genre: Genre) -> Severity {
    if let Subject::Path { anchor, lines, link, .. } = &claim.subject {
        let is_detail = anchor.is_some() || lines.is_some() || *link == Link::Image;
        return if is_detail { Severity::Low } else { Severity::Medium };
    }
    let is_typed =
        matches!(claim.claim_type, ClaimType::Command | ClaimType::ApiRoute | ClaimType::Environment);
    if is_typed && genre == Genre::Entrance { Severity::High } else { Severity::Medium }
}
