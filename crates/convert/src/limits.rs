//! How much a file may become, so that a small hostile file cannot fill memory.
//!
//! Sizes are those of what comes out of a container, never those that its directory claims.

/// A size for people: `16 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = |unit: u64| bytes.saturating_mul(10).div_ceil(unit);
    let shown = |tenths: u64, unit: &str| match tenths % 10 {
        0 => format!("{} {unit}", tenths / 10),
        tenth => format!("{}.{tenth} {unit}", tenths / 10),
    };
    match bytes {
        1 => "1 byte".to_owned(),
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => shown(tenths(1 << 10), "KiB"),
        _ => shown(tenths(1 << 20), "MiB"),
    }
}

/// Limits of one conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that all parts of a container may decode to together, and that any file may have.
    pub decoded_bytes: u64,
    /// Bytes that a file of text may have. A tree of HTML or XML takes many times the memory of its text.
    pub text_bytes: u64,
    /// Bytes that one line of Markdown or plain text may have: nobody writes longer ones, and parsers stumble over them.
    pub line_bytes: usize,
    /// Bytes that one part of a container may decode to.
    pub entry_bytes: u64,
    /// Parts in a container.
    pub entries: usize,
    /// How many times its packed size a part may decode to; small parts are exempt.
    pub ratio: u64,
    /// Elements inside of elements in XML, and nested blocks elsewhere.
    pub depth: usize,
    /// Rows that are shown of one sheet or table.
    pub rows: usize,
    /// Columns that are shown of one sheet or table.
    pub columns: usize,
    /// Bytes of Markdown; what comes after is cut with a note.
    pub markdown_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            decoded_bytes: 128 << 20,
            // A printed manual of 5,000 pages has 10 to 15 MB of text.
            text_bytes: 16 << 20,
            // A talk of four hours that was written down without a line break has a quarter of a megabyte.
            line_bytes: 256 << 10,
            // The text of a Word file of a thousand pages is XML of about 15 MB.
            entry_bytes: 32 << 20,
            entries: 10_000,
            ratio: 200,
            depth: 256,
            rows: 2_000,
            columns: 64,
            markdown_bytes: 16 << 20,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_are_told_in_units() {
        for (bytes, shown) in [
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KiB"),
            (1 << 24, "16 MiB"),
            ((1 << 24) + 1, "16.1 MiB"),
            (u64::MAX, "1759218604441.6 MiB"),
        ] {
            assert_eq!(super::size(bytes), shown);
        }
    }
}
