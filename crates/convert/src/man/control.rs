//! Control lines: names, arguments, comments, and how many blocks they open.

/// Name and rest of a control line.
pub(super) fn control(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix(['.', '\''])?.trim_start_matches([' ', '\t']);
    if inside.starts_with("\\\"") || inside.starts_with("\\#") {
        return Some(("", ""));
    }
    if let Some(rest) = inside.strip_prefix("\\}") {
        return Some(("\\}", rest));
    }
    let end = inside.find([' ', '\t']).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    // A condition may follow its block directly: `.el\{`.
    for short in ["el", "ie", "if"] {
        if let Some(joined) = name.strip_prefix(short)
            && (joined.starts_with('\\') || joined.starts_with('!'))
        {
            return Some((inside.get(..2).unwrap_or_default(), inside.get(2..).unwrap_or_default()));
        }
    }
    Some((name.split("\\\"").next().unwrap_or_default(), rest))
}

/// The text before a comment.
pub(super) fn without_comment(text: &str) -> &str {
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("\\\"")) {
        let at = from + found;
        let before = text.get(..at).unwrap_or_default();
        if before.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 0 {
            return before;
        }
        from = at + 2;
    }
    text
}

/// Words, of which quotes may hold several together; a doubled quote is one.
pub(super) fn split_arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|char| matches!(char, ' ' | '\t')).is_some() {}
        let Some(&first) = chars.peek() else { break };
        let mut word = String::new();
        let is_quoted = first == '"';
        if is_quoted {
            chars.next();
        }
        while let Some(char) = chars.next() {
            match char {
                '\\' => {
                    word.push(char);
                    word.extend(chars.next());
                }
                '"' if is_quoted => match chars.next_if_eq(&'"') {
                    Some(quote) => word.push(quote),
                    None => break,
                },
                ' ' | '\t' if !is_quoted => break,
                _ => word.push(char),
            }
        }
        found.push(word);
    }
    found
}

/// How many blocks a line opens more than it closes.
pub(super) fn depth_change(line: &str) -> i64 {
    let mut change = 0;
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let escape = rest.get(at + 1..).unwrap_or_default();
        match escape.bytes().next() {
            Some(b'{') => change += 1,
            Some(b'}') => change -= 1,
            Some(b'"') => break,
            _ => {}
        }
        let skip = escape.chars().next().map_or(0, char::len_utf8);
        rest = escape.get(skip..).unwrap_or_default();
    }
    change
}
