//! What travels between the two processes: a line of JSON each way, with the bytes of the file or of the Markdown behind it.
//!
//! What comes from the child is as little trusted as the file that it read: every length is capped before it is believed.

use std::io::{self, BufRead, Read, Write};

use docent_convert::{Converted, Format, Origin};
use serde::{Deserialize, Serialize};

/// Longest request line: a name and a few numbers.
const MAX_REQUEST: u64 = 64 << 10;
/// Longest reply line: places and notes.
const MAX_REPLY: u64 = 8 << 20;
/// Longest title, in characters.
const MAX_TITLE: usize = 500;

/// What is to be converted, and within which limits.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) name: String,
    pub(super) length: usize,
    pub(super) memory_bytes: u64,
    pub(super) cpu_seconds: u64,
    pub(super) markdown_bytes: usize,
}

/// What came of it.
#[derive(Debug)]
pub(super) enum Reply {
    Converted(Converted),
    Failed { message: String, hint: String },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Head {
    Converted {
        length: usize,
        /// Short name and extension, which together name one format.
        format: (String, String),
        title: Option<String>,
        /// Line, page and label.
        origins: Vec<(u32, Option<u32>, Option<String>)>,
        notes: Vec<String>,
    },
    Failed {
        message: String,
        hint: String,
    },
}

impl Request {
    pub(super) fn write(&self, bytes: &[u8], out: &mut impl Write) -> io::Result<()> {
        write_line(self, out)?;
        out.write_all(bytes)?;
        out.flush()
    }

    pub(super) fn read(input: &mut impl BufRead) -> io::Result<Self> {
        read_line(input, MAX_REQUEST)
    }

    /// The bytes behind the line. A parent that died in the middle leaves fewer.
    pub(super) fn read_bytes(&self, input: &mut impl Read) -> io::Result<Vec<u8>> {
        exactly(input, self.length)
    }
}

impl Reply {
    pub(super) fn write(self, out: &mut impl Write) -> io::Result<()> {
        let (head, markdown) = match self {
            Self::Converted(converted) => {
                let origins = converted.origins.into_iter();
                let head = Head::Converted {
                    length: converted.markdown.len(),
                    format: (converted.format.name().to_owned(), converted.format.extension().to_owned()),
                    title: converted.title.map(|title| title.chars().take(MAX_TITLE).collect()),
                    origins: origins.map(|origin| (origin.line, origin.page, origin.label)).collect(),
                    notes: converted.notes,
                };
                (head, converted.markdown)
            }
            Self::Failed { message, hint } => (Head::Failed { message, hint }, String::new()),
        };
        write_line(&head, out)?;
        out.write_all(markdown.as_bytes())?;
        out.flush()
    }

    /// Reads a reply with at most so many bytes of Markdown.
    pub(super) fn read(input: &mut impl BufRead, most: usize) -> io::Result<Self> {
        let (length, format, title, origins, notes) = match read_line(input, MAX_REPLY)? {
            Head::Converted { length, format, title, origins, notes } => {
                (length, format, title, origins, notes)
            }
            Head::Failed { message, hint } => {
                return Ok(Self::Failed { message: one_line(&message), hint: one_line(&hint) });
            }
        };
        // The cut is made at a line, so that a few bytes more are no sign of anything.
        if length > most.saturating_add(1 << 10) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "too much Markdown"));
        }
        let unknown = || io::Error::new(io::ErrorKind::InvalidData, "an unknown format");
        let is_meant = |it: &Format| it.name() == format.0 && it.extension() == format.1;
        let format = Format::ALL.into_iter().find(is_meant).ok_or_else(unknown)?;
        let markdown = String::from_utf8(exactly(input, length)?).map_err(io::Error::other)?;
        let origin = |(line, page, label)| Origin { line, page, label };
        let origins = origins.into_iter().map(origin).collect();
        let notes = notes.iter().map(|note| one_line(note)).collect();
        Ok(Self::Converted(Converted { markdown, title, origins, format, notes }))
    }
}

fn write_line(value: &impl Serialize, out: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn read_line<T: for<'de> Deserialize<'de>>(input: &mut impl BufRead, most: u64) -> io::Result<T> {
    let mut line = Vec::new();
    input.take(most).read_until(b'\n', &mut line)?;
    if line.last() != Some(&b'\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&line)?)
}

fn exactly(input: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    input.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes)
}

/// One line without control characters, of a length that fits into a message.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(reply: Reply, most: usize) -> io::Result<Reply> {
        let mut bytes = Vec::new();
        reply.write(&mut bytes).unwrap();
        Reply::read(&mut bytes.as_slice(), most)
    }

    fn converted(markdown: &str) -> Converted {
        Converted {
            markdown: markdown.to_owned(),
            title: Some("T".to_owned()),
            origins: vec![Origin { line: 1, page: Some(3), label: None }],
            format: Format::Pdf,
            notes: vec!["two\nlines".to_owned()],
        }
    }

    #[test]
    fn a_conversion_arrives_as_it_was_sent() {
        let Ok(Reply::Converted(got)) = there_and_back(Reply::Converted(converted("# Ä\n\nb\n")), 1 << 20)
        else {
            panic!("no conversion");
        };
        assert_eq!(Converted { notes: vec!["two lines".to_owned()], ..converted("# Ä\n\nb\n") }, got);
    }

    #[test]
    fn every_format_has_a_name_of_its_own() {
        let mut names: Vec<_> =
            Format::ALL.into_iter().map(|format| (format.name(), format.extension())).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), Format::ALL.len());
    }

    #[test]
    fn more_than_was_allowed_is_not_read() {
        assert!(there_and_back(Reply::Converted(converted(&"a".repeat(5000))), 10).is_err());
    }

    #[test]
    fn what_is_no_reply_is_an_error() {
        for bytes in [&b""[..], b"{}", b"{}\n", b"\xff\n", b"{\"converted\":{\"length\":5,\"format\":[\"pdf\",\"pdf\"],\"title\":null,\"origins\":[],\"notes\":[]}}\nabc"] {
            assert!(Reply::read(&mut &*bytes, 100).is_err(), "{bytes:?}");
        }
    }
}
