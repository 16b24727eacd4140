//! The vector file of a model: a header, then rows of equal length.
//!
//! A row is the vector's bytes, its scale and a checksum. Rows are only ever appended, and only those that the record
//! knows are read; what a killed writer left beyond them is written over. Nothing is changed in place, so a map of the
//! known rows stays valid for as long as anyone holds it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use docent_index::QuantisedVector;
use docent_kernels::FileMap;
use docent_store_common::Rows;

use crate::fault::{Fault, Outcome};
use crate::rows::ModelRow;

const MAGIC: &[u8; 8] = b"dcntvec\x01";
pub(crate) const HEADER: usize = 64;
/// Scale and checksum.
const TAIL: usize = 8;

pub(crate) fn path(dir: &Path, file: u64) -> PathBuf {
    dir.join(format!("vectors-{file}.bin"))
}

/// The number in a vector file's name.
pub(crate) fn number(name: &str) -> Option<u64> {
    name.strip_prefix("vectors-")?.strip_suffix(".bin")?.parse().ok()
}

/// The known rows of a vector file, mapped.
pub(crate) struct RowMap {
    map: FileMap,
    dimensions: usize,
}

impl RowMap {
    /// Maps the model's rows; damage when the file is another model's or too short.
    pub(crate) fn open(dir: &Path, model: &ModelRow) -> Outcome<Self> {
        let path = path(dir, model.file);
        let mut file = File::open(&path)?;
        let mut found = [0; HEADER];
        let length = HEADER + model.row_count * stride(model.dimensions);
        let complete = file.metadata()?.len() >= length as u64 && file.read_exact(&mut found).is_ok();
        if !complete || found != header(model) {
            return Err(Fault::Damaged(format!("{} is not what was written", path.display())));
        }
        Ok(Self { map: FileMap::open(&file, length)?, dimensions: model.dimensions })
    }

    /// Whether a row's checksum is right.
    pub(crate) fn is_sound(&self, number: usize) -> bool {
        self.raw(number).is_some_and(|row| {
            let (body, sum) = row.split_at(row.len() - 4);
            checksum(body) == sum
        })
    }

    pub(crate) fn raw(&self, number: usize) -> Option<&[u8]> {
        let stride = self.stride();
        self.bytes().get(number.checked_mul(stride)?..)?.get(..stride)
    }
}

impl Rows for RowMap {
    fn bytes(&self) -> &[u8] {
        self.map.as_slice().get(HEADER..).unwrap_or_default()
    }

    fn stride(&self) -> usize {
        stride(self.dimensions)
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }
}

/// Makes an empty file for the model.
pub(crate) fn create(dir: &Path, model: &ModelRow) -> Outcome<()> {
    let mut file = File::create(path(dir, model.file))?;
    file.write_all(&header(model))?;
    file.sync_data()?;
    Ok(())
}

/// Writes rows from the first unknown one on, safely on disk when it returns.
pub(crate) fn append<'a>(
    dir: &Path,
    model: &ModelRow,
    vectors: impl Iterator<Item = &'a QuantisedVector>,
) -> Outcome<()> {
    let mut bytes = Vec::new();
    for vector in vectors {
        let start = bytes.len();
        bytes.extend(vector.values.iter().map(|value| *value as u8));
        bytes.extend(vector.scale.to_le_bytes());
        let sum = checksum(&bytes[start..]);
        bytes.extend(sum);
    }
    append_raw(dir, model, &bytes)
}

/// Writes rows that are already in the file's form.
pub(crate) fn append_raw(dir: &Path, model: &ModelRow, bytes: &[u8]) -> Outcome<()> {
    let mut file = OpenOptions::new().write(true).open(path(dir, model.file))?;
    file.seek(SeekFrom::Start((HEADER + model.row_count * stride(model.dimensions)) as u64))?;
    file.write_all(bytes)?;
    file.sync_data()?;
    Ok(())
}

/// Whether the file has rows behind those that the record knows, from a write that was not finished.
pub(crate) fn has_unknown_rows(dir: &Path, model: &ModelRow) -> io::Result<bool> {
    let known = HEADER + model.row_count * stride(model.dimensions);
    Ok(fs::metadata(path(dir, model.file))?.len() > known as u64)
}

/// Removes vector files that no model uses. Whoever has one mapped keeps it.
pub(crate) fn remove_unused(dir: &Path, models: &[ModelRow]) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let number = entry.file_name().to_str().and_then(number);
        if number.is_some_and(|number| models.iter().all(|model| model.file != number)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn stride(dimensions: usize) -> usize {
    dimensions + TAIL
}

fn header(model: &ModelRow) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&(model.dimensions as u32).to_le_bytes());
    header[16..32].copy_from_slice(&blake3::hash(model.name.as_bytes()).as_bytes()[..16]);
    header
}

fn checksum(body: &[u8]) -> [u8; 4] {
    let mut sum = [0; 4];
    sum.copy_from_slice(&blake3::hash(body).as_bytes()[..4]);
    sum
}
