//! Macros of mdoc(7) inside of a line: each may stand behind another, and most end where the next one begins.

use super::control::split_arguments;
use super::roff::Page;
use super::spans::{Span, Style};

/// Enclosures that end with the line, and what they put around it.
const AROUND: &[(&str, &str, &str)] = &[
    ("Op", "[", "]"),
    ("Bq", "[", "]"),
    ("Pq", "(", ")"),
    ("Dq", "“", "”"),
    ("Sq", "‘", "’"),
    ("Ql", "‘", "’"),
    ("Qq", "\"", "\""),
    ("Brq", "{", "}"),
    ("Aq", "<", ">"),
];

/// Enclosures that have a macro at their end.
const PAIRS: &[(&str, &str, &str, &str)] = &[
    ("Oo", "Oc", "[", "]"),
    ("Bo", "Bc", "[", "]"),
    ("Po", "Pc", "(", ")"),
    ("Do", "Dc", "“", "”"),
    ("So", "Sc", "‘", "’"),
    ("Qo", "Qc", "\"", "\""),
    ("Bro", "Brc", "{", "}"),
    ("Ao", "Ac", "<", ">"),
    ("Xo", "Xc", "", ""),
    ("Eo", "Ec", "", ""),
];

/// Macros that set their words in a font.
const FONTS: &[(&str, Style)] = &[
    ("Cm", Style::Bold),
    ("Ic", Style::Bold),
    ("Sy", Style::Bold),
    ("Ms", Style::Bold),
    ("Fd", Style::Bold),
    ("Cd", Style::Bold),
    ("Em", Style::Italic),
    ("Pa", Style::Italic),
    ("Va", Style::Italic),
    ("Vt", Style::Italic),
    ("Ft", Style::Italic),
    ("Fa", Style::Italic),
    ("Ad", Style::Italic),
    ("Sx", Style::Italic),
    ("Li", Style::Code),
    ("Ev", Style::Code),
    ("Dv", Style::Code),
    ("Er", Style::Code),
    ("No", Style::Roman),
    ("Tn", Style::Roman),
    ("An", Style::Roman),
    ("Tg", Style::Roman),
    ("Mt", Style::Roman),
    ("Lb", Style::Roman),
];

const SYSTEMS: &[(&str, &str)] = &[
    ("Ux", "UNIX"),
    ("Bx", "BSD"),
    ("Bsx", "BSD/OS"),
    ("Fx", "FreeBSD"),
    ("Nx", "NetBSD"),
    ("Ox", "OpenBSD"),
    ("Dx", "DragonFly"),
    ("At", "AT&T UNIX"),
];

const OTHERS: &[&str] = &[
    "Nm", "Fl", "Ar", "Xr", "Fn", "Fo", "Fc", "In", "Lk", "Ns", "Ap", "Pf", "Sm", "St", "Ex", "Rv", "Nd",
    "En", "Es", "Bt", "Ud", "Bf", "Ef",
];

fn is_macro(word: &str) -> bool {
    AROUND.iter().any(|(name, ..)| *name == word)
        || PAIRS.iter().any(|(open, close, ..)| *open == word || *close == word)
        || FONTS.iter().any(|(name, _)| *name == word)
        || SYSTEMS.iter().any(|(name, _)| *name == word)
        || OTHERS.contains(&word)
}

fn is_closing(word: &str) -> bool {
    matches!(word, "." | "," | ":" | ";" | ")" | "]" | "?" | "!")
}

impl Page {
    /// A line that begins with such a macro; false for a macro that is not known.
    pub(super) fn mdoc_inline_macro(&mut self, name: &str, rest: &str) -> bool {
        if !is_macro(name) {
            return false;
        }
        let is_synopsis = self.mdoc.as_ref().is_some_and(|mdoc| mdoc.is_synopsis);
        if is_synopsis && matches!(name, "Nm" | "Ft" | "Fn" | "Fd" | "In" | "Vt" | "Fo") {
            self.out.line_break();
        }
        let mut words = vec![name.to_owned()];
        words.extend(split_arguments(rest));
        let spans = self.mdoc_spans(&words);
        if !spans.is_empty() {
            self.inline(spans, false);
        }
        true
    }

    /// Resolves the macros of a line.
    pub(super) fn mdoc_spans(&mut self, words: &[String]) -> Vec<Span> {
        let mut line = Words { spans: Vec::new(), is_joined: true, closers: Vec::new() };
        let is_tight = |page: &Page| page.mdoc.as_ref().is_some_and(|mdoc| mdoc.is_tight);
        // Punctuation at the end stands behind whatever the line encloses.
        let last = words.iter().rposition(|word| !is_closing(word)).map_or(0, |last| last + 1);
        let (words, behind) = words.split_at(last.max(1).min(words.len()));
        let mut at = 0;
        while let Some(word) = words.get(at) {
            at += 1;
            let tight = is_tight(self);
            line.is_joined |= tight;
            if !is_macro(word) {
                let text = self.expand(word).spans;
                line.push_word(word, text);
                continue;
            }
            let end =
                words.iter().skip(at).position(|word| is_macro(word)).map_or(words.len(), |found| at + found);
            let arguments = words.get(at..end).unwrap_or_default();
            at += self.mdoc_word(word, arguments, &mut line);
        }
        for closer in line.closers.drain(..).rev().collect::<Vec<_>>() {
            line.close(closer);
        }
        for word in behind {
            line.push_word(word, vec![Span::new(Style::Roman, word.as_str())]);
        }
        line.spans
    }

    /// One macro with the words up to the next one; returns how many of them it took.
    fn mdoc_word(&mut self, name: &str, arguments: &[String], line: &mut Words) -> usize {
        if let Some(&(_, open, close)) = AROUND.iter().find(|(known, ..)| *known == name) {
            line.open(open);
            line.closers.push(close);
            return 0;
        }
        for &(opener, closer, open, close) in PAIRS {
            if opener == name {
                line.open(open);
                return 0;
            }
            if closer == name {
                line.close(close);
                return 0;
            }
        }
        if let Some(&(_, style)) = FONTS.iter().find(|(known, _)| *known == name) {
            self.push_styled(arguments, style, "", line);
            return arguments.len();
        }
        if let Some(&(_, system)) = SYSTEMS.iter().find(|(known, _)| *known == name) {
            line.push(Span::new(Style::Roman, system));
            return 0;
        }
        self.other_word(name, arguments, line)
    }

    fn other_word(&mut self, name: &str, arguments: &[String], line: &mut Words) -> usize {
        let first = arguments.first().map(|word| self.expand_plain(word));
        let part = |at: usize| arguments.get(at).map_or("", String::as_str);
        match name {
            "Nm" => {
                let given = first.filter(|word| !is_closing(word));
                let known = self.mdoc.as_ref().map(|mdoc| mdoc.name.clone()).unwrap_or_default();
                if let (Some(given), Some(mdoc)) = (&given, &mut self.mdoc)
                    && mdoc.name.is_empty()
                {
                    mdoc.name.clone_from(given);
                }
                let taken = usize::from(given.is_some());
                line.push(Span::new(Style::Bold, given.unwrap_or(known)));
                return taken;
            }
            "Fl" => {
                if arguments.first().is_none_or(|word| is_closing(word)) {
                    line.push(Span::new(Style::Bold, "-"));
                    // `Fl Fl long` and `Fl Ns Ar x` are one word.
                    line.is_joined = arguments.is_empty();
                    return 0;
                }
                self.push_styled(arguments, Style::Bold, "-", line);
            }
            "Ar" => {
                if arguments.first().is_none_or(|word| is_closing(word)) {
                    line.push(Span::new(Style::Italic, "file ..."));
                    return 0;
                }
                self.push_styled(arguments, Style::Italic, "", line);
            }
            "Xr" => {
                line.push(Span::new(Style::Bold, first.unwrap_or_default()));
                if let Some(section) = arguments.get(1).filter(|word| !is_closing(word)) {
                    line.join(Span::new(Style::Roman, format!("({section})")));
                    return 2;
                }
                return arguments.len().min(1);
            }
            "Fn" => {
                line.push(Span::new(Style::Bold, first.unwrap_or_default()));
                let mut taken = 1;
                let mut inside = Vec::new();
                for argument in arguments.iter().skip(1).take_while(|word| !is_closing(word)) {
                    inside.push(self.expand_plain(argument));
                    taken += 1;
                }
                line.join(Span::new(Style::Roman, format!("({})", inside.join(", "))));
                return taken.min(arguments.len());
            }
            "Fo" => {
                line.push(Span::new(Style::Bold, first.unwrap_or_default()));
                line.join(Span::new(Style::Roman, "("));
                line.is_joined = true;
                return arguments.len().min(1);
            }
            "Fc" => {
                line.close(")");
                return 0;
            }
            "In" => {
                line.push(Span::new(Style::Code, format!("#include <{}>", first.unwrap_or_default())));
                return arguments.len().min(1);
            }
            "Lk" => {
                let address = part(0).to_owned();
                let text = arguments.get(1..).unwrap_or_default().join(" ");
                let is_plain = !address.contains(['<', '>', '(', ')', ' ']);
                let link = match (is_plain, text.is_empty()) {
                    (true, true) => format!("<{address}>"),
                    (true, false) => format!("[{}]({address})", super::spans::escape(&text)),
                    _ => super::spans::escape(&format!("{text} {address}")),
                };
                line.push(Span::new(Style::Raw, link));
            }
            "Ns" => {
                line.is_joined = true;
                return 0;
            }
            "Ap" => {
                line.join(Span::new(Style::Roman, "'"));
                line.is_joined = true;
                return 0;
            }
            "Pf" => {
                let prefix = first.unwrap_or_default();
                line.push(Span::new(Style::Roman, prefix));
                line.is_joined = true;
                return arguments.len().min(1);
            }
            "Sm" => {
                if let Some(mdoc) = &mut self.mdoc {
                    mdoc.is_tight = part(0) == "off" || (part(0).is_empty() && !mdoc.is_tight);
                }
                line.is_joined = false;
                return arguments.len().min(1);
            }
            "St" => line.push(Span::new(Style::Roman, part(0).trim_start_matches('-').to_owned())),
            "Ex" => {
                let name = self.mdoc.as_ref().map(|mdoc| mdoc.name.clone()).unwrap_or_default();
                let text = format!("The {name} utility exits 0 on success, and >0 if an error occurs.");
                line.push(Span::new(Style::Roman, text));
            }
            "Rv" => {
                let text = "The function returns 0 on success; otherwise -1, and errno is set.";
                line.push(Span::new(Style::Roman, text));
            }
            _ => {}
        }
        arguments.len()
    }

    /// Words in a font, each behind a prefix; punctuation stays as it is.
    fn push_styled(&mut self, arguments: &[String], style: Style, prefix: &str, line: &mut Words) {
        for word in arguments {
            if is_closing(word) || matches!(word.as_str(), "|" | "(" | "[") {
                let text = vec![Span::new(Style::Roman, word.clone())];
                line.push_word(word, text);
                continue;
            }
            let text = self.expand_plain(word);
            line.push(Span::new(style, format!("{prefix}{text}")));
        }
    }
}

/// Words of a line while it is put together.
struct Words {
    spans: Vec<Span>,
    /// No space before the next word.
    is_joined: bool,
    /// What is to be closed at the end of the line.
    closers: Vec<&'static str>,
}

impl Words {
    fn space(&mut self) {
        if !self.is_joined && !self.spans.is_empty() {
            self.spans.push(Span::new(Style::Roman, " "));
        }
        self.is_joined = false;
    }

    fn push(&mut self, span: Span) {
        self.space();
        self.spans.push(span);
    }

    fn join(&mut self, span: Span) {
        self.spans.push(span);
        self.is_joined = false;
    }

    fn open(&mut self, mark: &'static str) {
        if !mark.is_empty() {
            self.push(Span::new(Style::Roman, mark));
            self.is_joined = true;
        }
    }

    fn close(&mut self, mark: &'static str) {
        if !mark.is_empty() {
            self.join(Span::new(Style::Roman, mark));
        }
    }

    /// A word that is not of a macro: punctuation clings to its neighbour.
    fn push_word(&mut self, word: &str, spans: Vec<Span>) {
        if !is_closing(word) {
            self.space();
        }
        self.is_joined = matches!(word, "(" | "[");
        self.spans.extend(spans);
    }
}
