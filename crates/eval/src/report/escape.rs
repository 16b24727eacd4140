//! The one door for foreign text into the page.

/// Text for element content and double-quoted attributes. Control and direction characters go: they could make a query look
/// like another.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            letter if letter.is_whitespace() => out.push(' '),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            letter if letter.is_control() => {}
            letter => out.push(letter),
        }
    }
    out
}

/// A share of 1 as a percentage of a width, with what rounding needs.
pub(super) fn percent(share: f64) -> String {
    format!("{:.2}", (share.clamp(0.0, 1.0)) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_foreign_is_markup() {
        assert_eq!(
            escape("<b a='1' c=\"2\">&`\u{202e}\u{0}\n"),
            "&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;&#96; "
        );
    }

    #[test]
    fn shares_stay_inside_the_plot() {
        assert_eq!([percent(-1.0), percent(0.5), percent(9.0)], ["0.00", "50.00", "100.00"]);
    }
}
