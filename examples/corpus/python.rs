//! A call written in Python, as far as its arguments are literals.

use serde_json::{Map, Number, Value};

/// A function's name and its arguments.
#[derive(Debug, PartialEq)]
pub(crate) struct PythonCall {
    pub function: String,
    pub positional: Vec<Value>,
    pub named: Map<String, Value>,
}

impl PythonCall {
    /// The arguments by name, where there are no more of them than the function has parameters.
    pub(crate) fn bind(self, parameters: &[String]) -> Option<Map<String, Value>> {
        let mut arguments = Map::new();
        let mut names = parameters.iter();
        for value in self.positional {
            arguments.insert(names.next()?.clone(), value);
        }
        arguments.extend(self.named);
        Some(arguments)
    }
}

/// Parses `name(1, key='text')`; `None` for anything more.
pub(crate) fn parse_call(text: &str) -> Option<PythonCall> {
    let mut reader = Reader { rest: text.trim() };
    let function = reader.word()?.to_owned();
    let mut call = PythonCall { function, positional: Vec::new(), named: Map::new() };
    reader.take("(").then_some(())?;
    while !reader.take(")") {
        let before = reader.rest;
        match reader.word() {
            Some(name) if reader.take("=") => {
                call.named.insert(name.to_owned(), reader.literal(0)?);
            }
            _ => {
                reader.rest = before;
                call.positional.push(reader.literal(0)?);
            }
        }
        if !reader.take(",") {
            reader.take(")").then_some(())?;
            break;
        }
    }
    reader.rest.is_empty().then_some(call)
}

const DEEPEST: usize = 32;

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Takes a sign and the white space after it.
    fn take(&mut self, sign: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(sign) else { return false };
        self.rest = rest.trim_start();
        true
    }

    fn word(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }

    fn literal(&mut self, depth: usize) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        if self.take("[") {
            return self.items("]", depth);
        }
        if self.take("(") {
            return self.items(")", depth);
        }
        if self.take("{") {
            return self.members(depth);
        }
        if let Some(quote @ ('\'' | '"')) = self.rest.chars().next() {
            return self.text(quote).map(Value::String);
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '.')) {
            return self.number();
        }
        match self.word()? {
            "True" => Some(Value::Bool(true)),
            "False" => Some(Value::Bool(false)),
            "None" => Some(Value::Null),
            _ => None,
        }
    }

    fn items(&mut self, end: &str, depth: usize) -> Option<Value> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.literal(depth + 1)?);
            if !self.take(",") {
                self.take(end).then_some(())?;
                break;
            }
        }
        Some(Value::Array(items))
    }

    fn members(&mut self, depth: usize) -> Option<Value> {
        let mut members = Map::new();
        while !self.take("}") {
            let Value::String(key) = self.literal(depth + 1)? else { return None };
            self.take(":").then_some(())?;
            members.insert(key, self.literal(depth + 1)?);
            if !self.take(",") {
                self.take("}").then_some(())?;
                break;
            }
        }
        Some(Value::Object(members))
    }

    fn number(&mut self) -> Option<Value> {
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E' | '_');
        let end = self.rest.find(|c| !digits(c)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        let digits = digits.replace('_', "");
        let whole = digits.parse::<i64>().ok().map(Number::from);
        whole.or_else(|| Number::from_f64(digits.parse().ok()?)).map(Value::Number)
    }

    fn text(&mut self, quote: char) -> Option<String> {
        let mut text = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => match characters.next()?.1 {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    literal @ ('\\' | '\'' | '"') => text.push(literal),
                    _ => return None,
                },
                end if end == quote => {
                    self.rest = self.rest.get(at + 1..)?.trim_start();
                    return Some(text);
                }
                other => text.push(other),
            }
        }
        None
    }
}
