//! What kind of file something is by its name: a document, something else, or a text that may be empty.

/// Extensions of files that people write to be read, or that hold data to be looked up.
const DOCUMENTS: &[&str] = &[
    "md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd", "txt", "text", "html", "htm", "xhtml", "xht",
    "pdf", "docx", "docm", "dotx", "pptx", "pptm", "ppsx", "xlsx", "xlsm", "csv", "tsv", "tab", "epub",
    "odt", "ott", "ods", "ots", "rtf", "ipynb", "rst", "rest", "adoc", "asciidoc", "asc", "man", "mdoc",
    "json", "yaml", "yml", "xml", "rss", "atom", "dita", "zip", "tex", "org", "srt",
];

/// Extensions of files that are no documents: code, what is made from it, pictures, sound, films, fonts, archives, data.
const NOT_DOCUMENTS: &[&str] = &[
    // Code and its settings.
    "rs",
    "py",
    "pyi",
    "pyc",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "mts",
    "tsx",
    "go",
    "java",
    "kt",
    "kts",
    "c",
    "h",
    "cc",
    "cpp",
    "cxx",
    "hpp",
    "cs",
    "rb",
    "php",
    "swift",
    "scala",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "sql",
    "lua",
    "r",
    "css",
    "scss",
    "sass",
    "less",
    "proto",
    "graphql",
    "gql",
    "tf",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "lock",
    "sum",
    "mod",
    "vue",
    "svelte",
    "m",
    "mm",
    "pl",
    "pm",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "clj",
    "dart",
    "zig",
    "nim",
    "jl",
    "v",
    "vhd",
    "asm",
    "s",
    "cmake",
    "gradle",
    "map",
    "snap",
    "patch",
    "diff",
    "po",
    "pot",
    "mo",
    "xsd",
    "xsl",
    "xslt",
    "wsdl",
    "plist",
    "csproj",
    "pom",
    "jsonc",
    "json5",
    "geojson",
    "webmanifest",
    "log",
    // What programs make and run.
    "o",
    "a",
    "so",
    "dylib",
    "dll",
    "exe",
    "bin",
    "class",
    "jar",
    "war",
    "wasm",
    "rlib",
    "rmeta",
    "pdb",
    "obj",
    "lib",
    "deb",
    "rpm",
    "msi",
    "dmg",
    "iso",
    "img",
    "apk",
    "whl",
    "egg",
    "node",
    "db",
    "sqlite",
    "sqlite3",
    "parquet",
    "npy",
    "npz",
    "pkl",
    "pt",
    "onnx",
    "safetensors",
    "h5",
    "dat",
    "tmp",
    "bak",
    "swp",
    // Pictures, sound, films, fonts.
    "png",
    "jpg",
    "jpeg",
    "gif",
    "webp",
    "svg",
    "ico",
    "bmp",
    "tif",
    "tiff",
    "heic",
    "avif",
    "psd",
    "ai",
    "eps",
    "mp3",
    "wav",
    "flac",
    "ogg",
    "m4a",
    "mp4",
    "mov",
    "avi",
    "mkv",
    "webm",
    "ttf",
    "otf",
    "woff",
    "woff2",
    "eot",
    // Archives.
    "gz",
    "tgz",
    "bz2",
    "xz",
    "zst",
    "7z",
    "rar",
    "tar",
    "docent",
];

/// Files without an extension that belong to code.
const NOT_DOCUMENTS_BY_NAME: &[&str] = &[
    "makefile",
    "dockerfile",
    "containerfile",
    "gemfile",
    "rakefile",
    "procfile",
    "jenkinsfile",
    "vagrantfile",
    "codeowners",
];

/// Whether the name is that of a document.
pub(crate) fn is_document(name: &str) -> bool {
    DOCUMENTS.contains(&extension(name).as_str())
}

/// Whether the name says that there is nothing to read, so that looking inside is not worth it.
pub(crate) fn is_passed_over(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    NOT_DOCUMENTS.contains(&extension(name).as_str())
        || NOT_DOCUMENTS_BY_NAME.contains(&last.to_lowercase().as_str())
}

/// Whether the first bytes of a file are neither text nor the beginning of a document that has no text in its bytes.
pub(crate) fn is_binary(head: &[u8]) -> bool {
    const CONTAINERS: &[&[u8]] = &[b"%PDF", b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0"];
    const MARKS: &[&[u8]] = &[b"\xff\xfe", b"\xfe\xff"];
    let begins = |starts: &[&[u8]]| starts.iter().any(|start| head.starts_with(start));
    head.contains(&0) && !begins(CONTAINERS) && !begins(MARKS)
}

/// Whether a document with this name is plain text, which may be empty without being broken.
pub(crate) fn is_plain_text(name: &str) -> bool {
    ["md", "markdown", "mdown", "mkd", "mdx", "txt", "text", "rst", "adoc", "org", ""]
        .contains(&extension(name).as_str())
}

/// The extension in lower case; empty when there is none.
pub(crate) fn extension(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    last.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_extension_is_in_both_lists() {
        let both: Vec<_> = DOCUMENTS.iter().filter(|extension| NOT_DOCUMENTS.contains(extension)).collect();
        assert!(both.is_empty(), "{both:?}");
    }

    #[test]
    fn what_has_zeros_is_no_text_unless_it_says_what_it_is() {
        for head in [&b"\x7fELF\0\x01"[..], b"\0", b"abc\0"] {
            assert!(is_binary(head), "{head:?}");
        }
        for head in [&b""[..], b"text", b"%PDF-1.7\0", b"PK\x03\x04\0", b"\xff\xfea\0", b"caf\xe9"] {
            assert!(!is_binary(head), "{head:?}");
        }
    }

    #[test]
    fn code_is_passed_over_and_what_is_unknown_is_looked_at() {
        for name in ["src/main.rs", "logo.PNG", "Makefile", "a/Cargo.lock", "x.tar.gz"] {
            assert!(is_passed_over(name), "{name}");
        }
        for name in ["README", "LICENSE", "a.pdf", "tool.1", "data.xyz"] {
            assert!(!is_passed_over(name), "{name}");
        }
    }
}
