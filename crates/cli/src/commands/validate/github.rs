//! Findings as commands of a GitHub workflow, which annotates the lines of a pull request with them.

use docent_authoring::{Code, Finding, Severity};

use super::{Report, human};

/// One command for each finding. Pages without a strategy are one for each folder: GitHub shows ten of a kind.
pub(super) fn commands(report: &Report<'_>, prefix: &str) -> String {
    let single = report.findings.iter().filter(|(_, finding)| finding.code != Code::NoStrategy);
    let single = single.map(|(path, finding)| {
        command(finding, &format!("{prefix}{path}"), Some(finding.line), &finding.message)
    });
    let groups = human::without_strategy(report).into_iter().map(|(folder, count, finding)| {
        let place = format!("{prefix}{folder}");
        command(finding, place.trim_end_matches('/'), None, &format!("{count} files have no strategy"))
    });
    single.chain(groups).collect()
}

fn command(finding: &Finding, file: &str, line: Option<usize>, message: &str) -> String {
    let rule = finding.code.rule();
    let level = match finding.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let line = line.map(|line| format!("line={line},")).unwrap_or_default();
    let title = property(&format!("{} {}", rule.id, rule.name));
    let text = data(&format!("{message}\n{}", finding.hint));
    format!("::{level} file={},{line}title={title}::{text}\n", property(file))
}

/// Text of a command.
pub(in crate::commands) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value between the commas of a command.
pub(in crate::commands) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_finding_can_end_a_command() {
        let finding = Finding::new(Code::MissingPage, 3, "100% x\n::error::y", "a\r\nb");
        assert_eq!(
            command(&finding, "a,b:c\n.md", Some(3), &finding.message),
            "::error file=a%2Cb%3Ac%0A.md,line=3,title=DM060 missing-page::100%25 x%0A::error::y%0Aa%0D%0Ab\n"
        );
    }
}
