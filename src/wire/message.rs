//! Telling shapes apart, and finding the calls inside a provider's message.

use serde_json::{Map, Value};

use super::Shape;

/// An object of a line, recognised.
pub(super) enum Recognised {
    /// One call in this shape.
    Call(Shape, Map<String, Value>),
    /// The calls of one provider message, each an item of its shape.
    Message(Shape, Vec<Value>),
    /// A message, or something that looks like one, in which nothing is called.
    NoCall(Shape, Map<String, Value>),
    /// `{"cancel": id}`, or what was meant to be one.
    Cancel(Map<String, Value>),
    /// The marks of several shapes.
    Ambiguous(Vec<Shape>, Map<String, Value>),
}

/// Recognises an object by its marks. One mark decides; two shapes' marks decide nothing.
pub(super) fn recognise(object: Map<String, Value>) -> Recognised {
    let marks = Marks::of(&object);
    if marks.cancel {
        return Recognised::Cancel(object);
    }
    let mut shapes = marks.shapes.iter();
    match (shapes.next(), shapes.next()) {
        (None, _) if marks.message => Recognised::NoCall(Shape::Native, object),
        (None, _) => Recognised::Call(Shape::Native, object),
        (Some(shape), None) => within(shape, object),
        (Some(_), Some(_)) => Recognised::Ambiguous(marks.shapes.iter().collect(), object),
    }
}

/// Where the calls of a shape stand: in the object itself, or in one of its lists.
struct Places {
    bare: fn(&Map<String, Value>) -> bool,
    lists: &'static [&'static str],
    is_call: fn(&Value) -> bool,
}

fn places(shape: Shape) -> Places {
    match shape {
        Shape::Native | Shape::Mcp => Places { bare: |_| true, lists: &[], is_call: |_| true },
        Shape::OpenAiChat => Places {
            bare: |object| object.contains_key("function"),
            lists: &["/choices/0/message/tool_calls", "/tool_calls"],
            is_call: |_| true,
        },
        Shape::OpenAiResponses => Places {
            bare: |object| object.get("type").is_some_and(|kind| kind == "function_call"),
            lists: &["/output"],
            is_call: |item| has_type(item, "function_call"),
        },
        Shape::Anthropic => Places {
            bare: |object| object.get("type").is_some_and(|kind| kind == "tool_use"),
            lists: &["/content"],
            is_call: |block| has_type(block, "tool_use"),
        },
        Shape::Gemini => Places {
            bare: |object| object.contains_key("functionCall"),
            lists: &["/candidates/0/content/parts", "/content/parts", "/parts"],
            is_call: |part| part.get("functionCall").is_some(),
        },
        Shape::Bedrock => Places {
            bare: |object| object.contains_key("toolUse"),
            lists: &["/output/message/content", "/content"],
            is_call: |block| block.get("toolUse").is_some(),
        },
    }
}

/// Takes the calls of one shape out of an object that carries its marks.
fn within(shape: Shape, mut object: Map<String, Value>) -> Recognised {
    let places = places(shape);
    let bare = (places.bare)(&object);
    let mut lists = places.lists.iter().filter_map(|path| take_list(&mut object, path));
    match (bare, lists.next(), lists.next()) {
        (true, None, _) => Recognised::Call(shape, object),
        (false, Some(list), None) => {
            let calls: Vec<Value> = list.into_iter().filter(places.is_call).collect();
            if calls.is_empty() {
                Recognised::NoCall(shape, object)
            } else {
                Recognised::Message(shape, calls)
            }
        }
        (false, None, _) => Recognised::NoCall(shape, object),
        (true, Some(_), _) | (false, Some(_), Some(_)) => Recognised::Ambiguous(vec![shape], object),
    }
}

/// Takes the array at a path of keys and indices that starts with a key.
fn take_list(object: &mut Map<String, Value>, path: &str) -> Option<Vec<Value>> {
    let path = path.strip_prefix('/')?;
    let (key, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
    object.get_mut(key)?.pointer_mut(rest)?.as_array_mut().map(std::mem::take)
}

fn has_type(item: &Value, wanted: &str) -> bool {
    item.get("type").and_then(Value::as_str) == Some(wanted)
}

/// The shapes whose marks an object carries, as a set.
#[derive(Clone, Copy, Default)]
struct ShapeSet(u8);

impl ShapeSet {
    const ALL: [Shape; 7] = [
        Shape::Native,
        Shape::OpenAiChat,
        Shape::OpenAiResponses,
        Shape::Anthropic,
        Shape::Gemini,
        Shape::Bedrock,
        Shape::Mcp,
    ];

    fn add(&mut self, shape: Shape) {
        self.0 |= 1 << shape as u8;
    }

    fn has(self, shape: Shape) -> bool {
        self.0 & (1 << shape as u8) != 0
    }

    fn iter(self) -> impl Iterator<Item = Shape> {
        Self::ALL.into_iter().filter(move |shape| self.has(*shape))
    }
}

#[derive(Default)]
struct Marks {
    shapes: ShapeSet,
    cancel: bool,
    /// A message's own keys, which say nothing about the shape.
    message: bool,
}

impl Marks {
    fn of(object: &Map<String, Value>) -> Self {
        let mut marks = Self::default();
        let (mut name, mut arguments, mut expects) = (false, false, false);
        for (key, value) in object {
            match key.as_str() {
                "name" => name = true,
                "arguments" => arguments = true,
                "expects" => expects = true,
                "cancel" => marks.cancel = true,
                "role" => marks.message = true,
                "type" => match value.as_str() {
                    Some("function_call") => marks.shapes.add(Shape::OpenAiResponses),
                    Some("tool_use") => marks.shapes.add(Shape::Anthropic),
                    _ => {}
                },
                "tool_calls" if !value.is_null() => marks.shapes.add(Shape::OpenAiChat),
                "function" if value.is_object() => marks.shapes.add(Shape::OpenAiChat),
                "choices" => marks.shapes.add(Shape::OpenAiChat),
                "toolUse" => marks.shapes.add(Shape::Bedrock),
                "functionCall" | "parts" | "candidates" => marks.shapes.add(Shape::Gemini),
                "method" | "jsonrpc" => marks.shapes.add(Shape::Mcp),
                "output" if value.is_array() => marks.shapes.add(Shape::OpenAiResponses),
                "output" if value.is_object() => marks.shapes.add(Shape::Bedrock),
                "content" => {
                    marks.message = true;
                    marks.add_content(value);
                }
                _ => {}
            }
        }
        // A message may name its speaker, and some items have a name or arguments of their own; whatever else has
        // them beside another shape's marks would be read in two ways.
        let own_name =
            marks.message || marks.shapes.has(Shape::OpenAiResponses) || marks.shapes.has(Shape::Anthropic);
        let own_arguments = marks.shapes.has(Shape::OpenAiResponses);
        if expects || (arguments && !own_arguments) || (name && !own_name) {
            marks.shapes.add(Shape::Native);
        }
        marks
    }

    fn add_content(&mut self, content: &Value) {
        match content {
            Value::Array(blocks) => {
                for block in blocks {
                    if has_type(block, "tool_use") {
                        self.shapes.add(Shape::Anthropic);
                    }
                    if block.get("toolUse").is_some() {
                        self.shapes.add(Shape::Bedrock);
                    }
                }
            }
            Value::Object(_) => self.shapes.add(Shape::Gemini),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
