//! Descriptions of HTTP interfaces: OpenAPI 3 and Swagger 2, in JSON or YAML.
//!
//! Each operation becomes a section `## GET /pets/{id}`, each named schema one below `Schemas`. References are followed
//! inside of the document only, a bounded number of steps.

mod operation;
mod schema;

use serde_json::Value;

use crate::document::Draft;
use crate::markdown::escape;
use crate::{ConvertError, Converted, Format, Source, data};

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// Converts a description in the syntax that the format names.
pub(crate) fn convert(file: Source<'_>, format: Format) -> Result<Converted, ConvertError> {
    let text = file.text();
    if data::is_too_large(&text) {
        return Err(ConvertError::too_large("the description has too many values"));
    }
    let parsed = if format == Format::OpenApiJson {
        serde_json::from_str(&text).map_err(|error| error.to_string())
    } else {
        serde_saphyr::from_str(&text).map_err(|error| error.to_string())
    };
    let parsed = parsed.map_err(|error| {
        let first = error.lines().next().unwrap_or_default().to_owned();
        ConvertError::damaged(format_args!("the description cannot be parsed: {first}"))
    })?;
    let interface = Interface { root: &parsed };
    let mut draft = Draft::default();
    interface.write_head(&mut draft);
    for (path, item) in entries(parsed.get("paths")) {
        let item = interface.resolved(item);
        for method in METHODS {
            if let Some(found) = item.get(method) {
                interface.write_operation(&mut draft, method, path, item, found);
            }
        }
    }
    interface.write_schemas(&mut draft);
    draft.finish(format, file.limits)
}

/// The whole document, for references.
#[derive(Clone, Copy)]
struct Interface<'a> {
    root: &'a Value,
}

impl<'a> Interface<'a> {
    /// What a value stands for, when it is a reference.
    fn resolved(self, value: &'a Value) -> &'a Value {
        let mut value = value;
        for _ in 0..8 {
            let target = text(value, "$ref").strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            match target {
                Some(target) => value = target,
                None => break,
            }
        }
        value
    }

    fn write_head(self, draft: &mut Draft) {
        let info = self.root.get("info").unwrap_or(&Value::Null);
        let title = match text(info, "title") {
            "" => "API",
            title => title,
        };
        draft.set_title(title);
        draft.heading(1, &escape(title));
        if !text(info, "version").is_empty() {
            draft.block(&format!("Version {}", escape(text(info, "version"))));
        }
        write_description(draft, text(info, "description"), 1);
        let servers = self.root.get("servers").and_then(Value::as_array).into_iter().flatten();
        for server in servers {
            draft.item(&format!("- `{}` {}", text(server, "url"), one_line(text(server, "description"))));
        }
        let host = text(self.root, "host");
        if !host.is_empty() {
            draft.item(&format!("- `{host}{}`", text(self.root, "basePath")));
        }
        let schemes =
            self.root.pointer("/components/securitySchemes").or_else(|| self.root.get("securityDefinitions"));
        for (name, scheme) in entries(schemes) {
            let details = ["type", "scheme", "in", "name"].iter().map(|key| text(scheme, key));
            let details = details.filter(|detail| !detail.is_empty()).collect::<Vec<_>>().join(", ");
            let what = one_line(text(scheme, "description"));
            draft.item(&format!("- Authentication `{name}`: {details} {what}"));
        }
    }

    fn write_schemas(self, draft: &mut Draft) {
        let schemas = self.root.pointer("/components/schemas").or_else(|| self.root.get("definitions"));
        for (name, schema) in entries(schemas) {
            draft.origin(None, Some(&format!("schema {name}")));
            draft.heading(2, &format!("Schema {}", escape(name)));
            write_description(draft, text(schema, "description"), 3);
            schema::write(draft, self, schema);
        }
    }
}

/// Name and value of each member of an object.
fn entries(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// A member that is a text; empty when there is none.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A description is Markdown; its headings must stay below that of the section.
fn write_description(draft: &mut Draft, description: &str, deeper: usize) {
    draft.block(&crate::markdown::shift_headings(&crate::text::printable(description), deeper));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
