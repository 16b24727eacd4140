//! The difference of two texts for people, as unified hunks.
//!
//! Lines that both texts share at the start and at the end are set aside, and what is between is compared line by line:
//! exactly where it is short, and where it is long by looking for the nearest place at which both agree again.

use std::fmt::Write;
use std::ops::Range;

use owo_colors::OwoColorize;

use crate::printer::clean;

/// Lines shown around the change.
const AROUND: usize = 3;
/// Longer changes are compared by looking ahead.
const MOST_COMPARED: usize = 1000;
/// How far that looks.
const AHEAD: usize = 50;

/// A line of the hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Old(&'a str),
    New(&'a str),
}

/// The difference, with colours. Nothing when the lines are the same.
pub(crate) fn unified(path: &str, old: Option<&str>, new: &str) -> String {
    let before: Vec<&str> = old.unwrap_or_default().lines().collect();
    let after: Vec<&str> = new.lines().collect();
    let lines = compared(&before, &after);
    let hunks = hunks(&lines);
    let mut text = String::new();
    if hunks.is_empty() {
        return text;
    }
    let from = if old.is_some() { clean(path) } else { "/dev/null".to_owned() };
    let _ = writeln!(text, "{}", format_args!("--- {from}").bold());
    let _ = writeln!(text, "{}", format_args!("+++ {}", clean(path)).bold());
    for hunk in hunks {
        let counted =
            |lines: &[Line<'_>], skip: fn(&Line<'_>) -> bool| lines.iter().filter(|line| !skip(line)).count();
        let is_new = |line: &Line<'_>| matches!(line, Line::New(_));
        let is_old = |line: &Line<'_>| matches!(line, Line::Old(_));
        let ahead = lines.get(..hunk.start).unwrap_or_default();
        let inside = lines.get(hunk.clone()).unwrap_or_default();
        let (olds, news) = (counted(inside, is_new), counted(inside, is_old));
        let at = |first: usize, count: usize| if count == 0 { first } else { first + 1 };
        let (first_old, first_new) = (counted(ahead, is_new), counted(ahead, is_old));
        let head = format!("@@ -{},{olds} +{},{news} @@", at(first_old, olds), at(first_new, news));
        let _ = writeln!(text, "{}", head.cyan());
        for line in inside {
            let _ = match line {
                Line::Same(line) => writeln!(text, " {}", shown(line)),
                Line::Old(line) => writeln!(text, "{}", format_args!("-{}", shown(line)).red()),
                Line::New(line) => writeln!(text, "{}", format_args!("+{}", shown(line)).green()),
            };
        }
    }
    text
}

/// Where the changes are, each with the lines around it; changes close to each other are one.
fn hunks(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| !matches!(line, Line::Same(_))) {
        let around = at.saturating_sub(AROUND)..(at + 1 + AROUND).min(lines.len());
        match hunks.last_mut() {
            Some(last) if around.start <= last.end => last.end = around.end,
            _ => hunks.push(around),
        }
    }
    hunks
}

/// A line that cannot steer the terminal; tabs stay.
fn shown(line: &str) -> String {
    line.trim_end_matches('\r').split('\t').map(clean).collect::<Vec<_>>().join("\t")
}

/// Every line in order.
fn compared<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let shorter = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(old, new)| old == new).count();
    let (olds, news) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let mut lines: Vec<Line<'a>> = old[..start].iter().map(|line| Line::Same(line)).collect();
    match olds.len() > MOST_COMPARED || news.len() > MOST_COMPARED {
        true => lines.extend(look_ahead(olds, news)),
        false => lines.extend(compare(olds, news)),
    }
    lines.extend(old[old.len() - end..].iter().map(|line| Line::Same(line)));
    lines
}

/// Goes on at the nearest place where both texts agree again.
fn look_ahead<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
        if a == b {
            lines.push(Line::Same(a));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let steps = (1..=AHEAD).flat_map(|sum| (0..=sum).map(move |skipped| (skipped, sum - skipped)));
        let agree = |(olds, news): &(usize, usize)| {
            old.get(i + olds).is_some_and(|line| new.get(j + news) == Some(line))
        };
        let (olds, news) = steps.into_iter().find(agree).unwrap_or((1, 1));
        lines.extend(old[i..(i + olds).min(old.len())].iter().map(|line| Line::Old(line)));
        lines.extend(new[j..(j + news).min(new.len())].iter().map(|line| Line::New(line)));
        (i, j) = (i + olds, j + news);
    }
    lines.extend(old.get(i..).unwrap_or_default().iter().map(|line| Line::Old(line)));
    lines.extend(new.get(j..).unwrap_or_default().iter().map(|line| Line::New(line)));
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
    fn changes_far_apart_are_hunks_of_their_own() {
        let old: String = (0..3000).map(|number| format!("line {number}\n")).collect();
        let new = old.replace("line 10\n", "line ten\n").replace("line 2900\n", "line 2900\nmore\n");
        let text = unified("f", Some(&old), &new);
        let text = console::strip_ansi_codes(&text);
        let heads: Vec<&str> = text.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -8,7 +8,7 @@", "@@ -2899,6 +2899,7 @@"]);
        assert_eq!(text.lines().filter(|line| line.starts_with(['+', '-'])).count(), 5);
    }

    #[test]
    fn a_file_cannot_steer_the_terminal() {
        check(Some(""), "\ta\u{1b}[31m\r\n", "--- f\n+++ f\n@@ -0,0 +1,1 @@\n+\ta [31m\n");
    }
}
