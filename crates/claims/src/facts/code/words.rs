//! The same name in the spellings that code, flags and variables use.

/// The words of a name: `maxRetries`, `max-retries` and `MAX_RETRIES` have the same.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut current = String::new();
    let mut previous = ' ';
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        let is_hump = character.is_uppercase()
            && (previous.is_lowercase()
                || previous.is_ascii_digit()
                || (previous.is_uppercase() && characters.peek().is_some_and(|next| next.is_lowercase())));
        if (!character.is_alphanumeric() || is_hump) && !current.is_empty() {
            parts.push(std::mem::take(&mut current));
        }
        if character.is_alphanumeric() {
            current.extend(character.to_lowercase());
        }
        previous = character;
    }
    if !current.is_empty() {
        parts.push(current);
    }
    parts
}

/// `max-retries`
pub(crate) fn kebab(name: &str) -> String {
    parts(name).join("-")
}

/// `MAX_RETRIES`
pub(crate) fn screaming(name: &str) -> String {
    parts(name).join("_").to_uppercase()
}

/// All spellings under which code may define what a flag, a key or a subcommand names; the name itself first.
pub(crate) fn variants(name: &str) -> Vec<String> {
    let parts = parts(name);
    let pascal: String = parts.iter().map(|part| capitalised(part)).collect();
    let camel: String = parts
        .iter()
        .enumerate()
        .map(|(at, part)| if at == 0 { part.clone() } else { capitalised(part) })
        .collect();
    let mut all = vec![name.to_owned()];
    for spelling in [parts.join("-"), parts.join("_"), camel, pascal] {
        if !spelling.is_empty() && !all.contains(&spelling) {
            all.push(spelling);
        }
    }
    all
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Whether a text is one word: a name, a flag, a path, a version.
pub(crate) fn is_token(text: &str) -> bool {
    (2..=120).contains(&text.len())
        && !text.contains(|character: char| character.is_whitespace() || character == '\\')
}

#[cfg(test)]
mod tests {
    use super::{kebab, parts, screaming, variants};

    #[test]
    fn a_name_has_the_same_words_in_every_spelling() {
        for name in ["maxRetries", "max-retries", "MAX_RETRIES", "MaxRetries", "max.retries"] {
            assert_eq!(parts(name), ["max", "retries"], "{name}");
        }
        assert_eq!(parts("HTTPServer2Go"), ["http", "server2", "go"]);
        assert_eq!(kebab("NoColor"), "no-color");
        assert_eq!(screaming("noColor"), "NO_COLOR");
        assert_eq!(variants("no-color"), ["no-color", "no_color", "noColor", "NoColor"]);
        assert_eq!(variants("x"), ["x", "X"]);
    }
}
