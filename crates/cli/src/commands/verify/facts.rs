//! Facts in one file that only grows: a header, then records of key, value and a checksum.
//!
//! Only keys are kept in memory, with where their values stand. A record that is cut off or damaged ends the reading, and
//! what follows it is written over. A file that has grown too large is started anew. Two processes may write at a time;
//! in the worst case one loses what it wrote after the other's record was found broken.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use docent_claims::FactStore;

const HEADER: &[u8] = b"docent facts 1\n";
const LARGEST_FILE: u64 = 512 << 20;
const LARGEST_RECORD: usize = 16 << 20;

/// The file.
pub(super) struct FactFile {
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    places: HashMap<[u8; 16], (u64, u32)>,
    end: u64,
}

impl FactFile {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        let (mut places, mut end) = (HashMap::new(), HEADER.len() as u64);
        if !is_sound(&mut file)? || file.metadata()?.len() > LARGEST_FILE {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(HEADER)?;
        } else {
            let mut reader = BufReader::with_capacity(1 << 20, &mut file);
            while let Some((key, at, length)) = record(&mut reader, end)? {
                places.insert(key, (at, length));
                end = at + u64::from(length);
            }
        }
        Ok(Self { inner: Mutex::new(Inner { file, places, end }) })
    }
}

fn is_sound(file: &mut File) -> io::Result<bool> {
    let mut header = vec![0; HEADER.len()];
    file.seek(SeekFrom::Start(0))?;
    match file.read_exact(&mut header) {
        Ok(()) => Ok(header == HEADER),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Key, place and length of the next record: 16 bytes of key, 4 of length, 4 of checksum, the value.
fn record(reader: &mut impl Read, at: u64) -> io::Result<Option<([u8; 16], u64, u32)>> {
    let mut head = [0; 24];
    if reader.read_exact(&mut head).is_err() {
        return Ok(None);
    }
    let (key, rest) = head.split_at(16);
    let (length, sum) = rest.split_at(4);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let (length, sum) = (number(length), number(sum));
    if length as usize > LARGEST_RECORD {
        return Ok(None);
    }
    let mut value = vec![0; length as usize];
    if reader.read_exact(&mut value).is_err() || checksum(&value) != sum {
        return Ok(None);
    }
    Ok(Some((key.try_into().unwrap_or_default(), at + 24, length)))
}

fn checksum(value: &[u8]) -> u32 {
    let [a, b, c, d, ..] = *blake3::hash(value).as_bytes();
    u32::from_le_bytes([a, b, c, d])
}

fn name(key: &str) -> [u8; 16] {
    let mut name = [0; 16];
    name.copy_from_slice(&blake3::hash(key.as_bytes()).as_bytes()[..16]);
    name
}

impl FactStore for FactFile {
    fn get(&self, key: &str) -> Option<Vec<u8>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, length) = *inner.places.get(&name(key))?;
        let mut value = vec![0; length as usize];
        inner.file.seek(SeekFrom::Start(at)).ok()?;
        inner.file.read_exact(&mut value).ok()?;
        Some(value)
    }

    fn put(&self, key: &str, bytes: &[u8]) {
        if bytes.len() > LARGEST_RECORD {
            return;
        }
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let name = name(key);
        let mut record = name.to_vec();
        record.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        record.extend_from_slice(&checksum(bytes).to_le_bytes());
        record.extend_from_slice(bytes);
        let end = inner.end;
        // A record that could not be written is written over by the next one.
        if inner.file.seek(SeekFrom::Start(end)).is_ok() && inner.file.write_all(&record).is_ok() {
            inner.places.insert(name, (end + 24, bytes.len() as u32));
            inner.end = end + record.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_survive_and_damage_ends_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("facts");
        let facts = FactFile::open(&path).unwrap();
        facts.put("a", b"one");
        facts.put("b", b"");
        facts.put("c", &[7; 1000]);
        assert_eq!(facts.get("a").as_deref(), Some(&b"one"[..]));
        drop(facts);
        let facts = FactFile::open(&path).unwrap();
        assert_eq!(facts.get("b").as_deref(), Some(&b""[..]));
        assert_eq!(facts.get("c").map(|value| value.len()), Some(1000));
        assert_eq!(facts.get("d"), None);
        drop(facts);
        let length = std::fs::metadata(&path).unwrap().len();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
        let facts = FactFile::open(&path).unwrap();
        assert!(facts.get("a").is_some() && facts.get("c").is_none());
        facts.put("c", b"again");
        drop(facts);
        assert_eq!(FactFile::open(&path).unwrap().get("c").as_deref(), Some(&b"again"[..]));
        std::fs::write(&path, "something else entirely").unwrap();
        assert_eq!(FactFile::open(&path).unwrap().get("a"), None);
    }
}
