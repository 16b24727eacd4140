//! One operation of an interface: what it takes and what it answers.

use serde_json::Value;

use super::{Interface, entries, one_line, schema, text, write_description};
use crate::document::Draft;
use crate::markdown::{escape, table};

impl<'a> Interface<'a> {
    pub(super) fn write_operation(
        self,
        draft: &mut Draft,
        method: &str,
        path: &str,
        item: &'a Value,
        found: &'a Value,
    ) {
        let name = format!("{} {path}", method.to_ascii_uppercase());
        draft.origin(None, Some(&name));
        draft.heading(2, &name);
        if found.get("deprecated").and_then(Value::as_bool) == Some(true) {
            draft.block("**Deprecated.**");
        }
        draft.block(&escape(&one_line(text(found, "summary"))));
        write_description(draft, text(found, "description"), 2);
        let tags =
            found.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let tags = tags.collect::<Vec<_>>().join(", ");
        let id = text(found, "operationId");
        let facts =
            [("Operation", format!("`{id}`"), !id.is_empty()), ("Tags", escape(&tags), !tags.is_empty())];
        for (label, value, _) in facts.iter().filter(|fact| fact.2) {
            draft.item(&format!("- {label}: {value}"));
        }
        self.write_parameters(draft, item, found);
        if let Some(body) = found.get("requestBody").map(|body| self.resolved(body)) {
            let is_required = body.get("required").and_then(Value::as_bool) == Some(true);
            draft.block(&format!("**Request body**{}", if is_required { " (required)" } else { "" }));
            draft.block(&escape(&one_line(text(body, "description"))));
            for content in self.contents(body) {
                draft.item(&format!("- {content}"));
            }
        }
        self.write_responses(draft, found);
    }

    fn write_parameters(self, draft: &mut Draft, item: &'a Value, found: &'a Value) {
        let shared = item.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let own = found.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let mut rows =
            vec![["Parameter", "In", "Type", "Required", "Description"].map(str::to_owned).to_vec()];
        for parameter in shared.chain(own).map(|parameter| self.resolved(parameter)) {
            // Swagger 2 has the type on the parameter itself.
            let kind = schema::compact(parameter.get("schema").unwrap_or(parameter));
            let is_required = parameter.get("required").and_then(Value::as_bool) == Some(true);
            rows.push(vec![
                format!("`{}`", text(parameter, "name")),
                text(parameter, "in").to_owned(),
                code(&kind),
                if is_required { "yes" } else { "no" }.to_owned(),
                escape(&one_line(text(parameter, "description"))),
            ]);
        }
        if rows.len() > 1 {
            draft.block(&table(&rows));
        }
    }

    fn write_responses(self, draft: &mut Draft, found: &'a Value) {
        let mut rows = vec![["Response", "Description", "Content"].map(str::to_owned).to_vec()];
        for (status, response) in entries(found.get("responses")) {
            let response = self.resolved(response);
            let mut contents = self.contents(response);
            if let Some(own) = response.get("schema") {
                contents.push(code(&schema::compact(own)));
            }
            let description = escape(&one_line(text(response, "description")));
            rows.push(vec![status.to_owned(), description, contents.join("\n")]);
        }
        if rows.len() > 1 {
            draft.block(&table(&rows));
        }
    }

    /// Media types with their schemas.
    fn contents(self, holder: &'a Value) -> Vec<String> {
        let contents = entries(holder.get("content")).map(|(media, content)| {
            let shown = content.get("schema").map(schema::compact).unwrap_or_default();
            if shown.is_empty() { media.to_owned() } else { format!("{media}: {}", code(&shown)) }
        });
        contents.collect()
    }
}

fn code(text: &str) -> String {
    crate::markdown::code_span(text)
}
