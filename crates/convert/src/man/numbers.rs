//! Numeric expressions: from left to right, as roff has it.

/// Parentheses inside of each other that are followed.
const MAX_DEPTH: usize = 16;

/// The value of an expression; units are dropped, and what makes no sense is 0.
pub(super) fn evaluate(text: &str) -> i64 {
    let mut chars = text.trim();
    expression(&mut chars, 0)
}

fn expression(text: &mut &str, depth: usize) -> i64 {
    let mut value = operand(text, depth);
    loop {
        *text = text.trim_start();
        let Some(operator) = take_operator(text) else { return value };
        let right = operand(text, depth);
        let truth = |holds: bool| i64::from(holds);
        value = match operator {
            "+" => value.saturating_add(right),
            "-" => value.saturating_sub(right),
            "*" => value.saturating_mul(right),
            "/" => value.checked_div(right).unwrap_or(0),
            "%" => value.checked_rem(right).unwrap_or(0),
            "<=" => truth(value <= right),
            ">=" => truth(value >= right),
            "<" => truth(value < right),
            ">" => truth(value > right),
            "=" | "==" => truth(value == right),
            "&" => truth(value > 0 && right > 0),
            _ => truth(value > 0 || right > 0),
        };
    }
}

fn take_operator<'a>(text: &mut &'a str) -> Option<&'a str> {
    let operators = ["<=", ">=", "==", "+", "-", "*", "/", "%", "<", ">", "=", "&", ":"];
    let found = operators.into_iter().find(|operator| text.starts_with(operator))?;
    let (operator, rest) = text.split_at(found.len());
    *text = rest;
    Some(operator)
}

fn operand(text: &mut &str, depth: usize) -> i64 {
    *text = text.trim_start();
    if let Some(rest) = text.strip_prefix('(').filter(|_| depth < MAX_DEPTH) {
        *text = rest;
        let value = expression(text, depth + 1);
        *text = text.trim_start().strip_prefix(')').unwrap_or(text);
        return value;
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = unsigned.split_at(digits);
    let rest = rest.trim_start_matches(|char: char| char == '.' || char.is_ascii_digit());
    *text = rest.trim_start_matches(|char: char| char.is_ascii_lowercase());
    if digits == 0 && text.len() == unsigned.len() {
        *text = "";
    }
    number.parse::<i64>().unwrap_or(0).saturating_mul(sign)
}
