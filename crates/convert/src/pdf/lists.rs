//! The marks of list items.

/// What stands in front of a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    /// As it is written in Markdown: `-` or `3.`.
    pub(super) markdown: String,
    /// How many characters of the line it takes, its spaces included.
    pub(super) length: usize,
}

/// The marker that a text starts with.
pub(super) fn marker(text: &str) -> Option<Marker> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let rest = chars.as_str();
    let spaces = rest.len() - rest.trim_start().len();
    if is_bullet(first) && (spaces > 0 || rest.is_empty() || is_sure_bullet(first)) {
        return Some(Marker { markdown: "-".to_owned(), length: 1 + spaces });
    }
    if matches!(first, '-' | '–' | '*') && spaces > 0 && !rest.trim().is_empty() {
        return Some(Marker { markdown: "-".to_owned(), length: 1 + spaces });
    }
    let open = usize::from(first == '(');
    let label: String = text.chars().skip(open).take_while(char::is_ascii_alphanumeric).collect();
    let after = text.get(open + label.len()..)?;
    let closer = after.chars().next()?;
    let is_number = label.len() <= 3 && !label.is_empty() && label.chars().all(|char| char.is_ascii_digit());
    let is_letter = label.len() == 1 && (open == 1 || closer == ')');
    let closes = closer == ')' || (closer == '.' && open == 0);
    let body = after.get(1..)?;
    let spaces = body.len() - body.trim_start().len();
    if !(closes && (is_number || is_letter) && (spaces > 0 || body.is_empty())) {
        return None;
    }
    let markdown =
        if is_number { format!("{}.", label.trim_start_matches('0')) } else { format!("- {label})") };
    let markdown = if markdown == "." { "0.".to_owned() } else { markdown };
    Some(Marker { markdown, length: open + label.len() + 1 + spaces })
}

/// Whether a character is drawn in front of list items.
pub(super) fn is_bullet(char: char) -> bool {
    is_sure_bullet(char) || matches!(char, '·' | '○' | '□' | '■' | '◆' | '✓' | '✔')
}

fn is_sure_bullet(char: char) -> bool {
    matches!(char, '•' | '◦' | '▪' | '‣' | '●' | '➢' | '∙' | '⁃')
}

#[cfg(test)]
mod tests {
    use super::marker;

    fn check(text: &str, expected: Option<(&str, usize)>) {
        let found = marker(text);
        assert_eq!(found.as_ref().map(|m| (m.markdown.as_str(), m.length)), expected, "{text}");
    }

    #[test]
    fn markers_are_told_from_text() {
        check("• one", Some(("-", 2)));
        check("•one", Some(("-", 1)));
        check("– one", Some(("-", 2)));
        check("12. one", Some(("12.", 4)));
        check("(3) one", Some(("3.", 4)));
        check("(a) one", Some(("- a)", 4)));
        check("-one", None);
        check("1.5 metres", None);
        check("2019. It", None);
        check("A. Smith", None);
        check("word", None);
    }
}
