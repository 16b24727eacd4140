//! Names that code defines.

use docent_claims::{Claim, Subject, World, checks};

use crate::outcomes::{claim, said};

fn symbol(named: &str) -> Claim {
    let path = named.trim_end_matches("()").replace("::", ".").split('.').map(str::to_owned).collect();
    claim("symbol", named, Subject::Symbol { path, is_call: named.ends_with("()"), language: None })
}

#[track_caller]
fn check(path: &str, code: &str, cases: &[(&str, &str)]) {
    check_all(&[(path, code)], cases);
}

fn check_all(files: &[(&str, &str)], cases: &[(&str, &str)]) {
    for (named, expected) in cases {
        assert_eq!(said(files, &symbol(named)), *expected, "{named}");
    }
}

#[test]
fn rust() {
    let code = r#"
        pub mod index { pub fn open_index() {} }
        pub struct Engine { pub max_results: usize }
        impl Engine { pub fn search_all(&self) { helper_call(); } const LIMIT_ALL: u32 = 3; }
        #[derive(Debug, Clone, Parser)]
        pub struct Options { verbose: bool }
        pub trait Searcher { fn find_it(&self); }
        impl Searcher for Engine { fn other_name(&self) {} }
        pub enum Mode { HybridSearch, Lexical { top_k: u8 } }
        pub type Shortcut = u8;
        pub const MAX_DEPTH: u8 = 1;
        macro_rules! define_all { () => {} }
        bitflags! { struct Flags: u8 { const FAST_PATH = 1; } }
        pub use other_crate::Passed;
    "#;
    check(
        "src/engine.rs",
        code,
        &[
            ("Engine::search_all", "valid"),
            ("Engine.max_results", "valid"),
            ("Engine::find_it", "valid"),
            ("Engine::gone_now", "missing"),
            ("Engine::clone", "not ours"),
            ("Options::parse_from", "missing"),
            ("Mode::HybridSearch", "valid"),
            ("Mode::Vanished", "missing"),
            ("top_k", "valid"),
            ("MAX_DEPTH", "valid"),
            ("Engine::LIMIT_ALL", "valid"),
            ("Shortcut", "valid"),
            ("define_all", "valid"),
            ("FAST_PATH", "valid"),
            ("Passed", "valid"),
            ("engine::Engine", "valid"),
            ("index::open_index", "valid"),
            ("index::gone_now", "missing"),
            ("helper_call()", "not ours"),
            ("crate::gone_now", "missing"),
            ("Vec::with_capacity", "missing"),
        ],
    );
}

#[test]
fn a_foreign_name_that_code_uses_is_not_ours() {
    let code = "use std::collections::HashMap;\nfn main() { let x = HashMap::with_capacity(1); tokio::spawn_blocking(); }";
    check(
        "src/main.rs",
        code,
        &[
            ("HashMap::with_capacity", "not ours"),
            ("HashMap", "not ours"),
            ("tokio::spawn_blocking", "not ours"),
        ],
    );
}

#[test]
fn typescript() {
    let code = r#"
        export interface UserConfig extends Base { outDir?: string; plugins(): void }
        export class DevServer extends EventEmitter { private readonly moduleGraph = 1; constructor(public rootDir: string) {} listen() {} static createIt() {} }
        export type Shape = { widthOf: number }
        export enum Level { Low, High = 2 }
        export const defineConfig = (x) => x
        export function loadEnv() { const localName = 1 }
        export default { optimizeDeps: { forceIt: true } }
        export { inner as outerName } from './x'
        export * as LintUtils from './y'
        namespace Tools { export function sharpen() {} }
        Foo.prototype.barBaz = function () {}
        exports.legacyName = 1
    "#;
    check(
        "src/node/server.ts",
        code,
        &[
            ("UserConfig.outDir", "valid"),
            ("UserConfig.plugins", "valid"),
            ("DevServer.listen()", "valid"),
            ("DevServer.moduleGraph", "valid"),
            ("DevServer.rootDir", "valid"),
            ("DevServer.createIt", "valid"),
            ("DevServer.removedOne", "missing"),
            ("Shape.widthOf", "valid"),
            ("Level.High", "valid"),
            ("Level.Low", "valid"),
            ("Level.Medium", "missing"),
            ("defineConfig()", "valid"),
            ("loadEnv", "valid"),
            ("localName", "not ours"),
            ("optimizeDeps.forceIt", "valid"),
            ("outerName", "valid"),
            ("LintUtils", "valid"),
            ("Tools.sharpen", "valid"),
            ("Foo.barBaz", "valid"),
            ("legacyName", "valid"),
            ("server.neverWas()", "missing"),
        ],
    );
}

#[test]
fn javascript_with_elements() {
    let code = "export function MyButton(props) { return <div onClick={() => props.fire()}>hello</div> }\nclass Old { #hidden = 1; shownName = 2 }\n";
    check(
        "src/button.jsx",
        code,
        &[("MyButton", "valid"), ("Old.shownName", "valid"), ("Old.goneName", "missing")],
    );
}

#[test]
fn python() {
    let code = r#"
"""A docstring with mentioned_only inside."""
LIMIT_OF_ALL = 3

class Reader(BaseReader):
    chunk_size: int = 3
    def __init__(self):
        self.open_files = {}
    @property
    def page_count(self): return imported_thing()

class BaseReader:
    def read_all(self): pass

def convert_local(path, *, keep_data=False): pass
"#;
    check(
        "src/markit/reader.py",
        code,
        &[
            ("Reader.chunk_size", "valid"),
            ("Reader.open_files", "valid"),
            ("Reader.page_count", "valid"),
            ("Reader.read_all()", "valid"),
            ("Reader.write_all()", "missing"),
            ("LIMIT_OF_ALL", "valid"),
            ("reader.convert_local", "valid"),
            ("markit.reader.convert_local", "valid"),
            ("imported_thing", "not ours"),
            ("mentioned_only", "not ours"),
            ("convert_remote()", "missing"),
        ],
    );
}

#[test]
fn go() {
    let code = r#"
package task

type Executor struct {
	Base
	Dir, Entrypoint string `yaml:"entry_point"`
}
type Base struct{ Shared int }
type Runner interface { RunAll() error }
func (e *Executor) Setup() error { return fmt.Errorf("x") }
func NewExecutor() *Executor { return nil }
const DefaultName = "x"
var ErrMissing = 1
"#;
    check(
        "executor.go",
        code,
        &[
            ("Executor.Setup", "valid"),
            ("Executor.Entrypoint", "valid"),
            ("Executor.Shared", "valid"),
            ("Executor.Vanished", "missing"),
            ("Runner.RunAll", "valid"),
            ("task.NewExecutor", "valid"),
            ("DefaultName", "valid"),
            ("ErrMissing", "valid"),
            ("entry_point", "valid"),
            ("fmt.Errorf", "not ours"),
        ],
    );
}

#[test]
fn java() {
    let code = r#"
        package org.x;
        public class Tika extends Base implements Closeable { public static final String NAME_OF = "x"; public void parseToString() { foreignCall(); } Tika() {} }
        interface Detector { int detectIt(); }
        enum Level { LOW_ONE, HIGH_ONE }
        record Pair(String leftOne, int rightOne) {}
        @interface Marked { String valueOf(); }
    "#;
    check(
        "src/Tika.java",
        code,
        &[
            ("Tika.parseToString()", "valid"),
            ("Tika.NAME_OF", "valid"),
            ("Detector.detectIt", "valid"),
            ("Detector.goneIt", "missing"),
            ("Level.LOW_ONE", "valid"),
            ("Level.GONE_ONE", "missing"),
            ("Pair.leftOne", "valid"),
            ("Marked", "valid"),
            ("foreignCall()", "not ours"),
        ],
    );
}

#[test]
fn in_a_language_that_is_not_parsed_a_name_is_ours_where_a_line_defines_it() {
    let stack = "open class Stack(val axis: Axis) {\n    companion object {\n        fun vertical(gap: Int = 0) = Stack(gap)\n    }\n}\n";
    let uses = "import com.other.HtmlChunk\nval text = HtmlChunk.text(name).withBackground(red)\n";
    // A class of that name in another language says nothing about it.
    let toy = "class Stack:\n    def push(self): pass\n";
    check_all(
        &[("ui/Stack.kt", stack), ("ui/View.kt", uses), ("docs/toy.py", toy)],
        &[
            ("Stack.vertical()", "valid"),
            ("Stack.push()", "valid"),
            ("HtmlChunk", "not ours"),
            ("withBackground()", "not ours"),
            ("HtmlChunk.text()", "not ours"),
            ("goneForever()", "missing"),
        ],
    );
}

#[test]
fn in_a_language_that_is_not_parsed_a_signature_defines() {
    check(
        "src/Text.hs",
        "readMarkdown :: Text -> Pandoc",
        &[("readMarkdown", "valid"), ("readOrgMode", "missing")],
    );
}

#[test]
fn a_function_moved_to_another_module_is_missing_where_it_was() {
    let files = [
        ("src/lib.rs", "mod old_place; mod new_place;"),
        ("src/old_place.rs", "fn other() {}"),
        ("src/new_place.rs", "pub fn find_all() {}"),
    ];
    assert_eq!(said(&files, &symbol("new_place::find_all")), "valid");
    assert_eq!(said(&files, &symbol("old_place::find_all")), "missing");
}

#[test]
fn an_import_of_python_needs_its_module() {
    let files = [
        ("pyproject.toml", "[project]\nname = \"acme\"\n"),
        ("src/acme/__init__.py", "lazy = ['late']\n"),
        ("src/acme/shop.py", "def sell_it(): pass\n"),
        ("src/acme/fast.pyx", "def sell_it(): pass\n"),
        ("src/acme/goods/__init__.py", ""),
        ("src/acme/goods/apples.py", "class Apple: pass\n"),
    ];
    let import = |path: &str| {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        let (named, language) = (path.last().unwrap().clone(), Some("python".to_owned()));
        said(&files, &claim("import", &named, Subject::Symbol { path, is_call: false, language }))
    };
    assert_eq!(import("acme.shop.sell_it"), "valid");
    assert_eq!(import("acme.fast.sell_it"), "valid");
    assert_eq!(import("acme.late.sell_it"), "valid");
    assert_eq!(import("acme.store.sell_it"), "missing");
    assert_eq!(import("acme.goods.apples.Apple"), "valid");
    assert_eq!(import("acme.goods.pears.Apple"), "missing");
    assert_eq!(import("acme.goods.apples"), "valid");
}

#[test]
fn imports_are_checked_only_when_they_are_of_this_package() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"our-crate\"\n"),
        ("src/lib.rs", "pub struct Engine;"),
        ("package.json", r#"{"name": "@us/tools"}"#),
        ("index.ts", "export const build = 1"),
        ("ourpkg/__init__.py", "from .core import load_it"),
        ("ourpkg/support/mock.py", "from mock import (\n    call,\n    patch,\n)"),
        ("ourpkg/other.py", "class mock:\n    pass\n"),
    ];
    let import = |named: &str, path: &[&str]| {
        let path = path.iter().map(|&name| name.to_owned()).collect();
        said(&files, &claim("import", named, Subject::Symbol { path, is_call: false, language: None }))
    };
    assert_eq!(import("our_crate::Engine", &["our_crate", "Engine"]), "valid");
    assert_eq!(import("our_crate::Gone", &["our_crate", "Gone"]), "missing");
    assert_eq!(import("other::Gone", &["other", "Gone"]), "not ours");
    assert_eq!(import("build", &["@us/tools", "build"]), "valid");
    assert_eq!(import("bundle", &["@us/tools/sub", "bundle"]), "missing");
    assert_eq!(import("load_it", &["ourpkg", "load_it"]), "valid");
    assert_eq!(import("dump_it", &["ourpkg", "dump_it"]), "missing");
    assert_eq!(import("patch", &["ourpkg", "support", "mock", "patch"]), "not ours");
    assert_eq!(import("patched", &["ourpkg", "support", "mock", "patched"]), "missing");
}

#[test]
fn pages_without_code_beside_them_speak_about_other_code() {
    let paths: Vec<String> = (0..60).map(|number| format!("docs/{number}.md")).collect();
    let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
    files.push(("theme.js", "export function darkMode() {}"));
    assert_eq!(said(&files, &symbol("darkMode()")), "valid");
    assert_eq!(said(&files, &symbol("gone_now()")), "not ours");
    files.truncate(20);
    assert_eq!(said(&files, &symbol("gone_now()")), "missing");
}

#[track_caller]
fn check_suggestion(then: &str, now: &str, named: &str, expected: Option<&str>) {
    let (then, now) = (World::of_files(&[("src/a.rs", then)]), World::of_files(&[("src/a.rs", now)]));
    let suggestion = checks::suggest(&symbol(named), "README.md", &now, &then);
    assert_eq!(suggestion.map(|suggestion| suggestion.replacement).as_deref(), expected);
}

#[test]
fn a_name_that_is_new_in_the_same_file_is_suggested() {
    let engine =
        |name: &str| format!("struct Engine; impl Engine {{ fn {name}(&self) {{}} fn stays(&self) {{}} }}");
    check_suggestion(
        &engine("search_all"),
        &engine("search_many"),
        "Engine::search_all()",
        Some("Engine::search_many()"),
    );
    check_suggestion(&engine("search_all"), &engine("unrelated"), "Engine::search_all()", None);
    check_suggestion(
        "struct OldEngine { a: u8 }",
        "struct NewEngine { a: u8 }",
        "OldEngine.a",
        Some("NewEngine.a"),
    );
}

#[test]
fn any_bytes_are_read_without_a_panic() {
    let deep = "(".repeat(20_000);
    let nested = "mod a { ".repeat(5_000);
    for path in ["a.rs", "a.py", "a.ts", "a.tsx", "a.go", "a.java"] {
        for code in [
            "",
            "\u{0}",
            "fn",
            "class",
            "\"",
            "#[derive(",
            "'''",
            "`${",
            &deep,
            &nested,
            "impl<é> 日本::語 { fn x( } pub use",
        ] {
            let _ = said(&[(path, code)], &symbol("some_name"));
            let _ = said(&[(path, &format!("{code} some_name"))], &symbol("some_name"));
        }
    }
}

#[test]
fn a_joined_name_is_ours_only_where_a_program_defines_it() {
    let name = |named: &str| {
        claim("name", named, Subject::Symbol { path: vec![named.to_owned()], is_call: false, language: None })
    };
    let code = ("src/a.ts", "export function fetchCompletion() { return 'only_a_text' }");
    let test = ("tests/a.ts", "export function setUpAll() {}");
    for (named, expected) in [
        ("fetchCompletion", "valid"),
        ("only_a_text", "not ours"),
        ("setUpAll", "not ours"),
        ("neverHeardOf", "missing"),
    ] {
        assert_eq!(said(&[code, test], &name(named)), expected, "{named}");
    }
}

#[test]
fn modules_of_the_language_are_nobodys() {
    let files = [("app/enum.py", "class AutoEnum:\n    def auto(self): pass\n")];
    for (name, expected) in [("enum.auto", "not ours"), ("enum.gone", "not ours"), ("AutoEnum.auto", "valid")]
    {
        let path = name.split('.').map(str::to_owned).collect();
        let subject = docent_claims::Subject::Symbol { path, is_call: true, language: None };
        assert_eq!(said(&files, &claim("symbol", name, subject)), expected, "{name}");
    }
}

#[test]
fn a_name_that_a_page_has_from_elsewhere_is_not_ours() {
    let files = [
        ("package.json", r#"{"name": "acme", "repository": "https://github.com/o/acme"}"#),
        ("src/a.ts", "export class Kept {}"),
    ];
    for (page, expected) in [
        ("```ts\nimport { FilterSet } from 'other/rest'\n```\n\nA `FilterSet`.\n", "not ours"),
        ("```ts\nimport { FilterSet } from 'acme/rest'\n```\n\nA `FilterSet`.\n", "missing"),
        ("```ts\nimport { FilterSet } from '@/rest'\n```\n\nA `FilterSet`.\n", "missing"),
        ("    from other.rest import FilterSet\n\nA `FilterSet`.\n", "not ours"),
        ("A [`FilterSet`](https://github.com/o/other/blob/main/a.ts).\n", "not ours"),
        ("A [`FilterSet`](https://github.com/o/acme/blob/main/a.ts).\n", "missing"),
        ("A `FilterSet`.\n", "missing"),
        ("A `FilterSet`. [Code](https://github.com/o/other/tree/main/src/a.ts)\n", "not ours"),
        ("A `FilterSet`. [Code](https://github.com/x/other/tree/main/src/a.ts)\n", "missing"),
        ("# other.rest.filters\n\n```py\nfrom other.rest import a\n```\n\nA `FilterSet`.\n", "not ours"),
        ("# other.rest.filters\n\nA `FilterSet`.\n", "missing"),
    ] {
        let claims = docent_claims::extract("docs/a.md", page);
        let symbol = claims.iter().find(|claim| claim.kind == "symbol").unwrap();
        assert_eq!(said(&files, symbol), expected, "{page}");
    }
}

#[test]
fn what_comes_with_rust_is_nobodys() {
    let files = [("src/lib.rs", "pub mod process { pub struct Other; }\n")];
    assert_eq!(said(&files, &symbol("std::process::Command")), "not ours");
    assert_eq!(said(&files, &symbol("engine::process::Other")), "valid");
}

#[test]
fn another_crate_under_a_name_of_ours_is_not_looked_into() {
    let manifest = ("Cargo.toml", "[package]\nname = \"rocket\"\n");
    let files = [manifest, ("src/lib.rs", "pub use rocket_syntax as syntax;\npub mod pad {}\n")];
    for (name, expected) in [("rocket::syntax::ast", "not ours"), ("rocket::pad::gone", "missing")] {
        assert_eq!(said(&files, &symbol(name)), expected, "{name}");
    }
}

#[test]
fn a_page_in_the_folder_of_a_package_of_go_is_about_it() {
    let world = World::of_files(&[
        ("util/table-filter/table.go", "package filter\n\nfunc Parse(args []string) error { return nil }\n"),
        ("other/router.go", "package other\n\ntype filter struct{}\n"),
    ]);
    let claim = symbol("filter.Parse");
    let check = |file: &str| checks::check(&claim, file, &world).is_valid();
    assert!(check("util/table-filter/README.md"));
    assert!(!check("docs/README.md"));
}

#[test]
fn what_a_dependency_brings_is_not_ours() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"ours\"\n[dependencies]\nturmoil = \"1\"\nsome-net = \"2\"\n"),
        ("src/lib.rs", "pub mod sim { pub fn run_all() {} }\nstruct Position { net: u8 }"),
    ];
    for (named, expected) in [
        ("turmoil::net", "not ours"),
        ("some_net::gone_now", "not ours"),
        ("sim::gone_now", "missing"),
        ("ours::gone_now", "missing"),
    ] {
        assert_eq!(said(&files, &symbol(named)), expected, "{named}");
    }
}
