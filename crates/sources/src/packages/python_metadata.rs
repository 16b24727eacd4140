//! What a Python package says about itself: METADATA or PKG-INFO, which look like the header of a mail.

use std::path::Path;

use super::files::{forgiving_text, read_bytes};

/// The fields that we show.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) description: Option<Description>,
}

/// The long description, in its language.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Description {
    Markdown(String),
    Rst(String),
    Plain(String),
}

impl Metadata {
    /// Reads what is in the folder of a package; nothing is needed.
    pub(super) fn read(folder: &Path) -> Metadata {
        let files = [folder.join("METADATA"), folder.join("PKG-INFO"), folder.to_owned()];
        files
            .iter()
            .find_map(|file| read_bytes(file).and_then(|bytes| forgiving_text(&bytes)).ok())
            .map(|text| Metadata::parse(&text))
            .unwrap_or_default()
    }

    pub(super) fn parse(text: &str) -> Metadata {
        let text = text.replace("\r\n", "\n");
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let mut metadata = Metadata::default();
        let mut content_type = String::new();
        let mut description = body.to_owned();
        for field in unfolded(head) {
            let Some((key, value)) = field.split_once(':') else { continue };
            let value = value.trim().to_owned();
            match key.to_ascii_lowercase().as_str() {
                "name" => metadata.name = Some(value),
                "version" => metadata.version = Some(value),
                "summary" if value != "UNKNOWN" => {
                    metadata.summary = Some(value).filter(|value| !value.is_empty())
                }
                "description-content-type" => content_type = value.to_ascii_lowercase(),
                "description" if description.trim().is_empty() => description = value,
                _ => {}
            }
        }
        if !description.trim().is_empty() && description.trim() != "UNKNOWN" {
            let kind = content_type.split(';').next().unwrap_or_default().trim();
            metadata.description = Some(match kind {
                "text/markdown" => Description::Markdown(description),
                "text/plain" => Description::Plain(description),
                // What says nothing is taken for reStructuredText by the index too.
                _ => Description::Rst(description),
            });
        }
        metadata
    }
}

/// Fields with the lines that go on with them; the eight columns before such a line do not count.
fn unfolded(head: &str) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for line in head.lines() {
        match (line.starts_with([' ', '\t']), fields.last_mut()) {
            (true, Some(field)) => {
                field.push('\n');
                let inner = line.strip_prefix("        ").or_else(|| line.strip_prefix("       |"));
                field.push_str(inner.unwrap_or(line));
            }
            _ => fields.push(line.to_owned()),
        }
    }
    fields
}
