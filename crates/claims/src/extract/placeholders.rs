//! Words that stand for something else: `<name>`, `path/to/file`, `your-app`, `example.com`, globs.

/// Endings that make a word with a dot a file.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "adoc", "avif", "bash", "bat", "bazel", "bib", "bmp", "bzl", "c", "cc", "cfg", "cjs", "cmake", "cmd",
    "conf", "cpp", "cs", "cshtml", "csproj", "css", "csv", "cts", "cu", "dart", "dockerfile", "ejs", "el",
    "erl", "ex", "exs", "fish", "gif", "go", "gradle", "graphql", "groovy", "h", "hbs", "hcl", "hpp", "hs",
    "htm", "html", "ico", "ini", "ipynb", "j2", "java", "jinja", "jl", "jpeg", "jpg", "js", "json", "json5",
    "jsonc", "jsonl", "jsx", "just", "kt", "kts", "less", "lock", "lua", "m", "markdown", "md", "mdc",
    "mdx", "mjs", "mk", "ml", "mod", "mp4", "mts", "nix", "nu", "patch", "pdf", "php", "pl", "plist", "png",
    "po", "prisma", "properties", "proto", "ps1", "pug", "py", "pyi", "r", "rb", "rs", "rst", "sass",
    "scala", "scm", "scss", "sh", "sln", "snap", "sql", "sum", "svelte", "svg", "swift", "tcl", "tex", "tf",
    "toml", "tpl", "ts", "tsv", "tsx", "txt", "vue", "wasm", "webp", "wgsl", "xml", "xsd", "yaml", "yml",
    "zig", "zsh",
];

/// Files without an ending that everybody knows.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "BUCK", "BUILD", "CODEOWNERS", "Caddyfile", "Containerfile", "Dockerfile", "GNUmakefile", "Gemfile",
    "Jenkinsfile", "Justfile", "LICENSE", "Makefile", "Procfile", "Rakefile", "Tiltfile", "Vagrantfile",
    "WORKSPACE", "justfile",
];

/// Parts of a path that nobody calls a real file.
#[rustfmt::skip]
const STAND_INS: &[&str] = &[
    "aaa", "abc", "acme", "bar", "baz", "bbb", "blah", "foo", "foobar", "lorem", "mycompany", "myorg",
    "name-of", "placeholder", "qux", "somedir", "somefile", "something", "somewhere", "username", "xxx",
    "xyz", "yourname", "yyy", "zzz",
];

/// Whether the last component ends like a file of a known kind, or is a well-known name.
pub(crate) fn has_known_ending(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    if NAMES.binary_search(&name).is_ok() {
        return true;
    }
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let ending = ending.to_ascii_lowercase();
    !stem.is_empty() && ENDINGS.binary_search(&ending.as_str()).is_ok()
}

/// Whether a word stands for something that the reader has to put there.
pub(super) fn is_placeholder(word: &str) -> bool {
    is_pattern(word) || has_stand_in(word)
}

/// Whether a part of a path is a word that usually stands for another. It can be a name all the same: `acme.md` may be
/// about certificates, and `the-basics.md` about the basics.
pub(crate) fn has_stand_in(path: &str) -> bool {
    path.split('/').any(is_stand_in)
}

/// Whether a word is not written as a name.
pub(super) fn is_pattern(word: &str) -> bool {
    let unusual = |c: char| {
        matches!(
            c,
            '<' | '>'
                | '{'
                | '}'
                | '$'
                | '*'
                | '?'
                | '|'
                | '"'
                | '\''
                | '`'
                | '…'
                | '^'
                | ';'
                | '\\'
                | '!'
                | ','
        ) || c.is_whitespace()
            || c.is_control()
    };
    word.len() > 250
        || word.contains(unusual)
        || word.contains("...")
        || word.contains("path/to")
        || word.contains("://")
        || word.contains("example.com")
        || word.starts_with(['~', '%', '='])
}

fn is_stand_in(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
    let stem = part.split('.').find(|stem| !stem.is_empty()).unwrap_or(&part);
    STAND_INS.binary_search(&stem).is_ok()
        || ["your-", "your_", "my-", "my_", "some-", "some_", "foo-", "foo_", "the-", "xx"]
            .iter()
            .any(|start| stem.starts_with(start))
        || ["-foo", "_foo", "-bar", "_bar", "-name-here"].iter().any(|end| stem.ends_with(end))
        || stem.contains("xxx")
        || ["yyyy", "[name]", "[id]"].iter().any(|inside| stem.contains(inside))
        || (stem.starts_with("your") && stem.len() > 4)
        || (stem.starts_with("my")
            && ["app", "project", "module", "file", "script", "test", "plugin", "component", "package"]
                .iter()
                .any(|end| stem.ends_with(end)))
}

/// File names that a reader of any documentation has in a project of his own. That this repository has one proves
/// something; that it has none proves nothing.
#[rustfmt::skip]
const GENERIC: &[&str] = &[
    ".env", ".gitignore", "__init__.py", "__init__.pyi", "__main__.py", "action.yml", "agents.md", "app.js",
    "app.jsx", "app.py", "app.ts", "app.tsx", "app.vue", "bundle.js", "claude.md", "cli.py", "compose.yaml",
    "compose.yml", "conftest.py", "data.csv", "data.json", "dependabot.yml", "docker-compose.yaml",
    "docker-compose.yml", "dockerfile", "gemini.md", "global.d.ts", "go.mod", "go.sum", "index.css",
    "index.d.ts", "index.html", "index.js", "index.md", "index.mdx", "index.ts", "index.tsx", "init.lua",
    "input.txt", "lib.rs", "main.go", "main.js", "main.py", "main.rs", "main.ts", "makefile",
    "manifest.json", "mod.rs", "model.py", "models.py", "output.txt", "package-lock.json", "package.json",
    "pnpm-lock.yaml", "pnpm-workspace.yaml", "pom.xml", "pyproject.toml", "readme.md", "renovate.json",
    "requirements.txt", "schema.json", "script.js", "script.py", "script.sh", "server.js", "server.py",
    "server.ts", "settings.json", "setup.cfg", "setup.py", "skill.md", "style.css", "styles.css",
    "taskfile.yml", "test.js", "test.md", "test.py", "test.sh", "test.ts", "test.txt", "tsconfig.json",
    "utils.js", "utils.py", "utils.ts", "values.yaml", "vite.config.js", "vite.config.ts", "yarn.lock",
];

/// Whether a path without folders names what every project may have.
pub(crate) fn is_generic(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let stem = name.split('.').find(|stem| !stem.is_empty()).unwrap_or_default();
    GENERIC.binary_search(&name.as_str()).is_ok()
        || matches!(
            stem,
            "config"
                | "file"
                | "filename"
                | "example"
                | "sample"
                | "hello"
                | "input"
                | "output"
                | "demo"
                | "a"
                | "b"
                | "c"
                | "x"
                | "test"
                | "document"
                | "image"
                | "data"
                | "script"
                | "custom"
                | "user"
                | "page"
                | "component"
                | "module"
                | "node"
                | "next"
                | "vue"
                | "three"
                | "d3"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        for table in [ENDINGS, NAMES, STAND_INS, GENERIC] {
            let unsorted = table.windows(2).find(|pair| pair[0] >= pair[1]);
            assert_eq!(unsorted, None);
        }
    }

    #[test]
    fn stand_ins_are_told_from_names() {
        for word in [
            "path/to/x.rs",
            "src/<name>.rs",
            "src/*.rs",
            "~/x",
            "your-app/a.md",
            "foo/bar.rs",
            "a/.../b",
            "my-app/x",
            "https://a/b",
            "$HOME/x",
            "src/{a,b}.rs",
            "docs/xxx.md",
            "api.example.com/v1",
            "src/yourfile.py",
            "MyComponent.tsx",
        ] {
            assert!(is_placeholder(word), "{word}");
        }
        for word in [
            "src/main.rs",
            "examples/basic.py",
            "crates/foot/x.rs",
            "docs/thesis.md",
            "mypy.ini",
            "src/mystery.rs",
        ] {
            assert!(!is_placeholder(word), "{word}");
        }
    }
}
