//! What the values of a chart of Helm are (`values.yaml`), by their whole keys.
//!
//! Read line by line: a file with templates or mistakes in it still has its keys, and every key has its line.

use serde::{Deserialize, Serialize};

use super::Facts;

/// Above this a file is data.
const MAX_BYTES: usize = 512 << 10;
const MAX_DEPTH: usize = 32;

/// The values of one chart.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chart {
    /// Whole key, its plain value when it has one, and the line; sorted.
    #[serde(rename = "v")]
    values: Vec<(String, Option<String>, u32)>,
}

impl Chart {
    /// A key with its plain value and its line: `image.tag`.
    pub(crate) fn key(&self, name: &str) -> Option<(Option<&str>, u32)> {
        let at = self.values.binary_search_by(|(key, ..)| key.as_str().cmp(name)).ok()?;
        self.values.get(at).map(|(_, value, line)| (value.as_deref(), *line))
    }
}

impl Facts for Chart {
    const NAME: &'static str = "chart";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        matches!(path.rsplit('/').next(), Some("values.yaml" | "values.yml"))
    }

    fn read(_path: &str, bytes: &[u8]) -> Self {
        if bytes.len() > MAX_BYTES {
            return Self::default();
        }
        let text = String::from_utf8_lossy(bytes);
        let mut values = Vec::new();
        // Keys around a line with their indents; what is in a list has no key that anybody would write.
        let mut around: Vec<(usize, Option<String>)> = Vec::new();
        let mut text_in: Option<usize> = None;
        for (number, line) in (1u32..).zip(text.lines()) {
            let rest = line.trim_start_matches(' ');
            let indent = line.len() - rest.len();
            if rest.trim().is_empty() || rest.starts_with('#') || text_in.is_some_and(|end| indent > end) {
                continue;
            }
            text_in = None;
            while around.last().is_some_and(|(last, _)| *last >= indent) {
                around.pop();
            }
            let pair = pair(rest);
            if rest.starts_with('-') || around.len() >= MAX_DEPTH {
                around.push((indent, None));
                continue;
            }
            let Some((key, value)) = pair else { continue };
            if value.starts_with(['|', '>']) {
                text_in = Some(indent);
            }
            around.push((indent, Some(key.to_owned())));
            let whole: Option<Vec<&str>> = around.iter().map(|(_, key)| key.as_deref()).collect();
            if let Some(whole) = whole {
                values.push((whole.join("."), plain(value), number));
            }
        }
        values.sort();
        values.dedup_by(|next, first| next.0 == first.0);
        Self { values }
    }
}

/// `key: value`
fn pair(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let key = key.trim().trim_matches(['"', '\'']);
    let is_value = value.is_empty() || value.starts_with([' ', '\t']);
    let is_key = !key.is_empty() && key.len() <= 80 && !key.contains(char::is_whitespace);
    (is_value && is_key).then(|| (key, value.split(" #").next().unwrap_or_default().trim()))
}

/// A value that is one word.
fn plain(value: &str) -> Option<String> {
    let is_plain = !value.is_empty()
        && value.len() <= 200
        && !value.contains(char::is_whitespace)
        && !value.starts_with(['{', '[', '&', '*', '|', '>', '#', '!']);
    is_plain.then(|| value.trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::Chart;
    use crate::Facts;

    const TEXT: &str = "\
# image.tag: no
image:
  repository: quay.io/acme/shop # where it is
  tag: \"v1.2\"
  'pullPolicy':   Always
webhook:
    image:
        tag: v3
    hosts:
    - name: a
      tag: in-a-list
    script: |
      tag: in a text
    last: 1
args: []
";

    #[track_caller]
    fn check(key: &str, expected: Option<(Option<&str>, u32)>) {
        assert_eq!(Chart::read("values.yaml", TEXT.as_bytes()).key(key), expected);
    }

    #[test]
    fn keys_are_whole() {
        check("image.tag", Some((Some("v1.2"), 4)));
        check("image.repository", Some((Some("quay.io/acme/shop"), 3)));
        check("image.pullPolicy", Some((Some("Always"), 5)));
        check("webhook.image.tag", Some((Some("v3"), 8)));
        check("webhook.last", Some((Some("1"), 14)));
        check("tag", None);
    }

    #[test]
    fn what_is_no_word_has_no_value() {
        check("image", Some((None, 2)));
        check("args", Some((None, 15)));
        check("webhook.script", Some((None, 12)));
    }

    #[test]
    fn lists_and_texts_have_no_keys() {
        check("webhook.hosts.tag", None);
        check("webhook.script.tag", None);
    }

    #[test]
    fn odd_texts_are_read() {
        for text in ["", ":", "a", "a:b: c", "\u{0}: x", "- - -", "  a: 1\n b: 2\na: 3", "é: é"] {
            Chart::read("values.yaml", text.as_bytes());
        }
        let deep: String = (0..5_000).map(|depth| format!("{}k:\n", " ".repeat(depth))).collect();
        Chart::read("values.yaml", deep.as_bytes());
    }
}
