//! Bytes become text: marks at the start, UTF-8, UTF-16 without a mark, a declared name, then a guess.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes that the guess looks at.
const GUESS_BYTES: usize = 256 << 10;

/// The text of a file, whose line breaks are `\n`; `declared` is the name of an encoding that the file states.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    let (encoding, text) = match Encoding::for_bom(bytes) {
        Some((encoding, length)) => (encoding, bytes.get(length..).unwrap_or_default()),
        None => (encoding_of(bytes, declared), bytes),
    };
    let (text, _) = encoding.decode_without_bom_handling(text);
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.into_owned() }
}

/// Whether the bytes can be text at all.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..8192).unwrap_or(bytes);
    if Encoding::for_bom(head).is_some() || utf_16(head).is_some() {
        return true;
    }
    // Bell, backspace and escape stand in what terminals show.
    let is_control = |byte: &u8| matches!(byte, 0..=6 | 14..=26 | 28..=31);
    let controls = head.iter().filter(|byte| is_control(byte)).count();
    // A few zeros are damage; programs and pictures are full of them.
    let zeros = head.iter().filter(|byte| **byte == 0).count();
    zeros * 200 <= head.len() && controls * 50 <= head.len()
}

fn encoding_of(bytes: &[u8], declared: Option<&str>) -> &'static Encoding {
    if let Some(encoding) = utf_16(bytes) {
        return encoding;
    }
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    if let Some(encoding) = declared.and_then(|name| Encoding::for_label(name.trim().as_bytes())) {
        return encoding;
    }
    let head = bytes.get(..GUESS_BYTES).unwrap_or(bytes);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(head, true);
    detector.guess(None, Utf8Detection::Allow)
}

/// UTF-16 without a mark shows in its zero bytes: ASCII has one in each pair, always on the same side.
fn utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..512).unwrap_or(bytes);
    let pairs = head.len() / 2;
    let zeros = |side: usize| head.chunks_exact(2).filter(|pair| pair.get(side) == Some(&0)).count();
    let (first, second) = (zeros(0), zeros(1));
    if pairs < 2 {
        None
    } else if second * 10 >= pairs * 7 && first == 0 {
        Some(UTF_16LE)
    } else if first * 10 >= pairs * 7 && second == 0 {
        Some(UTF_16BE)
    } else {
        None
    }
}
