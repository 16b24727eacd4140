//! Findings that authors have decided to live with: a rule, everywhere or for some paths.
//!
//! Written as the rule's code or name, and perhaps a glob behind it: `DM060`, `missing-page`, `DM061 guides/**`.

use globset::{GlobBuilder, GlobMatcher};

use crate::finding::{Code, RULES};
use crate::nearest;

/// Rules that do not count.
#[derive(Debug, Clone, Default)]
pub struct Exemptions(Vec<(Code, Option<GlobMatcher>)>);

impl Exemptions {
    /// Reads a list; the error says which entry is wrong, and the second part what to do.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a str>) -> Result<Self, (String, String)> {
        entries.into_iter().map(parse_one).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a finding of this rule at this path does not count.
    pub fn cover(&self, code: Code, path: &str) -> bool {
        let covers = |glob: &Option<GlobMatcher>| glob.as_ref().is_none_or(|glob| glob.is_match(path));
        self.0.iter().any(|(exempt, glob)| *exempt == code && covers(glob))
    }
}

fn parse_one(entry: &str) -> Result<(Code, Option<GlobMatcher>), (String, String)> {
    let (rule, pattern) = entry.trim().split_once([' ', ':']).unwrap_or((entry.trim(), ""));
    let known = RULES.iter().find(|known| known.id.eq_ignore_ascii_case(rule) || known.name == rule);
    let Some(known) = known else {
        let names = RULES.iter().flat_map(|rule| [rule.id, rule.name]);
        let hint = match nearest(rule, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a rule is named by its code, e.g. DM060, which every finding shows".to_owned(),
        };
        return Err((format!("there is no rule `{rule}`"), hint));
    };
    let pattern = pattern.trim();
    if pattern.is_empty() {
        return Ok((known.code, None));
    }
    if pattern.len() > 1024 || pattern.matches('{').count() > 32 {
        let message = "the pattern is too long or has too many braces".to_owned();
        return Err((message, "patterns look like guides/**/*.md".to_owned()));
    }
    match GlobBuilder::new(pattern).literal_separator(true).build() {
        Ok(glob) => Ok((known.code, Some(glob.compile_matcher()))),
        Err(error) => {
            let message = format!("`{pattern}` is not a pattern: {}", error.kind());
            Err((message, "patterns look like guides/**/*.md".to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(entry: &str, path: &str, expected: bool) {
        let exempt = Exemptions::parse([entry]).unwrap();
        assert_eq!(exempt.cover(Code::MissingPage, path), expected, "{entry} {path}");
        assert!(!exempt.cover(Code::FrontMatter, path));
    }

    #[test]
    fn a_rule_everywhere_or_for_some_paths() {
        check("DM060", "a.md", true);
        check("dm060", "a.md", true);
        check("missing-page", "x/a.md", true);
        check("DM060 x/**", "x/y/a.md", true);
        check("DM060:x/**", "a.md", false);
        check("missing-anchor", "a.md", false);
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = |entry| Exemptions::parse([entry]).unwrap_err();
        assert!(wrong("mising-page").1.contains("missing-page"));
        assert!(wrong("DM999").0.contains("DM999"));
        assert!(wrong("DM060 [").0.contains("pattern"));
    }
}
