//! Manual pages.

use docent_convert::man::{link_target, to_markdown};
use proptest::prelude::*;

/// What stands below the title of the page.
fn check(source: &str, expected: &str) {
    let page = to_markdown(source, "toy", "1");
    let body = page.text.strip_prefix("# toy(1)\n").unwrap_or("no title");
    assert_eq!(body.trim(), expected.trim(), "{source}");
}

#[test]
fn the_name_line_is_the_first_paragraph() {
    let page = to_markdown(".TH TOY 1\n.SH NAME\ntoy \\- plays\n.SH \"SEE ALSO\"\n.BR git (1)\n", "toy", "1");
    assert_eq!(page.text, "# toy(1)\n\ntoy - plays\n\n## See also\n\n**git**(1)\n");
    assert_eq!(page.summary.as_deref(), Some("plays"));
}

#[test]
fn tagged_paragraphs_are_items() {
    check(
        ".SH OPTIONS\n.TP\n.BR \\-a \", \" \\-\\-all\nAll of\nthem.\n.PP\nMore.\n",
        "## Options\n\n- `-a`, `--all`\n\n  All of them.\n\nMore.",
    );
    check(".IP \\(bu 2\nOne\n.IP \\(bu 2\nTwo\n.IP 3.\nThree\n", "- One\n\n- Two\n\n3. Three");
    check(".PP\n\\fB\\-x\\fR\n.RS 4\nBody\n.sp\nMore\n.RE\n", "- `-x`\n\n  Body\n\n  More");
    check(".TP\n.B a\n.TQ\n.B b\nBody\n", "- **a**, **b**\n\n  Body");
    check(".TP\nouter\n.RS\n.TP\ninner\ntext\n.RE\n", "- outer\n\n  - inner\n\n    text");
}

#[test]
fn displays_are_code() {
    check(".nf\n.B int\n  a\\e;\n\n*b\n.fi\n", "```\nint\n  a\\;\n\n*b\n```");
    check(".TP\nx\n.EX\n# run\n.EE\n", "- x\n\n  ```\n  # run\n  ```");
}

#[test]
fn fonts_become_emphasis_where_markdown_can_see_it() {
    check("\\fBbold\\fP and \\fIitalic words\\fR.", "**bold** and *italic words*.");
    check(".BI \\-\\-file= NAME", "`--file=NAME`");
    check(".RB [ \\-v ]", "[`-v`]");
    check(".B\nnext line", "**next line**");
    check("\\f(CWcode\\fR \\f[B]x\\f[]y", "code `xy`");
}

#[test]
fn characters_that_mean_something_to_markdown_are_escaped() {
    check("a*b _c_ <tag> snake_case 1 < 2 &amp; `x'", "a\\*b \\_c\\_ \\<tag> snake_case 1 < 2 \\&amp; \\`x'");
    check("# no heading", "\\# no heading");
    check("\\- no item", "\\- no item");
}

#[test]
fn escapes_are_resolved_or_dropped() {
    check(
        "a\\(bub \\[u2014] \\(aqx\\(cq \\['e] \\e \\s-1small\\s0 \\h'3n'x\\|y\\&z \\\"comment",
        "a•b — 'x’ é \\ small xyz",
    );
    check(".ds x value\n\\*x \\*[x]", "value value");
}

#[test]
fn conditions_and_definitions_are_followed() {
    check(".ie n yes\n.el no\n", "yes");
    check(".if t \\{\\\nno\n.\\}\nyes\n", "yes");
    check(".if \\n(.g==1 \\{\\\nyes\n.\\}\n", "yes");
    check(".de FN\n\\fI\\\\$1\\fP \\\\$2\n..\n.FN a \"b c\"\n", "*a* b c");
    check(".ig\nno\n..\nyes", "yes");
    check(".ig \\\" comment\nno\n..\nyes", "yes");
    check(".de Sp \\\" comment\n.sp\n..\nyes", "yes");
}

#[test]
fn links_are_links() {
    check(".UR https://a.b\nthe page\n.UE ,\nnext", "[the page](https://a.b), next");
    check(".UR https://a.b\n.UE", "<https://a.b>");
    check(".MT a@b.c\nme\n.ME", "[me](mailto:a@b.c)");
}

#[test]
fn tables_are_tables() {
    check(
        ".TS\ntab(;) allbox;\nlb lb\nl l.\nName;What\n_\na|b;T{\nlong\n.B text\nT}\n.TE\n",
        "| Name | What |\n| --- | --- |\n| a\\|b | long **text** |",
    );
    check(".TS\nl l.\na\tb\n.TE\n", "|  |  |\n| --- | --- |\n| a | b |");
}

#[test]
fn mdoc_pages_are_understood() {
    check(
        ".Dd Today\n.Dt TOY 1\n.Sh NAME\n.Nm toy\n.Nd plays\n.Sh SYNOPSIS\n.Nm\n.Op Fl ab\n.Op Fl f Ar file\n.Ar name ...\n",
        "**toy** - plays\n\n## Synopsis\n\n**toy** [`-ab`] [`-f` *file*] *name* ...",
    );
    check(
        ".Dd x\n.Sh OPTIONS\n.Bl -tag -width x\n.It Fl a , Fl -all\nAll, see\n.Xr git 1 .\n.It Ev HOME\nThe\n.Dq Em home .\n.El\nEnd.",
        "## Options\n\n- `-a`, `--all`\n\n  All, see **git**(1).\n\n- `HOME`\n\n  The “*home*”.\n\nEnd.",
    );
    check(
        ".Dd x\n.Sh X\n.Bl -bullet\n.It\nOne\n.It\nTwo\n.El\n.Bd -literal\na\n.Ed\n.Em a Ns : Ns Em b",
        "## X\n\n- One\n\n- Two\n\n```\na\n```\n\n`a:b`",
    );
}

#[test]
fn a_page_that_only_names_another_one_is_a_link() {
    assert_eq!(link_target(".\\\" comment\n.so man3/printf.3\n"), Some("man3/printf.3"));
    assert_eq!(link_target(".TH a 1\n.so x\n"), None);
    assert_eq!(link_target(".so x\ntext\n"), None);
}

#[test]
fn what_is_nested_or_calls_itself_comes_to_an_end() {
    for source in [
        ".de A\n.A\n..\n.A\n".to_owned(),
        ".de A\n.A\n.A\n..\n.A\n".to_owned(),
        ".ds a \\*a\\*a\n\\*a\n".to_owned(),
        ".if n ".repeat(100_000),
        ".B\n".repeat(100_000),
        ".RS\n.TP\na\n".repeat(10_000),
        format!(".if {}n x", "!".repeat(100_000)),
        format!(".if {}1 x", "(".repeat(100_000)),
        ")".repeat(100_000),
        format!("\\fB{}\\fRx", ")".repeat(100_000)),
        ".Sh x\n.Bl -tag\n".repeat(10_000),
    ] {
        let _ = to_markdown(&source, "toy", "1");
    }
}

proptest! {
    #[test]
    fn any_text_is_converted_without_a_panic(text in "\\PC{0,200}") {
        let _ = to_markdown(&text, "toy", "1");
    }

    #[test]
    fn any_mixture_of_requests_is_converted_without_a_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                ".SH", ".TP", ".IP", ".RS", ".RE", ".nf", ".fi", ".B", ".BR", ".UR", ".UE", ".TS", ".TE", ".if", ".ie", ".el", ".de",
                "..", ".ds", ".Sh", ".Dd x", ".Bl -tag", ".Bl -column", ".It", ".El", ".Bd -literal", ".Ed", ".Op", ".Fl", ".Nm",
                ".Fn", ".Xr", ".Lk", ".Sm off", "\n", "\n", "\n", " ", "\"", "\\", "\\f", "\\(", "\\[", "\\*", "\\n", "\\{", "\\}",
                "\\s", "\\h'", "T{", "T}", "\t", ";", ".", "a", "é", "*", "_", "|", "-x", "Ns", "Ar", "1", "!", "n",
            ]),
            0..60,
        )
    ) {
        let _ = to_markdown(&parts.concat(), "toy", "1");
    }
}
