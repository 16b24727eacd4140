//! What the name of a file says about its format.

use super::Format;

/// The format that an extension stands for.
pub(super) fn format(name: &str) -> Option<Format> {
    let extension = extension(name);
    let is_section = extension.bytes().next().is_some_and(|byte| matches!(byte, b'1'..=b'9'));
    Some(match extension.as_str() {
        "md" | "markdown" | "mdown" | "mkd" | "mdx" | "qmd" | "rmd" => Format::Markdown,
        "txt" | "text" | "log" | "conf" | "cfg" | "ini" | "toml" | "properties" | "env" | "tex" | "org"
        | "srt" => Format::Text,
        "html" | "htm" | "xhtml" | "xht" => Format::Html,
        "pdf" => Format::Pdf,
        "docx" | "docm" | "dotx" => Format::Docx,
        "pptx" | "pptm" | "ppsx" => Format::Pptx,
        "xlsx" | "xlsm" => Format::Xlsx,
        "csv" | "tsv" | "tab" => Format::Csv,
        "epub" => Format::Epub,
        "odt" | "ott" => Format::Odt,
        "ods" | "ots" => Format::Ods,
        "rtf" => Format::Rtf,
        "ipynb" => Format::Notebook,
        "rst" | "rest" => Format::ReStructuredText,
        "adoc" | "asciidoc" | "asc" => Format::AsciiDoc,
        "man" | "mdoc" => Format::Man,
        "json" | "jsonc" | "json5" | "geojson" | "webmanifest" => Format::Json,
        "yaml" | "yml" => Format::Yaml,
        "xml" | "xsd" | "xsl" | "xslt" | "wsdl" | "rss" | "atom" | "plist" | "csproj" | "pom" | "dita" => {
            Format::Xml
        }
        "zip" => Format::Zip,
        _ if is_section && extension.len() <= 4 => Format::Man,
        _ if language(&extension).is_some() => Format::Text,
        _ => return None,
    })
}

/// The language of source code with this extension.
pub(super) fn language(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "rs" => "rust",
        "py" | "pyi" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "ts" | "mts" => "typescript",
        "tsx" => "tsx",
        "go" => "go",
        "java" => "java",
        "kt" | "kts" => "kotlin",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hpp" => "cpp",
        "cs" => "csharp",
        "rb" => "ruby",
        "php" => "php",
        "swift" => "swift",
        "scala" => "scala",
        "sh" | "bash" | "zsh" => "sh",
        "ps1" => "powershell",
        "sql" => "sql",
        "lua" => "lua",
        "r" => "r",
        "css" => "css",
        "proto" => "protobuf",
        "graphql" | "gql" => "graphql",
        "tf" => "hcl",
        "toml" => "toml",
        "ini" | "cfg" | "conf" | "properties" => "ini",
        _ => return None,
    })
}

/// The extension in lower case, without the dot; empty when there is none.
pub(super) fn extension(name: &str) -> String {
    let file = last_part(name);
    file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default()
}

/// The last part of a path or address, without query and fragment.
pub(super) fn last_part(name: &str) -> &str {
    let path = match name.split_once("://") {
        Some((_, address)) => {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            path.split_once('/').map_or("", |(_, path)| path)
        }
        None => name,
    };
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
