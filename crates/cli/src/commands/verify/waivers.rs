//! Waivers of the settings, and baselines.

use std::path::Path;

use docent_claims::{BASELINE, Baseline, ClaimType, Known, Verdict, Verification, Waiver};

use crate::config_file::IgnoreSection;
use crate::edited_file::EditedFile;
use crate::errors::CliError;
use crate::settings::Setting;

/// The waivers of docent.toml; each must have a reason and name things that there are.
pub(crate) fn of_settings(entries: &Setting<Vec<IgnoreSection>>) -> Result<Vec<Waiver>, CliError> {
    let wrong = |number: usize, problem: String, hint: &str| {
        CliError::usage(
            format!("{}: verify.ignore, entry {}: {problem}", entries.origin, number + 1),
            hint.to_owned(),
        )
    };
    let one = |(number, entry): (usize, &IgnoreSection)| {
        if entry.reason.trim().is_empty() {
            return Err(wrong(
                number,
                "it has no reason".to_owned(),
                "say in `reason` why the finding does not count",
            ));
        }
        if entry.path.is_none() && entry.claim_type.is_none() && entry.named.is_none() {
            return Err(wrong(
                number,
                "it would waive everything".to_owned(),
                "name what it is for: `path`, `claim_type` or `named`; path = \"**\" is for all documents",
            ));
        }
        let known = |name: &String| {
            ClaimType::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
                wrong(number, format!("there is no claim type `{name}`"), &format!("use {}", types()))
            })
        };
        let expires = entry.expires.as_ref().map(|date| date.to_string().trim_matches('"').to_owned());
        if let Some(date) = &expires
            && date.parse::<jiff::civil::Date>().is_err()
        {
            return Err(wrong(
                number,
                format!("`{date}` is no date"),
                "write it as expires = \"2027-01-31\"",
            ));
        }
        if let Some(path) = entry.path.as_ref().filter(|path| !docent_claims::is_pattern(path)) {
            return Err(wrong(
                number,
                format!("not a pattern: {}", docent_text::visible_line(path, 40)),
                "patterns look like docs/old/**, in at most 1,024 bytes",
            ));
        }
        Ok(Waiver {
            path: entry.path.clone(),
            claim_type: entry.claim_type.as_ref().map(known).transpose()?,
            named: entry.named.clone(),
            reason: entry.reason.clone(),
            expires,
        })
    };
    entries.value.iter().enumerate().map(one).collect()
}

/// Entries that waive nothing any more: their number, from 1, and the last day on which they counted.
pub(super) fn expired<'w>(waivers: &'w [Waiver], today: &str) -> impl Iterator<Item = (usize, &'w str)> {
    let last = |(number, waiver): (usize, &'w Waiver)| Some((number, waiver.expires.as_deref()?));
    (1..).zip(waivers).filter_map(last).filter(move |(_, last)| *last < today)
}

/// Comments that name no type: the document, the line and the word.
pub(super) fn unknown(verification: &Verification) -> impl Iterator<Item = (&str, u32, String)> {
    verification.documents.iter().flat_map(|(path, document)| {
        document.waivers.iter().filter_map(move |waiver| {
            let word = docent_text::visible_line(waiver.unknown.as_ref()?, 40);
            Some((path.as_str(), *waiver.lines.start(), word))
        })
    })
}

/// The types of claims.
pub(super) fn types() -> String {
    ClaimType::ALL.map(ClaimType::name).join(", ")
}

/// Reads a baseline.
pub(super) fn read_baseline(path: &Path) -> Result<Baseline, CliError> {
    let wrong = |message: String| CliError::usage(message, "`--write-baseline FILE` writes one");
    if path.is_dir() {
        return Err(wrong(format!("{} is a folder and not a baseline", path.display())));
    }
    let file = EditedFile::read(path)?;
    let text = file.text().ok_or_else(|| {
        wrong(format!("cannot read the baseline {}: there is no such file", path.display()))
    })?;
    serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let problem = match error.is_data() {
            true => format!("it has no list `findings` as docent writes it ({place})"),
            false => format!("it is not JSON ({place})"),
        };
        wrong(format!("{} is not a baseline: {problem}", path.display()))
    })
}

/// Writes all findings, also those that are in a baseline already; what a comment or the settings waive needs none.
/// Says how many.
pub(super) fn write_baseline(path: &Path, verification: &Verification) -> Result<usize, CliError> {
    let file = EditedFile::read(path)?;
    if file.text().is_some_and(|text| serde_json::from_str::<Baseline>(text).is_err()) {
        return Err(CliError::usage(
            format!("{} is there and is not a baseline; nothing was written", path.display()),
            "name another file, or delete that one first",
        ));
    }
    let is_finding = |judged: &docent_claims::Judged| {
        let is_known = judged.suppressed.as_deref().is_none_or(|reason| reason == BASELINE);
        judged.verdict != Verdict::Verified && is_known
    };
    let mut findings: Vec<Known> =
        verification.judged().filter(is_finding).map(|judged| Known::of(&judged.claim)).collect();
    findings.sort();
    let count = findings.len();
    let text = serde_json::to_string_pretty(&Baseline { findings }).unwrap_or_default();
    file.write(&format!("{text}\n"))?;
    Ok(count)
}
