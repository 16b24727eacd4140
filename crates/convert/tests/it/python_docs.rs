//! Pages of Python modules.

use docent_convert::python_docs::module_page;
use proptest::prelude::*;

fn check(source: &str, expected: &str) {
    let page = module_page("toy", source).unwrap_or_default();
    let body = page.strip_prefix("# toy\n").unwrap_or(&page);
    assert_eq!(body.trim(), expected.trim(), "{source}");
}

#[test]
fn functions_and_modules_show_their_docstrings() {
    check(
        "#!/usr/bin/env python\n# comment\n'''A toy.\n\n    More.\n'''\nimport os\n\n@decorated(1)\nasync def play(a, b: int = 1,  # why\n         *args) -> str:\n    \"\"\"Plays.\n\n    Well.\n    \"\"\"\n    return \"\"\"no docs\"\"\"\n",
        "A toy.\n\nMore.\n\n## def play(a, b: int = 1, \\*args)\n\n```python\nasync def play(a, b: int = 1, *args) -> str\n```\n\nPlays.\n\nWell.",
    );
}

#[test]
fn classes_show_their_constructor_and_their_methods() {
    check(
        "class Toy(Base):\n    \"\"\"A toy.\"\"\"\n    def __init__(self, name):\n        self.name = name\n    def play(self, hard=False):\n        \"\"\"Plays.\"\"\"\n        def inner():\n            \"\"\"Inner.\"\"\"\n    @property\n    def size(self):\n        \"\"\"Size.\"\"\"\n    @size.setter\n    def size(self, value):\n        \"\"\"Not shown.\"\"\"\n    def _hidden(self):\n        \"\"\"Hidden.\"\"\"\n",
        "## class Toy\n\n```python\nclass Toy(Base)\n\nToy(name)\n```\n\nA toy.\n\n### Toy.play(hard=False)\n\n```python\ndef play(self, hard=False)\n```\n\nPlays.\n\n### Toy.size\n\nSize.",
    );
}

#[test]
fn private_names_are_left_out_and_a_plain_list_of_names_counts() {
    check("def _a():\n    'A.'\ndef b():\n    pass\n", "");
    check(
        "__all__ = ['_a',\n  # why\n  \"c\"]\ndef _a():\n    'A.'\ndef b():\n    'B.'\n",
        "## def _a()\n\n```python\ndef _a()\n```\n\nA.",
    );
    check(
        "__all__ = base.__all__ + ['b']\ndef b():\n    'B.'\n",
        "## def b()\n\n```python\ndef b()\n```\n\nB.",
    );
}

#[test]
fn definitions_under_a_condition_belong_to_the_module() {
    check(
        "if True:\n    def f():\n        'F.'\ntry:\n    x = 1\nexcept E:\n    pass\n",
        "## def f()\n\n```python\ndef f()\n```\n\nF.",
    );
}

#[test]
fn underlined_titles_are_bold_and_examples_are_code() {
    check(
        "'''Sums.\n\nParameters\n----------\na : int\n    First.\n\n# not a heading\n\n>>> f(1)\n1\n\nmodule\n~~~~~~\n'''",
        "Sums.\n\n**Parameters**\n\na : int\n    First.\n\n\\# not a heading\n\n```python\n>>> f(1)\n1\n```\n\n**module**",
    );
}

#[test]
fn strings_and_brackets_do_not_confuse_the_scanner() {
    check(
        "x = ')' + \"\"\"\ndef no():\n    'No.'\n\"\"\" # (\ny = {'a': (1,\n  2)}\ndef yes(a=':', b={1: 2}): # c\n    r'''Yes\\n.'''\n",
        "## def yes(a=':', b={1: 2})\n\n```python\ndef yes(a=':', b={1: 2})\n```\n\nYes\\n.",
    );
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
        let _ = module_page("toy", &text);
    }

    #[test]
    fn any_mixture_of_tokens_is_read_without_a_panic(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "def ", "class ", "async ", "f", "(", ")", "[", "]", ":", "->", "\n", "\n    ", "\n\t", "'''", "\"\"\"", "'", "\"",
                "\\", "#", "@", "__all__", "=", ",", "é", "r", ">>>", "----", "a", "self", "```", "~~~",
            ]),
            0..60,
        )
    ) {
        let _ = module_page("toy", &parts.concat());
    }
}
