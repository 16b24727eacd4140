//! Keys and plain values of configuration files: TOML, YAML, JSON, INI, properties, `.env`.
//!
//! Read line by line: a broken or templated file still has its keys, every key has its line, and a JSON schema names its
//! properties in the same way.

use serde::{Deserialize, Serialize};

use super::Facts;

/// Above this a file is data.
const MAX_BYTES: usize = 512 << 10;
const MAX_KEYS: usize = 10_000;

/// The keys of one file.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Key, its plain value when it has one, and the line; sorted.
    #[serde(rename = "k")]
    pub keys: Vec<(String, Option<String>, u32)>,
}

impl Settings {
    /// The places where a key stands, with its values.
    pub(crate) fn key(&self, name: &str) -> &[(String, Option<String>, u32)] {
        let start = self.keys.partition_point(|(key, ..)| key.as_str() < name);
        let rest = self.keys.get(start..).unwrap_or_default();
        let count = rest.partition_point(|(key, ..)| key == name);
        rest.get(..count).unwrap_or_default()
    }
}

impl Facts for Settings {
    const NAME: &'static str = "settings";
    const VERSION: u32 = 1;

    fn applies(path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_format = matches!(
            extension,
            "toml"
                | "yaml"
                | "yml"
                | "json"
                | "jsonc"
                | "json5"
                | "ini"
                | "cfg"
                | "conf"
                | "properties"
                | "env"
                | "schema"
                | "xml"
        );
        (is_format || name.starts_with(".env") || name.starts_with('.') && name.ends_with("rc"))
            && !name.contains("lock")
    }

    fn read(_path: &str, bytes: &[u8]) -> Self {
        if bytes.len() > MAX_BYTES {
            return Self::default();
        }
        let text = String::from_utf8_lossy(bytes);
        let mut keys = Vec::new();
        for (number, line) in (1u32..).zip(text.lines()) {
            if keys.len() >= MAX_KEYS || line.len() > 2_000 {
                continue;
            }
            of_line(line, number, &mut keys);
        }
        keys.sort();
        Self { keys }
    }
}

fn of_line(line: &str, number: u32, keys: &mut Vec<(String, Option<String>, u32)>) {
    let line = line.trim();
    if let Some(section) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
        let parts = section.trim_matches('[').split('.').map(|part| part.trim().trim_matches(['"', '\'']));
        keys.extend(parts.filter(|part| is_key(part)).map(|part| (part.to_owned(), None, number)));
        return;
    }
    // An option that is commented out is still an option.
    let line = line.trim_start_matches(['#', ';', '/', '-', '{', ' ']);
    let line = line.strip_prefix("export ").or_else(|| line.strip_prefix('<')).unwrap_or(line);
    for pair in line.split(", ").take(20) {
        let Some(end) = pair.find([':', '=', '>']) else { continue };
        let (key, value) = pair.split_at(end);
        let key = key.trim().trim_matches(['"', '\'']);
        let value = value.get(1..).unwrap_or_default().split(" #").next().unwrap_or_default();
        let value = value.trim().trim_end_matches([',', '}', ' ']).trim_matches(['"', '\'']);
        let value = value.split("</").next().unwrap_or(value);
        let is_plain = !value.is_empty()
            && value.len() <= 80
            && !value.contains(char::is_whitespace)
            && !value.starts_with(['{', '[', '&', '*', '|', '>']);
        // `server.port = 1` has the keys of both its parts, and itself.
        if key.contains('.') && is_key(key) {
            keys.extend(
                key.split('.').map(|part| (part.to_owned(), is_plain.then(|| value.to_owned()), number)),
            );
        }
        if is_key(key) {
            keys.push((key.to_owned(), is_plain.then(|| value.to_owned()), number));
        }
    }
}

fn is_key(key: &str) -> bool {
    (2..=80).contains(&key.len()) && key.chars().all(|c| c.is_alphanumeric() || "_-.$/@".contains(c))
}

#[cfg(test)]
mod tests {
    use super::Settings;
    use crate::Facts;

    #[track_caller]
    fn check(text: &str, key: &str, expected: Option<&str>) {
        let settings = Settings::read("a.yaml", text.as_bytes());
        let found = settings.key(key);
        assert!(!found.is_empty(), "{key} in {settings:?}");
        assert_eq!(found[0].1.as_deref(), expected, "{key}");
    }

    #[test]
    fn keys_of_all_formats() {
        check("server:\n  port: 8080 # why\n", "port", Some("8080"));
        check("server:\n  port: 8080\n", "server", None);
        check("[server.http]\nport = 8080", "http", None);
        check("max-size = \"10\"", "max-size", Some("10"));
        check("{\n  \"outDir\": \"dist\",\n", "outDir", Some("dist"));
        check("server.port=8080", "server.port", Some("8080"));
        check("server.port=8080", "port", Some("8080"));
        check("# log_level = \"info\"", "log_level", Some("info"));
        check("export APP_PORT=1", "APP_PORT", Some("1"));
        check("<maxSize>10</maxSize>", "maxSize", Some("10"));
    }
}
