use super::{has_words, plain};

fn check(markdown: &str, expected: &str) {
    assert_eq!(plain(markdown), expected, "{markdown:?}");
}

#[test]
fn prose_stays() {
    check("Just words.\nTwo lines.\n\n\nNew paragraph.", "Just words.\nTwo lines.\nNew paragraph.");
    check("日本語 ünïcode", "日本語 ünïcode");
    check("", "");
}

#[test]
fn headings_lose_their_marks() {
    check("# Title\ntext", "Title\ntext");
    check("## Title ## {#id}\n", "Title ##");
    check("## Title {#id}\n", "Title");
    check("### Title ###\n", "Title");
    check("Title\n=====\ntext", "Title\ntext");
    check("#hashtag", "#hashtag");
}

#[test]
fn emphasis_goes_operators_stay() {
    check("*a* **b** ***c*** ~~d~~ __e__ _f_", "a b c d e f");
    check("2 * 3 and 2*3, a_b_c, _private", "2 * 3 and 2*3, a_b_c, _private");
    check("some_name_ and _x", "some_name_ and _x");
    check("~/.config", "~/.config");
}

#[test]
fn code_spans_keep_their_content() {
    check("use `*args` and ``a`b``", "use *args and a`b");
    check("a ` lone tick", "a ` lone tick");
    check("`[not](link)`", "[not](link)");
    check("`a\nb`", "a\nb");
}

#[test]
fn code_blocks_keep_their_content() {
    check("```sh\n# comment *x*\nls [a](b)\n```\nafter *x*", "# comment *x*\nls [a](b)\nafter x");
    check("- item\n  ```\n  code_x_\n  ```\n  *b*", "item\n  code_x_\nb");
    check("~~~\n```\n~~~", "```");
    check("```yaml\nunclosed: *x*", "unclosed: *x*");
    check("tail\n```\n*prose*", "tail\nprose");
    check("tail\n```\n*prose*\n```sh\n*code*\n```\n", "tail\nprose\n*code*");
}

#[test]
fn links_keep_their_text() {
    check("[text](url \"title (x)\") [ref][id] [col][] ![alt](src)", "text ref col alt");
    check("[a](b(c)d) e", "a e");
    check("[![badge](x)](y) z", "badge z");
    check("[a\nb](c)", "a\nb");
    check("arr[0] and [optional]", "arr[0] and [optional]");
    check("[id]: https://x.y\ntext", "text");
    check("[id]: <x> \"Title here\"\ntext", "text");
    check("<https://x.y/z> <a@b.c>", "https://x.y/z a@b.c");
    check("[unclosed](x", "[unclosed](x");
    check("[a](b", "[a](b");
}

#[test]
fn footnotes() {
    check("Claim[^1].\n\n[^1]: The note.", "Claim.\nThe note.");
}

#[test]
fn lists_and_quotes() {
    check("- a\n* b\n+ c\n1. d\n2) e\n- [x] f\n> g\n> - h", "a\nb\nc\nd\ne\nf\ng\nh");
    check("- - -\n***\n___", "");
    check("> [!NOTE]\n> text", "text");
}

#[test]
fn tables_keep_their_cells() {
    check("| a | b |\n|---|:-:|\n| 1 | `x|y` |", "a b\n1 x|y");
    check("a | b\n--|--\n1 | 2", "a b\n1 2");
    check("a | b", "a | b");
}

#[test]
fn html_goes() {
    check("a <b>c</b><br/>d <!-- e\n\nf --> g", "a c d\ng");
    check("<div class=\"x > y\">\ntext\n</div>", "text");
    check("<img src=\"x\" alt=\"A picture\">", "A picture");
    check("<script>\nvar x = 1;\n\nx < 2;\n</script>\ntext", "text");
    check("<!-- never closed *a*", "never closed a");
}

#[test]
fn placeholders_and_comparisons_are_not_html() {
    check("get -n <namespace> x", "get -n <namespace> x");
    check("a < b > c, Vec<String>", "a < b > c, Vec<String>");
    check("1 <2", "1 <2");
}

#[test]
fn jsx_and_modules_go() {
    check("import Tabs from '@theme/Tabs';\nimport 'x';\nexport const a = 1;\n\n# T", "T");
    check("<Tabs>\n<TabItem value=\"x\" label=\"Linux\">\ntext\n</TabItem>\n</Tabs>", "Linux\ntext");
    check("import the module\nexport it", "import the module\nexport it");
    check("a {/* note */}b", "a b");
    check(":::tip Title\ntext\n:::", "tip Title\ntext");
}

#[test]
fn shortcodes() {
    check("{{< note >}}\ntext\n{{< /note >}}", "text");
    check("{{% heading \"whatsnext\" %}}", "whatsnext");
    check("a {{< glossary_tooltip text=\"Pod\" term_id=\"pod\" >}}.", "a Pod.");
    check("{{< glossary_tooltip term_id=\"pod\" >}}", "pod");
    check("`{{< glossary_tooltip text=\"replicas\" term_id=\"replica\" >}}`", "replicas");
    check("{{< figure src=\"x.svg\" alt=\"A\" caption=\"B\" >}}", "A B");
    check("{% include x.html %}text{% endif %}", "text");
    check("{{< unclosed {{< note >}} x", "{{< unclosed  x");
    check("{{ .Values.x }}", "{{ .Values.x }}");
}

#[test]
fn references_and_escapes() {
    check("a &amp; b &lt;c&gt; &#39;d&#x27; &nope; &", "a & b <c> 'd' &nope; &");
    check("\\*not\\* a \\\\ b\\", "*not* a \\ b");
}

#[test]
fn all_line_ends() {
    check("# a\r\n\r\n*b*\r\n", "a\nb");
    check("# a\r\r*b*\r", "a\nb");
}

#[test]
fn words_are_found_behind_markup() {
    assert!(has_words("<!-- x -->\n\n**a**"));
    assert!(has_words(&format!("{}a", "<!-- x -->\n\n".repeat(999))));
    assert!(!has_words("<!-- overview -->\n\n---\n"));
    assert!(!has_words(" \n"));
    assert!(!has_words("{{< note >}}"));
}
