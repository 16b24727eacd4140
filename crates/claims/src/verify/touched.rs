//! Where a file has changed, as a text whose words say which claims that may concern.
//!
//! A check sees of a file of code its facts and the words in it. So between two versions only those lines matter that
//! differ, and names whose facts differ although their lines do not: a comment that opens above a definition ends it.

use crate::World;
use crate::facts::Facts;
use crate::facts::code::Code;

/// What differs between a file before and now; all of a file that is new, gone, or no code.
pub(super) fn text(path: &str, before: Option<&World>, now: &World) -> Vec<u8> {
    let old = before.and_then(|before| before.read(path)).unwrap_or_default();
    let new = now.read(path).unwrap_or_default();
    if !Code::applies(path) || old.is_empty() || new.is_empty() {
        return [&old[..], b"\n", &new[..]].concat();
    }
    let facts = (before.and_then(|before| before.facts::<Code>(path)), now.facts::<Code>(path));
    let (Some(known), Some(facts)) = facts else { return [&old[..], b"\n", &new[..]].concat() };
    let Some(names) = known.difference(&facts) else { return [&old[..], b"\n", &new[..]].concat() };
    let (old, new) = windows(&old, &new);
    [old, b"\n", new, b"\n", names.join("\n").as_bytes()].concat()
}

/// The lines from the first to the last that differs, of both.
fn windows<'a>(old: &'a [u8], new: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let start = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let line = |text: &[u8]| text.get(..start)?.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let start = line(old).unwrap_or(0);
    let (old, new) = (old.get(start..).unwrap_or_default(), new.get(start..).unwrap_or_default());
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    // From the end of the last line that differs.
    let tail = old.get(old.len() - same..).unwrap_or_default();
    let same = tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| tail.len() - at);
    let cut = |text: &'a [u8]| text.get(..text.len() - same).unwrap_or_default();
    (cut(old), cut(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expected: (&str, &str)) {
        let (before, after) = windows(old.as_bytes(), new.as_bytes());
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        assert_eq!((text(before), text(after)), expected, "{old:?} {new:?}");
    }

    #[test]
    fn only_lines_that_differ_are_left() {
        check("a\nb\nc\n", "a\nx\nc\n", ("b", "x"));
        check("a\nbig\nc\n", "a\nbag\nc\n", ("big", "bag"));
        check("a\nb\n", "a\nb\nc\n", ("", "c\n"));
        check("a\nb", "b", ("a\nb", "b"));
        check("a\nb\nb\nc\n", "a\nb\nc\n", ("b\nc", "c"));
        check("same\n", "same\n", ("", ""));
        check("", "a", ("", "a"));
    }

    fn touched(path: &str, old: &str, new: &str) -> String {
        let (before, now) = (World::of_files(&[(path, old)]), World::of_files(&[(path, new)]));
        String::from_utf8(text(path, Some(&before), &now)).unwrap()
    }

    #[test]
    fn names_that_are_defined_no_more_count_although_their_lines_are_as_they_were() {
        let old = "fn first() {}\n\nfn second() {}\n\nfn third() {}\n";
        let shown = touched(
            "a.rs",
            old,
            &old.replace("fn first() {}", "fn first() {} /*").replace("fn third", "*/ fn third"),
        );
        assert!(shown.contains("second"), "{shown}");
        let shown = touched("a.rs", old, &old.replace("third", "fourth"));
        assert!(shown.contains("third") && shown.contains("fourth") && !shown.contains("second"), "{shown}");
        let shown = touched("a.rs", old, &format!("fn zeroth() {{}}\n{old}"));
        assert!(shown.contains("zeroth") && !shown.contains("second"), "{shown}");
    }

    #[test]
    fn all_of_a_file_that_is_no_code_counts() {
        assert!(touched("Makefile", "a:\n\ttrue\nb:\n", "a:\n\tfalse\nb:\n").contains("b:"));
        let now = World::of_files(&[("a.rs", "fn first() {}\n")]);
        assert_eq!(text("a.rs", None, &now), b"\nfn first() {}\n");
    }
}
