//! How large the streams of a file become when they are decoded, counted without trusting what the file says.

use std::borrow::Cow;
use std::io::Read;

use super::bombs::find;

/// How a stream is packed, as far as its size is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    Flate,
    Lzw,
    RunLength,
    Hex,
    Ascii85,
}

/// The filters that a dictionary names, in their order; the bytes of a deflated stream are known without a name.
pub(super) fn named(dict: &[u8], raw: &[u8]) -> Vec<Filter> {
    let value =
        find(dict, b"/Filter").and_then(|at| dict.get(at + 7..)).unwrap_or_default().trim_ascii_start();
    let end = match value.first() {
        Some(b'[') => value.iter().position(|byte| *byte == b']').unwrap_or(value.len()),
        _ => value.iter().skip(1).position(|byte| !is_of_name(*byte)).map_or(value.len(), |at| at + 1),
    };
    let names = value.get(..end).unwrap_or_default().split(|byte| *byte == b'/');
    let mut filters: Vec<Filter> = names.filter_map(|name| filter(&plain(name.trim_ascii()))).collect();
    if filters.is_empty() && starts_like_zlib(raw) {
        filters.push(Filter::Flate);
    }
    filters
}

/// How many bytes come out of the last filter; nothing when any of them yields more than `most`.
pub(super) fn decoded_size(filters: &[Filter], raw: &[u8], most: usize) -> Option<usize> {
    let mut data = Cow::Borrowed(raw);
    let mut size = 0;
    for (index, filter) in filters.iter().enumerate() {
        let is_last = index + 1 == filters.len();
        match filter {
            Filter::Flate if is_last => size = inflated_size(&data, most)?,
            Filter::Flate => data = Cow::Owned(inflated(&data, most)?),
            Filter::RunLength => data = Cow::Owned(unrolled(&data, most)?),
            Filter::Hex => data = Cow::Owned(from_hex(&data)),
            Filter::Ascii85 => data = Cow::Owned(from_ascii85(&data)),
            // What stands behind it would have to be decoded for real; nobody packs a packed stream with it.
            Filter::Lzw => return lzw_size(&data, most),
        }
    }
    Some(size.max(if filters.is_empty() { 0 } else { data.len() }))
}

/// A deflated stream as far as it can be read; nothing when it is larger than `most`.
pub(super) fn inflated(raw: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    // What follows a damaged place is lost to the reader, too.
    let _ = flate2::bufread::ZlibDecoder::new(raw).take(limit).read_to_end(&mut out);
    (out.len() <= most).then_some(out)
}

fn inflated_size(raw: &[u8], most: usize) -> Option<usize> {
    let mut sink = vec![0_u8; 64 << 10];
    let mut size = 0;
    let mut decoder = flate2::bufread::ZlibDecoder::new(raw);
    while let Ok(read) = decoder.read(&mut sink) {
        size += read;
        if size > most {
            return None;
        }
        if read == 0 {
            break;
        }
    }
    Some(size)
}

fn unrolled(raw: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = raw;
    while let Some((&length, after)) = rest.split_first() {
        let length = usize::from(length);
        match length {
            0..=127 => {
                let taken = after.get(..=length).unwrap_or(after);
                out.extend_from_slice(taken);
                rest = after.get(taken.len()..).unwrap_or_default();
            }
            128 => break,
            _ => {
                let Some((&byte, after)) = after.split_first() else { break };
                out.resize(out.len() + 257 - length, byte);
                rest = after;
            }
        }
        if out.len() > most {
            return None;
        }
    }
    Some(out)
}

/// The size of a stream of LZW: each code is a known text, or a known text and one byte more.
fn lzw_size(raw: &[u8], most: usize) -> Option<usize> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut lengths: Vec<usize> = Vec::new();
    let (mut width, mut bits, mut held) = (9_u32, 0_u32, 0_u32);
    let (mut size, mut last) = (0_usize, 0_usize);
    for &byte in raw {
        bits = (bits << 8) | u32::from(byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = usize::try_from((bits >> held) & ((1 << width) - 1)).unwrap_or(END);
        bits &= (1 << held) - 1;
        let length = match code {
            CLEAR => {
                lengths.clear();
                (width, last) = (9, 0);
                continue;
            }
            END => break,
            0..=255 => 1,
            code => lengths.get(code - 258).copied().unwrap_or(last + 1),
        };
        if last > 0 && lengths.len() < 4096 - 258 {
            lengths.push(last + 1);
        }
        last = length;
        size += length;
        if size > most {
            return None;
        }
        width = match lengths.len() + 258 {
            0..=510 => 9,
            511..=1022 => 10,
            1023..=2046 => 11,
            _ => 12,
        };
    }
    Some(size)
}

fn from_hex(raw: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = raw
        .iter()
        .take_while(|byte| **byte != b'>')
        .filter_map(|&byte| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair.first().map_or(0, |high| high << 4) | pair.get(1).copied().unwrap_or(0))
        .collect()
}

fn from_ascii85(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() / 5 * 4);
    let (mut value, mut count) = (0_u32, 0_usize);
    for &byte in raw.strip_prefix(b"<~").unwrap_or(raw) {
        match byte {
            b'~' => break,
            b'z' if count == 0 => out.extend([0; 4]),
            b'!'..=b'u' => {
                value = value.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    out.extend(value.to_be_bytes());
                    (value, count) = (0, 0);
                }
            }
            _ => {}
        }
    }
    if count > 1 {
        for _ in count..5 {
            value = value.wrapping_mul(85).wrapping_add(84);
        }
        out.extend(value.to_be_bytes().iter().take(count - 1));
    }
    out
}

fn filter(name: &[u8]) -> Option<Filter> {
    Some(match name {
        b"FlateDecode" | b"Fl" => Filter::Flate,
        b"LZWDecode" | b"LZW" => Filter::Lzw,
        b"RunLengthDecode" | b"RL" => Filter::RunLength,
        b"ASCIIHexDecode" | b"AHx" => Filter::Hex,
        b"ASCII85Decode" | b"A85" => Filter::Ascii85,
        _ => return None,
    })
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'#'
}

/// A name without its escapes: `Fl#61teDecode`.
fn plain(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut parts = name.split(|byte| *byte == b'#');
    out.extend(parts.next().unwrap_or_default());
    for part in parts {
        out.extend(from_hex(part.get(..2).unwrap_or(part)));
        out.extend(part.get(2..).unwrap_or_default());
    }
    out
}

/// Whether the first two bytes are the header of a zlib stream, whatever the dictionary says.
fn starts_like_zlib(raw: &[u8]) -> bool {
    matches!(raw, [method, flags, ..] if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31))
}
