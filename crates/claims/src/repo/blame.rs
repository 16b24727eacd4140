//! Who last wrote the lines of a document.

use std::collections::HashMap;

use super::{RepoError, Repository, command};

/// Where a line comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedLine {
    /// The commit; `None` when the line is not committed.
    pub commit: Option<String>,
    /// When it was committed, in seconds since 1970.
    pub time: i64,
    /// The path of the document then.
    pub path: String,
    /// The line then.
    pub line: u32,
}

impl Repository {
    /// Where lines (from 1) of a document come from; white space and moves inside the document do not count. `contents` are
    /// those of a document that is not as it was committed. Lines that git does not know are left out.
    pub fn blame(
        &self,
        path: &str,
        contents: Option<&[u8]>,
        lines: &[u32],
    ) -> Result<HashMap<u32, BlamedLine>, RepoError> {
        let blamed = self.blame_with("--follow", path, contents, lines);
        // To find out whether a document was renamed, git compares it with everything that its commit deleted, and fails
        // when one of these contents is absent. Without that question lines are blamed on the rename at worst.
        blamed.or_else(|_| self.blame_with("--no-follow", path, contents, lines))
    }

    fn blame_with(
        &self,
        how: &str,
        path: &str,
        contents: Option<&[u8]>,
        lines: &[u32],
    ) -> Result<HashMap<u32, BlamedLine>, RepoError> {
        let mut found = HashMap::new();
        let (Some(head), false) = (self.head(), lines.is_empty()) else { return Ok(found) };
        let mut command = self.git();
        command.args(["blame", "--porcelain", "--root", "-w", "-M", how]);
        for (first, last) in ranges(lines) {
            command.arg(format!("-L{first},{last}"));
        }
        match contents {
            // Without a commit, so that the lines of the work tree come on top of `HEAD`.
            Some(_) => command.args(["--contents", "-"]),
            None => command.arg(head),
        };
        command.args(["--", path]);
        let output = command::run(command, contents.map(<[u8]>::to_vec))?.unwrap_or_default();
        read(&output, &mut found);
        found.retain(|line, _| lines.contains(line));
        Ok(found)
    }
}

/// Lines as few ranges, those with small gaps between them together.
fn ranges(lines: &[u32]) -> Vec<(u32, u32)> {
    let mut lines = lines.to_vec();
    lines.sort_unstable();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if line <= *last + 2 => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    ranges
}

/// A line is `<commit> <line then> <line now> …`, facts about the commit the first time that it is named, its path where
/// that is not clear, and a tab before the text.
fn read(output: &[u8], found: &mut HashMap<u32, BlamedLine>) {
    let mut paths: HashMap<String, String> = HashMap::new();
    let mut times: HashMap<String, i64> = HashMap::new();
    let mut current: Option<(String, u32, u32)> = None;
    for line in output.split(|byte| *byte == b'\n') {
        if line.first() == Some(&b'\t') {
            if let Some((commit, then, now)) = current.take() {
                let path = paths.get(&commit).cloned().unwrap_or_default();
                let is_committed = commit.bytes().any(|byte| byte != b'0');
                let time = times.get(&commit).copied().unwrap_or(0);
                let commit = is_committed.then_some(commit);
                found.insert(now, BlamedLine { commit, time, path, line: then });
            }
            continue;
        }
        let text = String::from_utf8_lossy(line);
        let Some((commit, _, _)) = &current else {
            let mut words = text.split(' ');
            let commit = words.next().unwrap_or_default().to_owned();
            let mut number = || words.next().and_then(|word| word.parse().ok());
            current = number().zip(number()).map(|(then, now)| (commit, then, now));
            continue;
        };
        if let Some(path) = text.strip_prefix("filename ") {
            paths.insert(commit.clone(), unquoted(path));
        } else if let Some(time) = text.strip_prefix("committer-time ") {
            times.insert(commit.clone(), time.parse().unwrap_or(0));
        }
    }
}

/// Paths with quotes, backslashes or control characters are quoted like strings of C.
fn unquoted(path: &str) -> String {
    let Some(inner) = path.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return path.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(digit @ b'0'..=b'3') => {
                let mut value = digit - b'0';
                for _ in 0..2 {
                    value = (value << 3) | rest.next().unwrap_or(b'0').wrapping_sub(b'0') & 7;
                }
                bytes.push(value);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
