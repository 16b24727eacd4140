//! The difference of two texts for people: one unified hunk.
//!
//! An edit of ours touches one place, so lines that both texts share at the start and at the end are set aside, and the
//! few lines between are compared one by one.

use std::fmt::Write;

use owo_colors::OwoColorize;

use crate::printer::clean;

/// Lines shown around the change.
const AROUND: usize = 3;
/// Longer changes are shown as all old lines and all new ones.
const MOST_COMPARED: usize = 1000;

/// A line of the hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The difference, with colours. Nothing when the lines are the same.
pub(super) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let before: Vec<&str> = old.unwrap_or_default().lines().collect();
    let after: Vec<&str> = new.lines().collect();
    let start = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let shorter = before.len().min(after.len()) - start;
    let end =
        before.iter().rev().zip(after.iter().rev()).take(shorter).take_while(|(old, new)| old == new).count();
    let (first, last) = (start.saturating_sub(AROUND), end.saturating_sub(AROUND));
    let hunk = hunk(
        &before[first..before.len() - last],
        &after[first..after.len() - last],
        start - first,
        end - last,
    );
    if hunk.iter().all(|line| matches!(line, Line::Same(_))) {
        return String::new();
    }
    let count = |skip: fn(&Line<'_>) -> bool| hunk.iter().filter(|line| !skip(line)).count();
    let olds = count(|line| matches!(line, Line::New(_)));
    let news = count(|line| matches!(line, Line::Old(_)));
    let at = |first: usize, count: usize| if count == 0 { first } else { first + 1 };
    let mut text = String::new();
    let from = if old.is_some() { clean(path) } else { "/dev/null".to_owned() };
    let _ = writeln!(text, "{}", format_args!("--- {from}").bold());
    let _ = writeln!(text, "{}", format_args!("+++ {}", clean(path)).bold());
    let head = format!("@@ -{},{olds} +{},{news} @@", at(first, olds), at(first, news));
    let _ = writeln!(text, "{}", head.cyan());
    for line in hunk {
        let _ = match line {
            Line::Same(line) => writeln!(text, " {}", shown(line)),
            Line::Old(line) => writeln!(text, "{}", format_args!("-{}", shown(line)).red()),
            Line::New(line) => writeln!(text, "{}", format_args!("+{}", shown(line)).green()),
        };
    }
    text
}

/// A line that cannot steer the terminal; tabs stay.
fn shown(line: &str) -> String {
    line.trim_end_matches('\r').split('\t').map(clean).collect::<Vec<_>>().join("\t")
}

/// The lines in order; the first and the last ones are known to be the same.
fn hunk<'a>(old: &[&'a str], new: &[&'a str], start: usize, end: usize) -> Vec<Line<'a>> {
    let (olds, news) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut lines: Vec<Line<'a>> = old[..start].iter().map(|line| Line::Same(line)).collect();
    if olds.len() > MOST_COMPARED || news.len() > MOST_COMPARED {
        lines.extend(olds.iter().map(|line| Line::Old(line)));
        lines.extend(news.iter().map(|line| Line::New(line)));
    } else {
        lines.extend(compare(olds, news));
    }
    lines.extend(old[old.len() - end..].iter().map(|line| Line::Same(line)));
    lines
}

/// The shortest way from the old lines to the new ones, by the longest common subsequence.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let mut common = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = match old[i] == new[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]) {
            lines.push(Line::Old(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: Option<&str>, new: &str, expected: &str) {
        let text = unified("f", old, new);
        assert_eq!(console::strip_ansi_codes(&text), expected);
    }

    #[test]
    fn hunks() {
        check(None, "a\nb\n", "--- /dev/null\n+++ f\n@@ -0,0 +1,2 @@\n+a\n+b\n");
        check(Some("a\n"), "a\n", "");
        check(
            Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            "1\n2\n3\n4\n5\nx\n6\n7\n8\n9\n",
            "--- f\n+++ f\n@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+x\n 6\n 7\n 8\n",
        );
        check(
            Some("a\nb\nc\nd\n"),
            "a\nB\nc\nD\n",
            "--- f\n+++ f\n@@ -1,4 +1,4 @@\n a\n-b\n+B\n c\n-d\n+D\n",
        );
        check(Some("a\n"), "", "--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a\n");
        check(Some("a\na\n"), "a\na\na\n", "--- f\n+++ f\n@@ -1,2 +1,3 @@\n a\n a\n+a\n");
    }

    #[test]
    fn a_file_cannot_steer_the_terminal() {
        check(Some(""), "\ta\u{1b}[31m\r\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+\ta [31m\n");
    }
}
