//! reStructuredText.

use docent_convert::rst::to_markdown;
use proptest::prelude::*;

fn check(source: &str, expected: &str) {
    assert_eq!(to_markdown(source).trim(), expected.trim(), "{source}");
}

#[test]
fn sections_have_the_level_of_their_mark() {
    check(
        "=====\nTitle\n=====\n\nOne\n===\n\ntext\n\nTwo\n---\n\nThree\n=====\n",
        "# Title\n\n## One\n\ntext\n\n### Two\n\n## Three",
    );
}

#[test]
fn literal_and_code_blocks_are_fenced() {
    check("Run::\n\n    $ a\n      b\n\nNext.", "Run:\n\n```\n$ a\n  b\n```\n\nNext.");
    check(".. code-block:: python\n   :linenos:\n\n   x = 1\n\nNext.", "```python\nx = 1\n```\n\nNext.");
    check("::\n\n  a\n", "```\na\n```");
    check(">>> 1\n1\n", "```python\n>>> 1\n1\n```");
}

#[test]
fn marks_inside_of_a_line_are_translated() {
    check("Use ``x`` and :class:`~a.B` or `text`.", "Use `x` and `B` or `text`.");
    check(
        "See `docs <https://a.b>`_ and `home`_.\n\n.. _home: https://c.d",
        "See [docs](https://a.b) and [home](https://c.d).",
    );
    check("A `lonely mark", "A `lonely mark");
}

#[test]
fn notes_have_a_label_and_pictures_and_comments_go() {
    check(
        ".. note:: Mind\n   the gap.\n\n.. image:: x.png\n   :alt: y\n\n.. a comment\n\n|badge| |other|\n\nText.",
        "**Note:** Mind\nthe gap.\n\nText.",
    );
    check(".. include:: secret.rst\n", "**Include:** secret.rst");
}

#[test]
fn lists_stay() {
    check("* a\n* b\n\n1. c\n", "* a\n* b\n\n1. c");
}

#[test]
fn simple_tables_are_tables_and_others_are_kept_as_text() {
    check("+---+\n| a |\n+---+\n", "| a |\n| --- |");
    check("+---+---+\n| a     |\n+---+---+\n", "```text\n+---+---+\n| a     |\n+---+---+\n```");
    check("== ==\na  b\n\nc  d\n== ==\n\nText", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n\nText");
    check("== ==\nnever closed\n\nText", "|  |  |\n| --- | --- |\n| nev | er closed |\n\nText");
}

proptest! {
    #[test]
    fn any_text_is_converted_without_a_panic(text in "\\PC{0,200}") {
        let _ = to_markdown(&text);
    }

    #[test]
    fn any_mixture_of_marks_is_converted_without_a_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "a", "é", "\n", "\n\n", "    ", "..", ".. ", "::", "`", "``", "_", "<", ">", "===", "---", "+--", "|", ":", "*", "#",
                "code-block", "note", ">>>", "\t", "~",
            ]),
            0..60,
        )
    ) {
        let _ = to_markdown(&parts.concat());
    }
}
