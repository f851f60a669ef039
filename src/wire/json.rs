//! JSON, strictly: no duplicate keys, bounded depth and length, no number that loses precision.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::number::lossy_number;

/// Bounds on one JSON text.
#[derive(Debug, Clone, Copy)]
pub struct JsonLimits {
    /// Bytes.
    pub bytes: usize,
    /// Nesting of arrays and objects. More than [`JsonLimits::MOST_DEPTH`] counts as that.
    pub depth: usize,
}

impl JsonLimits {
    /// The deepest nesting that the parser underneath takes without running out of stack.
    pub const MOST_DEPTH: usize = 127;
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { bytes: 4 << 20, depth: 64 }
    }
}

/// Why a text is not acceptable JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", shown_place(*place))]
pub struct JsonError {
    /// RFC 6901 pointer to the place, where it is known.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
    /// Line and column of the place, from 1, where the text is no JSON at all.
    pub place: Option<(usize, usize)>,
    /// What to do about it.
    pub hint: Option<String>,
}

fn shown_place(place: Option<(usize, usize)>) -> String {
    place.map_or_else(String::new, |(line, column)| format!(", at line {line}, column {column}"))
}

impl JsonError {
    fn new(message: impl Into<String>) -> Self {
        Self { pointer: String::new(), message: message.into(), place: None, hint: None }
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Parses one JSON text.
///
/// A number is exact when the shortest spelling of what was read has the value that was written: `0.1` and `1.50`
/// are, `9007199254740993.0` is not. An integer outside `i64` and `u64` never is, since no reader of it could tell.
///
/// # Errors
/// [`JsonError`] for invalid UTF-8 or JSON, a key that occurs twice in an object (compared after
/// unescaping), nesting beyond the limit, and a number that `i64`, `u64` or `f64` cannot hold exactly.
pub fn parse_strict(bytes: &[u8], limits: JsonLimits) -> Result<Value, JsonError> {
    if bytes.len() > limits.bytes {
        return Err(JsonError::new(format!(
            "the text has {} bytes, the most is {}",
            bytes.len(),
            limits.bytes
        )));
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| JsonError::new(format!("not valid UTF-8 at byte {}", error.valid_up_to())))?;
    if text.starts_with('\u{feff}') {
        return Err(JsonError::new("the text starts with a byte order mark")
            .with_hint("send UTF-8 without a byte order mark"));
    }
    let parse = Parse::new(limits.depth.min(JsonLimits::MOST_DEPTH), None);
    let value = parse.run(text)?;
    if parse.decimals.get()
        && let Some(found) = lossy_number(bytes)
    {
        return Err(Parse::new(JsonLimits::MOST_DEPTH, Some(found.ordinal)).refusal(text, found.text));
    }
    Ok(value)
}

/// The objects that get room for [`ROOMY_KEYS`] keys before the first is read: those of a plain call, its own and its
/// arguments'. All others grow as they are filled, since a text may hold millions of small ones.
const ROOMY_OBJECTS: usize = 4;
const ROOMY_KEYS: usize = 8;

/// One pass over one text. Errors note the path to their place while the recursion unwinds.
struct Parse {
    depth_limit: usize,
    depth: Cell<usize>,
    /// Numbers seen so far.
    numbers: Cell<usize>,
    /// Whether a number was read as `f64`, so that its text has to be looked at.
    decimals: Cell<bool>,
    /// Stop at this number, to learn the path to it.
    stop_at: Option<usize>,
    /// How many more objects are given room for several keys at once.
    roomy: Cell<usize>,
    fault: RefCell<Fault>,
}

#[derive(Default)]
struct Fault {
    /// Pointer tokens from the innermost outwards.
    path: Vec<String>,
    /// What is wrong, where it was found here and not by the parser underneath.
    error: Option<JsonError>,
}

const LOSSY_HINT: &str = "send the number as a string, or round it to what 64 bits can hold";

impl Parse {
    fn new(depth_limit: usize, stop_at: Option<usize>) -> Self {
        Self {
            depth_limit,
            depth: Cell::new(0),
            numbers: Cell::new(0),
            decimals: Cell::new(false),
            stop_at,
            roomy: Cell::new(ROOMY_OBJECTS),
            fault: RefCell::default(),
        }
    }

    fn run(&self, text: &str) -> Result<Value, JsonError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let value = Seed(self).deserialize(&mut deserializer).and_then(|value| {
            deserializer.end()?;
            Ok(value)
        });
        value.map_err(|error| self.explain(&error))
    }

    /// The error for the number at `stop_at`, with the path to it.
    fn refusal(&self, text: &str, number: &str) -> JsonError {
        let pointer = self.run(text).err().map(|error| error.pointer).unwrap_or_default();
        JsonError { pointer, ..lossy(number) }
    }

    fn explain(&self, error: &serde_json::Error) -> JsonError {
        let fault = self.fault.take();
        let mut found = fault.error.unwrap_or_else(|| syntax(error, self.depth_limit));
        found.pointer = fault.path.iter().rev().fold(String::new(), |mut pointer, token| {
            pointer.push('/');
            pointer.push_str(&escape_token(token));
            pointer
        });
        found
    }

    /// Records what is wrong and returns the error that stops the parser.
    fn refuse<E: serde::de::Error>(&self, error: JsonError) -> E {
        self.fault.borrow_mut().error.get_or_insert(error);
        E::custom("refused")
    }

    fn leave_through(&self, token: String) {
        self.fault.borrow_mut().path.push(token);
    }

    fn enter<E: serde::de::Error>(&self) -> Result<(), E> {
        let depth = self.depth.get() + 1;
        if depth > self.depth_limit {
            return Err(self.refuse(too_deep(self.depth_limit)));
        }
        self.depth.set(depth);
        Ok(())
    }

    fn new_object(&self) -> Map<String, Value> {
        match self.roomy.get().checked_sub(1) {
            Some(left) => {
                self.roomy.set(left);
                Map::with_capacity(ROOMY_KEYS)
            }
            None => Map::new(),
        }
    }

    fn leave(&self) {
        self.depth.set(self.depth.get() - 1);
    }

    fn number<E: serde::de::Error>(&self) -> Result<(), E> {
        let ordinal = self.numbers.get();
        self.numbers.set(ordinal + 1);
        if self.stop_at == Some(ordinal) { Err(E::custom("stopped")) } else { Ok(()) }
    }
}

fn too_deep(limit: usize) -> JsonError {
    JsonError::new(format!("nested more than {limit} levels deep"))
}

fn lossy(number: &str) -> JsonError {
    let mut shown: String = number.chars().take(40).collect();
    if shown.len() < number.len() {
        shown.push('…');
    }
    JsonError::new(format!("the number `{shown}` would lose precision")).with_hint(LOSSY_HINT)
}

/// Restates an error of the parser underneath, in words for those who do not know it.
fn syntax(error: &serde_json::Error, depth_limit: usize) -> JsonError {
    let text = error.to_string();
    // The parser has its own bound on nesting, which only a text deeper than any limit reaches.
    if text.starts_with("recursion limit exceeded") {
        return too_deep(depth_limit);
    }
    let place = Some((error.line(), error.column()));
    if text.starts_with("number out of range") {
        return JsonError { place, ..JsonError::new("the number is out of range").with_hint(LOSSY_HINT) };
    }
    let (what, hint) = if error.is_eof() {
        ("it ends too early", "close every string, array and object; one JSON value stands on one line")
    } else {
        let known = SYNTAX.iter().find(|(start, ..)| text.starts_with(start));
        known.map_or(("it cannot be read", PLAIN_JSON), |(_, what, hint)| (*what, *hint))
    };
    JsonError { place, ..JsonError::new(format!("not valid JSON: {what}")).with_hint(hint) }
}

const PLAIN_JSON: &str = "keys and texts stand in double quotes, and nothing but JSON on the line";

/// How the parser's messages start, what they mean, and what to do.
const SYNTAX: [(&str, &str, &str); 13] = [
    ("expected ident", "a word that is not `true`, `false` or `null`", PLAIN_JSON),
    ("expected value", "a value is missing or is not JSON", PLAIN_JSON),
    (
        "key must be a string",
        "a key is not in double quotes",
        "keys need double quotes, as in `{\"path\":\"a\"}`",
    ),
    ("trailing characters", "something follows the value", "write one JSON value a line"),
    ("trailing comma", "nothing follows a comma", "leave out the last comma"),
    ("expected `:`", "a key has no `:` behind it", "write `\"key\": value`"),
    ("expected `,` or `}`", "a `,` or `}` is missing", "separate entries with commas, and close the object"),
    ("expected `,` or `]`", "a `,` or `]` is missing", "separate elements with commas, and close the array"),
    ("invalid number", "a number is not written as JSON writes it", "write it as in `7`, `-0.5` or `1e9`"),
    ("invalid escape", "a `\\` in a text is followed by what is no escape", "write a backslash as `\\\\`"),
    (
        "control character",
        "a text holds a control character",
        "write a line break as `\\n` and a tab as `\\t`",
    ),
    ("lone leading surrogate", HALF_CHARACTER, WHOLE_CHARACTER),
    ("unexpected end of hex escape", HALF_CHARACTER, WHOLE_CHARACTER),
];

const HALF_CHARACTER: &str = "a `\\u` escape is half of a character";
const WHOLE_CHARACTER: &str = "write the character itself, or both of its escapes";

/// Escapes one token of an RFC 6901 pointer.
pub(crate) fn escape_token(token: &str) -> Cow<'_, str> {
    if token.contains(['~', '/']) {
        Cow::Owned(token.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(token)
    }
}

#[derive(Clone, Copy)]
struct Seed<'p>(&'p Parse);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        self.0.number()?;
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        self.0.number()?;
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        self.0.decimals.set(true);
        self.0.number()?;
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut items = Vec::new();
        loop {
            match access.next_element_seed(self) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => break,
                Err(error) => {
                    self.0.leave_through(items.len().to_string());
                    return Err(error);
                }
            }
        }
        self.0.leave();
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.0.enter()?;
        let mut object = self.0.new_object();
        while let Some(key) = access.next_key::<String>()? {
            match object.entry(key) {
                serde_json::map::Entry::Vacant(entry) => match access.next_value_seed(self) {
                    Ok(value) => {
                        entry.insert(value);
                    }
                    Err(error) => {
                        self.0.leave_through(entry.key().clone());
                        return Err(error);
                    }
                },
                serde_json::map::Entry::Occupied(entry) => {
                    self.0.leave_through(entry.key().clone());
                    return Err(self.0.refuse(JsonError::new("a key occurs twice in one object")));
                }
            }
        }
        self.0.leave();
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn parse(text: &str) -> Result<Value, JsonError> {
        parse_strict(text.as_bytes(), JsonLimits::default())
    }

    /// The pointer and message of what is wrong with `text`.
    fn fault(text: &str) -> (String, String) {
        let error = parse(text).unwrap_err();
        (error.pointer.clone(), error.to_string())
    }

    #[test]
    fn integers_of_64_bits_are_exact() {
        let value = parse("[-9223372036854775808,18446744073709551615,-0,0]").unwrap();
        assert_eq!(value.to_string(), "[-9223372036854775808,18446744073709551615,-0.0,0]");
    }

    #[test]
    fn decimals_that_survive_are_accepted() {
        for text in [
            "0.1",
            "1.50",
            "1e3",
            "1E+3",
            "-2.5e-7",
            "1e22",
            "5e-324",
            "0e999999999999999999999",
            "0.0",
            "100.000",
        ] {
            assert!(parse(text).is_ok(), "{text} was refused: {:?}", parse(text));
        }
    }

    #[test]
    fn numbers_that_lose_precision_are_refused_with_their_place() {
        for text in [
            "12345678901234567890123",
            "18446744073709551616",
            "-9223372036854775809",
            "100000000000000000000",
            "9007199254740993.0",
            "0.12345678901234567890123",
            "1e-400",
            "1.0000000000000000000001",
        ] {
            let line = format!(r#"{{"n":1,"t":"1.5 \" 0.1","a/b":[1,2.5,{{"deep":{text}}}]}}"#);
            assert_eq!(
                fault(&line),
                ("/a~1b/2/deep".to_owned(), format!("the number `{text}` would lose precision")),
            );
        }
    }

    #[test]
    fn a_number_out_of_range_is_refused_with_its_place() {
        assert_eq!(
            fault(r#"{"a":[1e400]}"#),
            ("/a/0".to_owned(), "the number is out of range, at line 1, column 11".to_owned())
        );
    }

    #[test]
    fn a_key_that_occurs_twice_is_refused_at_any_depth_and_after_unescaping() {
        let twice = "a key occurs twice in one object".to_owned();
        assert_eq!(fault(r#"{"a":1,"a":1}"#), ("/a".to_owned(), twice.clone()));
        assert_eq!(fault(r#"{"x":[{"a":1,"\u0061":2}]}"#), ("/x/0/a".to_owned(), twice));
    }

    #[test]
    fn nesting_is_bounded_without_recursion() {
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(parse(&deep(64)).is_ok());
        assert_eq!(fault(&deep(65)).1, "nested more than 64 levels deep");
        assert_eq!(fault(&"[".repeat(1_000_000)).1, "nested more than 64 levels deep");
        let wide = JsonLimits { bytes: 1 << 20, depth: 100_000 };
        assert!(parse_strict(deep(127).as_bytes(), wide).is_ok());
        let error = parse_strict(deep(100_000).as_bytes(), wide).unwrap_err();
        assert_eq!(error.message, "nested more than 127 levels deep");
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        let cases = [
            ("", "", "not valid JSON: it ends too early, at line 1, column 0"),
            (r#"{"a":{"b":"#, "/a/b", "not valid JSON: it ends too early, at line 1, column 10"),
            ("{} x", "", "not valid JSON: something follows the value, at line 1, column 4"),
            ("{}{}", "", "not valid JSON: something follows the value, at line 1, column 3"),
            (
                r#"["\ud800"]"#,
                "/0",
                "not valid JSON: a `\\u` escape is half of a character, at line 1, column 9",
            ),
            ("[NaN]", "/0", "not valid JSON: a value is missing or is not JSON, at line 1, column 2"),
            ("[01]", "/0", "not valid JSON: a number is not written as JSON writes it, at line 1, column 3"),
            ("[1,]", "/1", "not valid JSON: nothing follows a comma, at line 1, column 4"),
            ("{'a':1}", "", "not valid JSON: a key is not in double quotes, at line 1, column 2"),
            ("\u{feff}{}", "", "the text starts with a byte order mark"),
        ];
        for (text, pointer, message) in cases {
            assert_eq!(fault(text), (pointer.to_owned(), message.to_owned()), "{text}");
        }
    }

    #[test]
    fn invalid_utf8_is_refused_with_its_offset() {
        let error = parse_strict(b"{\"a\":\"\xff\"}", JsonLimits::default()).unwrap_err();
        assert_eq!(error.message, "not valid UTF-8 at byte 6");
    }

    #[test]
    fn length_is_bounded() {
        let limits = JsonLimits { bytes: 4, depth: 64 };
        assert!(parse_strict(b"[12]", limits).is_ok());
        assert_eq!(
            parse_strict(b"[123]", limits).unwrap_err().message,
            "the text has 5 bytes, the most is 4"
        );
    }

    #[test]
    fn keys_that_are_special_to_the_parser_underneath_are_ordinary() {
        let text = r#"{"$serde_json::private::RawValue":"[1]","$serde_json::private::Number":"1"}"#;
        assert_eq!(parse(text).unwrap().to_string(), text);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            prop::num::f64::NORMAL.prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..6)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn valid_json_is_read_as_the_reference_reads_it(value in any_json()) {
            let text = value.to_string();
            prop_assert_eq!(parse(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
        }

        #[test]
        fn bytes_never_panic_and_what_is_accepted_the_reference_accepts(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = parse_strict(&bytes, JsonLimits::default()) {
                prop_assert_eq!(Some(value), serde_json::from_slice::<Value>(&bytes).ok());
            }
        }

        #[test]
        fn json_like_text_never_panics(text in r#"[\[\]{}",:0-9eE.+\\ua\-tn ]{0,60}"#) {
            if let Ok(value) = parse(&text) {
                prop_assert_eq!(Some(value), serde_json::from_str::<Value>(&text).ok());
            }
        }
    }

    #[test]
    fn order_of_keys_is_kept() {
        assert_eq!(parse(r#"{"b":1,"a":{"d":1,"c":2}}"#).unwrap(), json!({"b": 1, "a": {"d": 1, "c": 2}}));
        assert_eq!(parse(r#"{"b":1,"a":2}"#).unwrap().to_string(), r#"{"b":1,"a":2}"#);
    }
}
