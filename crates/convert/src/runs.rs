//! Runs of formatted text, as word processors store them, become marks inside of a line.
//!
//! Word processors cut text into runs wherever they like, so equal neighbours are joined before marks are set.

use crate::markdown::{code_span, escape};

/// How a run looks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) bold: bool,
    pub(crate) italic: bool,
    pub(crate) strike: bool,
    pub(crate) code: bool,
    /// Where it leads to.
    pub(crate) link: Option<String>,
}

/// A piece of text that looks the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) look: Look,
    /// Markdown already, such as a footnote mark.
    pub(crate) is_raw: bool,
}

/// The runs of a paragraph.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs(Vec<Run>);

impl Runs {
    /// Adds text, to the last run when it looks the same.
    pub(crate) fn push(&mut self, text: &str, look: &Look) {
        match self.0.last_mut() {
            Some(last) if last.look == *look && !last.is_raw => last.text.push_str(text),
            _ => self.0.push(Run { text: text.to_owned(), look: look.clone(), is_raw: false }),
        }
    }

    /// Adds Markdown.
    pub(crate) fn push_raw(&mut self, markdown: String) {
        self.0.push(Run { text: markdown, look: Look::default(), is_raw: true });
    }

    /// The bare text.
    pub(crate) fn plain(&self) -> String {
        self.0.iter().filter(|run| !run.is_raw).map(|run| run.text.as_str()).collect()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.0.iter().all(|run| run.text.trim().is_empty())
    }

    /// Whether all text is code.
    pub(crate) fn is_code(&self) -> bool {
        let mut written = self.0.iter().filter(|run| !run.text.trim().is_empty()).peekable();
        written.peek().is_some() && written.all(|run| run.look.code)
    }

    /// The paragraph with its marks.
    pub(crate) fn markdown(&self) -> String {
        self.render(true)
    }

    /// The same for a heading, where bold says nothing.
    pub(crate) fn heading(&self) -> String {
        self.render(false)
    }

    fn render(&self, with_bold: bool) -> String {
        let mut out = String::new();
        let mut at = 0;
        while let Some(run) = self.0.get(at) {
            // Runs of one link stand in one pair of brackets.
            let Some(link) = run.look.link.as_ref().filter(|_| !run.is_raw) else {
                push_marked(&mut out, run, with_bold);
                at += 1;
                continue;
            };
            let mut text = String::new();
            while let Some(part) = self.0.get(at).filter(|part| part.look.link.as_ref() == Some(link)) {
                push_marked(&mut text, part, with_bold);
                at += 1;
            }
            let target = link.replace(' ', "%20").replace('(', "%28").replace(')', "%29");
            let shown = text.trim();
            if shown.is_empty() {
                continue;
            }
            if text.starts_with(' ') {
                out.push(' ');
            }
            out.push_str(&format!("[{}]({target})", shown.replace('\n', " ")));
            if text.ends_with(' ') {
                out.push(' ');
            }
        }
        let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }
}

fn push_marked(out: &mut String, run: &Run, with_bold: bool) {
    if run.is_raw {
        out.push_str(&run.text);
        return;
    }
    let (look, text) = (&run.look, run.text.as_str());
    let inside = text.trim();
    if inside.is_empty() || inside.contains('\n') {
        out.push_str(&escape(text));
        return;
    }
    let lead = text.len() - text.trim_start().len();
    out.push_str(text.get(..lead).unwrap_or_default());
    if look.code {
        out.push_str(&code_span(inside));
    } else {
        let mut marks = String::new();
        for (is_set, mark) in [(look.strike, "~~"), (look.bold && with_bold, "**"), (look.italic, "*")] {
            if is_set {
                marks.push_str(mark);
            }
        }
        out.push_str(&marks);
        out.push_str(&escape(inside));
        out.extend(marks.chars().rev());
    }
    out.push_str(text.get(lead + inside.len()..).unwrap_or_default());
}

/// How far items are indented below others, from the width of the marks above them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Indents(Vec<usize>);

impl Indents {
    /// An item of a level, counted from 0, with its mark: `- ` or `12. `.
    pub(crate) fn item(&mut self, level: usize, mark: &str, text: &str) -> String {
        let level = level.min(self.0.len()).min(8);
        self.0.truncate(level);
        let indent = " ".repeat(self.0.iter().sum());
        self.0.push(mark.len());
        let next = format!("{indent}{}", " ".repeat(mark.len()));
        crate::markdown::indented(text, &format!("{indent}{mark}"), &next)
    }

    /// The space before what belongs to the last item.
    pub(crate) fn inside(&self) -> String {
        " ".repeat(self.0.iter().sum())
    }

    /// The list has ended.
    pub(crate) fn end(&mut self) {
        self.0.clear();
    }
}
