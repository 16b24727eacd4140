//! The context line: what a passage is about, put in front of its text before it is embedded.
//!
//! A passage on its own ("Set it to 3.") says nothing about its subject. `Title > Heading > Heading` in
//! front of it was the largest single gain in search quality that we measured.

use crate::chunks::strip_part;
use crate::plain;

const SEPARATOR: &str = " > ";

/// `Title > Heading > Path` for a passage of a section with this breadcrumb. The title is not repeated
/// when the breadcrumb starts with it; without title and headings the path stands in.
pub fn context_line(title: &str, breadcrumb: &str, path: &str) -> String {
    let breadcrumb = strip_part(breadcrumb);
    let breadcrumb = if breadcrumb == "(root)" { "" } else { breadcrumb };
    let title = title.trim();
    let repeated = breadcrumb
        .strip_prefix(title)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(SEPARATOR) || rest.starts_with(" ["));
    match (title, breadcrumb) {
        ("", "") => path.to_owned(),
        (_, "") => title.to_owned(),
        ("", _) => breadcrumb.to_owned(),
        _ if repeated => breadcrumb.to_owned(),
        _ => format!("{title}{SEPARATOR}{breadcrumb}"),
    }
}

/// What is embedded for a passage: its context line, then its plain text.
pub fn passage_text(context: &str, raw: &str) -> String {
    let body = plain::plain(raw);
    let mut text = String::with_capacity(context.len() + 1 + body.len());
    text.push_str(context);
    text.push('\n');
    text.push_str(&body);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, breadcrumb: &str, expected: &str) {
        assert_eq!(context_line(title, breadcrumb, "guides/retries.md"), expected);
    }

    #[test]
    fn title_then_headings() {
        check("Pods", "Lifecycle > Phases", "Pods > Lifecycle > Phases");
    }

    #[test]
    fn the_title_is_not_repeated() {
        check("Retries", "Retries > Backoff", "Retries > Backoff");
        check("Retries", "Retries", "Retries");
        check("Retries", "Retries [2] > A", "Retries [2] > A");
        check("Ret", "Retries > Backoff", "Ret > Retries > Backoff");
    }

    #[test]
    fn root_and_parts_are_not_context() {
        check("Pods", "(root)", "Pods");
        check("Pods", "Phases [part 2/3]", "Pods > Phases");
        check("", "(root)", "guides/retries.md");
        check("", "A", "A");
    }

    #[test]
    fn passage_text_is_context_and_plain_text() {
        assert_eq!(passage_text("A > B", "Set **it** to [3](x)."), "A > B\nSet it to 3.");
    }
}
