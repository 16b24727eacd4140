//! Reading a file safely: only what is a file inside of its folder, without waiting, and with the state that it had meanwhile.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use docent_index::{ContentHash, FileStat};

use crate::Source;
use crate::scan::{file_stat, is_inside};
use crate::source::plain_io;

/// Two changes closer together than this may carry the same time stamp.
const CLOCK_GRAIN_NS: i64 = 50_000_000;

/// How often a file that changes while it is read is tried again.
const READ_ATTEMPTS: usize = 3;

/// The bytes of a file and its state while they were read.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The content.
    pub text: String,
    /// Its hash.
    pub hash: ContentHash,
    /// The file's state.
    pub stat: FileStat,
}

/// Why a file was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is not there (any more).
    Gone,
    /// It is there and cannot be a document.
    Refused {
        /// For a person.
        reason: String,
        /// The file's state, so that it is tried again only when it changes.
        stat: FileStat,
    },
}

/// Reads one file of a source.
pub(crate) fn read(source: &Source, path: &str) -> Result<Reading, Unread> {
    let full = source.root.join(path);
    let mut last = None;
    for _ in 0..READ_ATTEMPTS {
        match read_once(source, &full)? {
            (reading, true) => return Ok(reading),
            (reading, false) => last = Some(reading),
        }
    }
    // Still changing: take what there is, marked so that the next look reads it again.
    last.map(|mut reading| {
        reading.stat.settled = false;
        reading
    })
    .ok_or(Unread::Gone)
}

/// Reads the file once; the flag says whether it held still.
fn read_once(source: &Source, full: &Path) -> Result<(Reading, bool), Unread> {
    let began_ns = now_ns();
    refuse_strange(source, full)?;
    let file = open_without_waiting(full).map_err(|error| refuse_io(full, &error))?;
    let before = file.metadata().map_err(|error| refuse_io(full, &error))?;
    let mut stat = file_stat(&before);
    // Asked again now that the file is open: the path may have come to lead elsewhere in between.
    if !before.is_file() || !is_inside(source, full) {
        return Err(Unread::Gone);
    }
    if before.len() > source.max_file_bytes {
        let (size, limit) = (before.len(), source.max_file_bytes);
        let reason = format!("the file has {size} bytes and the limit is {limit} (setting `max_file_bytes`)");
        return Err(Unread::Refused { reason, stat });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(before.len()).unwrap_or(0));
    let taken = (&file).take(source.max_file_bytes + 1).read_to_end(&mut bytes);
    taken.map_err(|error| Unread::Refused { reason: plain_io(&error), stat })?;
    let held_still = file.metadata().map(|after| file_stat(&after) == stat).unwrap_or(false);
    stat.settled = held_still && stat.mtime_ns.max(stat.ctime_ns) < began_ns - CLOCK_GRAIN_NS;
    let hash = ContentHash::of(&bytes);
    let text = decode(bytes).map_err(|reason| Unread::Refused { reason, stat })?;
    Ok((Reading { text, hash, stat }, held_still))
}

/// Opens for reading. A pipe that took the file's place just now must not make us wait for somebody to write to it.
fn open_without_waiting(full: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    options.read(true).open(full)
}

/// Refuses what must not even be opened: links that lead out of the root, pipes and devices.
fn refuse_strange(source: &Source, full: &Path) -> Result<(), Unread> {
    let metadata = std::fs::metadata(full).map_err(|error| refuse_io(full, &error))?;
    if !metadata.is_file() {
        return Err(Unread::Gone);
    }
    if is_inside(source, full) {
        return Ok(());
    }
    let reason = "the link points outside the documents folder".to_owned();
    Err(Unread::Refused { reason, stat: link_stat(full) })
}

/// The state of the path itself, when it cannot be followed.
fn link_stat(full: &Path) -> FileStat {
    std::fs::symlink_metadata(full).map(|metadata| file_stat(&metadata)).unwrap_or_default()
}

/// Bytes to text, or the reason why they are none.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if let [0xff, 0xfe, rest @ ..] = bytes.as_slice() {
        return decode_utf16(rest, u16::from_le_bytes);
    }
    if let [0xfe, 0xff, rest @ ..] = bytes.as_slice() {
        return decode_utf16(rest, u16::from_be_bytes);
    }
    if bytes.iter().take(8192).any(|byte| *byte == 0) {
        return Err("the content is binary, not text".to_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("not valid UTF-8 at line {line} (byte {at}); save the file as UTF-8")
    })
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| "not valid UTF-16".to_owned())
}

fn refuse_io(full: &Path, error: &std::io::Error) -> Unread {
    let is_link = std::fs::symlink_metadata(full).is_ok_and(|metadata| metadata.is_symlink());
    match error.kind() {
        _ if is_link => {
            let reason = format!("the link cannot be followed: {}", plain_io(error));
            Unread::Refused { reason, stat: link_stat(full) }
        }
        std::io::ErrorKind::NotFound => Unread::Gone,
        _ => {
            let stat = std::fs::metadata(full).map(|metadata| file_stat(&metadata)).unwrap_or_default();
            Unread::Refused { reason: format!("cannot be read: {}", plain_io(error)), stat }
        }
    }
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn binary_content_is_refused() {
        assert_eq!(decode(b"PK\0\x03".to_vec()).unwrap_err(), "the content is binary, not text");
    }

    #[test]
    fn invalid_utf8_names_the_line() {
        assert!(decode(b"a\nb\xff".to_vec()).unwrap_err().contains("line 2"));
    }

    #[test]
    fn utf16_with_a_mark_is_decoded() {
        assert_eq!(decode(vec![0xff, 0xfe, b'h', 0, b'i', 0]).unwrap(), "hi");
    }
}
