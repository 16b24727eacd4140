//! `docent config`: every setting, its value, and where that came from.

use std::fmt::Write;

use owo_colors::OwoColorize;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::ConfigArgs;
use crate::errors::{CliError, Exit};
use crate::printer::{Printer, clean};
use crate::project::SETTINGS_FILE;
use crate::settings::{Setting, Settings};

/// One setting.
#[derive(Serialize)]
struct Row {
    /// Its key, as in docent.toml where it can stand there.
    key: &'static str,
    /// Its value.
    value: Value,
    /// Where the value came from.
    origin: String,
}

pub(super) fn run(args: &ConfigArgs, settings: &Settings, printer: &Printer) -> Result<Exit, CliError> {
    let rows = rows(settings);
    let project = settings.project.as_ref().map(|project| project.display().to_string());
    let own = settings.config.as_ref().map(|folder| folder.join(SETTINGS_FILE));
    if args.json {
        let own = own.map(|path| json!({ "path": path.display().to_string(), "exists": path.is_file() }));
        printer.json(&json!({ "project": project, "own_settings": own, "settings": rows }))?;
    } else {
        let own = own.map(|path| match path.is_file() {
            true => path.display().to_string(),
            false => format!("{} (not there)", path.display()),
        });
        printer.view(&view(&[("project", project), ("own settings", own)], &rows))?;
    }
    Ok(Exit::Fine)
}

fn rows(settings: &Settings) -> Vec<Row> {
    fn row<T>(key: &'static str, setting: &Setting<T>, value: impl FnOnce(&T) -> Value) -> Row {
        Row { key, value: value(&setting.value), origin: setting.origin.to_string() }
    }
    let path = |path: &std::path::PathBuf| json!(path.display().to_string());
    let (embedding, library, manifest) = (&settings.embedding, &settings.library, &settings.manifest);
    vec![
        row("docs", &settings.docs, path),
        row("index", &settings.index, path),
        row("database_url", &settings.database, |database| {
            json!(database.as_ref().map(crate::database::Database::shown))
        }),
        row("read_database_url", &settings.replica, |url| {
            json!(url.as_ref().map(|url| docent_store_postgres::shown(url).unwrap_or_default()))
        }),
        row("cache", &settings.cache, path),
        row("include", &settings.include, |value| json!(value)),
        row("exclude", &settings.exclude, |value| json!(value)),
        row("max_file_bytes", &settings.max_file_bytes, |value| json!(value)),
        row("embedding.provider", &embedding.provider, |value| json!(value.as_str())),
        row("embedding.model", &embedding.model, |value| json!(value)),
        row("embedding.base_url", &embedding.base_url, |value| {
            json!(value.as_deref().map(docent_sources::without_credentials))
        }),
        row("embedding.dimensions", &embedding.dimensions, |value| json!(value)),
        row("embedding.query_prefix", &embedding.query_prefix, |value| json!(value)),
        row("embedding.document_prefix", &embedding.document_prefix, |value| json!(value)),
        row("embedding.batch_size", &embedding.batch_size, |value| json!(value)),
        row("embedding.concurrency", &embedding.concurrency, |value| json!(value)),
        row("embedding.api_key", &embedding.api_key, |value| json!(value.as_ref().map(|_| "(set)"))),
        row("chunking.max_chars", &settings.max_chars, |value| json!(value)),
        row("library.roots", &library.roots, |roots| roots.iter().map(path).collect()),
        row("library.allow_private_networks", &library.allow_private_networks, |value| json!(value)),
        row("library.max_bytes", &library.max_bytes, |value| json!(value)),
        row("library.convert_seconds", &library.convert_seconds, |value| json!(value)),
        row("library.convert_memory_mb", &library.convert_memory_mb, |value| json!(value)),
        row("validate.allow", &settings.allow, |value| json!(value)),
        row("verify.ignore", &settings.waivers, |value| json!(value)),
        row("strategy", manifest, |value| json!(value.strategy.map(|strategy| strategy.chunk_by.as_str()))),
        row("metadata", manifest, |value| json!(value.metadata)),
        row("taxonomy", manifest, |value| json!(value.taxonomy.0.keys().collect::<Vec<_>>())),
        row("overrides", manifest, |value| {
            json!(value.overrides.iter().map(|it| it.pattern.as_str()).collect::<Vec<_>>())
        }),
        row("mcpServerInstructions", manifest, |value| json!(value.instructions)),
        Row {
            key: "collections",
            value: json!(settings.collections.iter().map(|listed| listed.name.as_str()).collect::<Vec<_>>()),
            origin: collections_origin(settings),
        },
        row("prompts", &settings.prompts, |value| json!(value.keys().collect::<Vec<_>>())),
    ]
}

/// The files that list collections.
fn collections_origin(settings: &Settings) -> String {
    let mut files: Vec<String> =
        settings.collections.iter().map(|listed| listed.file.display().to_string()).collect();
    files.sort();
    files.dedup();
    if files.is_empty() { "default".to_owned() } else { files.join(", ") }
}

fn view(places: &[(&str, Option<String>)], rows: &[Row]) -> String {
    let mut text = String::new();
    for (what, place) in places {
        let _ = writeln!(text, "{:<26} {}", what.dimmed(), clean(place.as_deref().unwrap_or("none")));
    }
    for row in rows {
        let value = match &row.value {
            Value::Null => "-".to_owned(),
            Value::String(value) if !value.is_empty() => value.clone(),
            value => value.to_string(),
        };
        let origin = format!("({})", row.origin);
        let _ = writeln!(text, "{:<26} {}  {}", row.key.bold(), clean(&value), clean(&origin).dimmed());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::args::GlobalArgs;
    use crate::config_file::KEYS;

    #[test]
    fn every_key_of_the_file_is_shown_and_the_key_is_not() {
        let lookup = |name: &str| {
            let value = match name {
                name if name.ends_with("API_KEY") => "sk-secret",
                name if name.ends_with("DATABASE_URL") => {
                    "postgres://me:sk-secret@host/docs?password=sk-secret"
                }
                _ => "1",
            };
            Some(value.into())
        };
        let lookup = move |name: &str| if name == "DOCENT_EMBEDDER" { None } else { lookup(name) };
        let settings = Settings::resolve(&GlobalArgs::default(), None, Path::new("/"), &lookup).unwrap();
        let rows = rows(&settings);
        for (key, _) in KEYS {
            let named = |key: &str| ["prompts", "collections"].into_iter().find(|it| key.starts_with(it));
            let key = named(key).unwrap_or(key);
            assert!(rows.iter().any(|row| row.key == key), "{key}");
        }
        assert!(!view(&[], &rows).contains("sk-secret"));
    }
}
