//! The macros of man(7).

use super::control::split_arguments;
use super::roff::Page;
use super::spans::{Span, Style, escape, markdown, plain};

/// What a page is in the middle of.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The next line is the term of an item; whether it is one more of the same item.
    tag: Option<bool>,
    /// `.PD 0`: items stand close to each other.
    is_close: bool,
    /// The next line is the text of this heading.
    heading: Option<usize>,
    /// The font that the next line of text is in: `.B` without words.
    next_font: Option<Style>,
    /// Address of a link, and where its text began.
    link: Option<(String, Vec<Span>)>,
}

impl Page {
    /// Does what a macro says; false for one that is not known.
    pub(super) fn man_macro(&mut self, name: &str, rest: &str) -> bool {
        match name {
            "TH" => {}
            "SH" | "SS" => self.heading_macro(if name == "SH" { 2 } else { 3 }, rest),
            "PP" | "LP" | "P" | "HP" => {
                self.reset_font();
                self.out.paragraph();
            }
            "TP" => {
                self.reset_font();
                self.state.tag = Some(self.state.is_close && self.state.tag.is_some());
            }
            "TQ" => self.state.tag = Some(true),
            "IP" => {
                self.reset_font();
                self.indented(rest);
            }
            "RS" => {
                self.reset_font();
                self.out.indent_more();
            }
            "RE" => {
                self.reset_font();
                self.out.indent_less();
            }
            "nf" | "EX" | "Vb" | "Ex" => self.out.begin_code(),
            "fi" | "EE" | "Ve" | "Ee" => {
                self.out.end_code();
                self.reset_font();
            }
            "B" | "SB" => self.in_font(Style::Bold, rest),
            "I" => self.in_font(Style::Italic, rest),
            "R" | "SM" => self.in_font(Style::Roman, rest),
            "CW" => self.in_font(Style::Roman, rest),
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => self.alternating(name, rest),
            "MR" => {
                let arguments = split_arguments(rest);
                let part = |at: usize| arguments.get(at).map_or("", String::as_str);
                let (page, section, after) = (part(0), part(1), part(2));
                self.alternating("BR", &format!("\"{page}\" \"({section}){after}\""));
            }
            "UR" | "MT" => {
                let address = self.expand_plain(rest.trim());
                self.state.link = Some((address, Vec::new()));
            }
            "UE" | "ME" => self.end_link(rest),
            "SY" => {
                self.out.line_break();
                self.in_font(Style::Bold, rest);
            }
            "OP" => {
                let arguments = split_arguments(rest);
                let mut spans = vec![Span::new(Style::Roman, "[")];
                for (at, argument) in arguments.iter().enumerate() {
                    let style = if at == 0 { Style::Bold } else { Style::Italic };
                    let text = self.expand_plain(argument);
                    spans.push(Span::new(Style::Roman, if at == 0 { "" } else { " " }));
                    spans.push(Span::new(style, text));
                }
                spans.push(Span::new(Style::Roman, "]"));
                self.inline(spans, false);
            }
            "YS" | "Sp" => self.out.end_paragraph(),
            "br" => self.out.line_break(),
            "sp" => {
                if !rest.trim_start().starts_with('-') {
                    self.out.end_paragraph();
                }
            }
            "PD" => self.state.is_close = rest.trim().starts_with('0'),
            "TS" => self.table(),
            "EQ" => self.skip_to("EN"),
            "PS" => self.skip_to("PE"),
            _ => return false,
        }
        true
    }

    /// A line that is not a macro.
    pub(super) fn text_line(&mut self, line: &str) {
        if line.starts_with([' ', '\t']) && !self.out.is_code() {
            self.out.line_break();
        }
        let next_font = self.state.next_font.take();
        let fonts = (self.font, self.previous_font);
        self.font = next_font.unwrap_or(self.font);
        let line = self.expand(line);
        if next_font.is_some() {
            (self.font, self.previous_font) = fonts;
        }
        self.inline(line.spans, line.is_continued);
    }

    pub(super) fn empty_line(&mut self) {
        if self.state.tag.is_none() {
            self.out.end_paragraph();
        }
    }

    /// Text goes where the state of the page says: into a term, a heading, a link or the paragraph.
    pub(super) fn inline(&mut self, spans: Vec<Span>, is_continued: bool) {
        if let Some(level) = self.state.heading.take() {
            self.push_heading(level, &spans);
        } else if let Some(is_same) = self.state.tag.take() {
            match is_same {
                true => self.out.same_term(&spans),
                false => self.tagged(&spans),
            }
        } else if let Some((_, text)) = &mut self.state.link {
            if !text.is_empty() {
                text.push(Span::new(Style::Roman, " "));
            }
            text.extend(spans);
        } else {
            self.out.text(spans, is_continued);
        }
    }

    pub(super) fn finish_blocks(&mut self) {
        if self.state.link.is_some() {
            self.end_link("");
        }
    }

    pub(super) fn reset_font(&mut self) {
        (self.font, self.previous_font) = (Style::Roman, Style::Roman);
    }

    fn heading_macro(&mut self, level: usize, rest: &str) {
        self.reset_font();
        self.state.tag = None;
        self.finish_blocks();
        if rest.trim().is_empty() {
            self.state.heading = Some(level);
            return;
        }
        let mut spans = Vec::new();
        for (at, argument) in split_arguments(rest).iter().enumerate() {
            if at > 0 {
                spans.push(Span::new(Style::Roman, " "));
            }
            spans.extend(self.expand(argument).spans);
        }
        self.reset_font();
        self.push_heading(level, &spans);
    }

    pub(super) fn push_heading(&mut self, level: usize, spans: &[Span]) {
        let text = plain(spans).split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.heading(level, &escape(&calm(&text)));
    }

    /// `.IP tag`: an item, a bullet, or a paragraph that goes on with one.
    fn indented(&mut self, rest: &str) {
        let arguments = split_arguments(rest);
        let tag = arguments.first().map(|tag| self.expand(tag).spans).unwrap_or_default();
        self.reset_font();
        if plain(&tag).trim().is_empty() {
            self.out.end_paragraph();
        } else {
            self.tagged(&tag);
        }
    }

    /// An item with a term, or with what only marks it.
    fn tagged(&mut self, tag: &[Span]) {
        let text = plain(tag);
        let text = text.trim();
        let is_number = |text: &str| {
            let digits = text.trim_start_matches('(').trim_end_matches(['.', ')', ':']);
            !digits.is_empty() && digits.len() < 4 && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        match text {
            "•" | "*" | "o" | "-" | "·" | "+" | "—" | "–" | "□" | "○" => self.out.item("-"),
            number if is_number(number) => {
                let digits: String = number.chars().filter(char::is_ascii_digit).collect();
                self.out.item(&format!("{digits}."));
            }
            _ => self.out.term(tag),
        }
    }

    /// `.B words`: in a font of their own; without words the next line is.
    pub(super) fn in_font(&mut self, style: Style, rest: &str) {
        let (font, previous) = (self.font, self.previous_font);
        self.font = style;
        let arguments = split_arguments(rest);
        if arguments.is_empty() {
            self.state.next_font = Some(style);
        } else {
            let line = self.expand(&arguments.join(" "));
            self.inline(line.spans, line.is_continued);
        }
        (self.font, self.previous_font) = (font, previous);
    }

    /// `.BR a b c`: fonts change with each word, and no space stands between.
    fn alternating(&mut self, name: &str, rest: &str) {
        let style = |letter: u8| match letter {
            b'B' => Style::Bold,
            b'I' => Style::Italic,
            _ => Style::Roman,
        };
        let styles: Vec<Style> = name.bytes().map(style).collect();
        let font = self.font;
        let mut spans = Vec::new();
        let mut is_continued = false;
        for (argument, style) in split_arguments(rest).iter().zip(styles.iter().cycle()) {
            self.font = *style;
            let line = self.expand(argument);
            is_continued = line.is_continued;
            spans.extend(line.spans);
        }
        self.font = font;
        self.inline(spans, is_continued);
    }

    fn end_link(&mut self, rest: &str) {
        let Some((address, text)) = self.state.link.take() else { return };
        let shown = markdown(&text);
        let is_mail = address.contains('@') && !address.contains(':');
        let target = if is_mail { format!("mailto:{address}") } else { address.clone() };
        let is_plain = !address.contains([' ', '<', '>', '(', ')']) && !address.is_empty();
        let link = match (shown.is_empty(), is_plain) {
            (true, true) => format!("<{address}>"),
            (true, false) => escape(&address),
            (false, true) => format!("[{shown}]({target})"),
            (false, false) => format!("{shown} {}", escape(&address)),
        };
        let after = self.expand_plain(rest.trim());
        let text = if self.out.is_code() { format!("{} <{address}>", plain(&text)) } else { link };
        self.inline(vec![Span::new(Style::Raw, format!("{text}{after}"))], false);
    }

    fn skip_to(&mut self, end: &str) {
        while let Some(line) = self.next_line() {
            if super::control::control(&line).is_some_and(|(name, _)| name == end) {
                break;
            }
        }
    }
}

/// `SEE ALSO` becomes `See also`; what is not all capitals stays, and so do words that are no words.
fn calm(text: &str) -> String {
    if text.chars().any(char::is_lowercase) {
        return text.to_owned();
    }
    let is_word = |word: &str| {
        word.chars().all(|char| char.is_alphabetic() || matches!(char, '(' | ')' | ',' | '\'' | '/'))
    };
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let calm = match (is_word(word), words.is_empty()) {
            (false, _) => word.to_owned(),
            (true, false) => word.to_lowercase(),
            (true, true) => {
                let mut chars = word.chars();
                chars.next().into_iter().chain(chars.as_str().to_lowercase().chars()).collect()
            }
        };
        words.push(calm);
    }
    words.join(" ")
}
