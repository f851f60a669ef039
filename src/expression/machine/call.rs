//! Functions.

use std::borrow::Cow;
use std::sync::Arc;

use crate::expression::node::{Function, Node};
use crate::expression::number::{double_to_text, in_range};
use crate::expression::path::{NormalPath, shorten};
use crate::expression::types::Kinds;
use crate::expression::url::{Url, host_matches};
use crate::expression::value::Val;
use crate::text::json_text;

use super::operators::{items, length};
use super::{Fault, Machine};

impl<'a> Machine<'a> {
    pub(super) fn text(&mut self, node: &'a Node) -> Result<Cow<'a, str>, Fault<'a>> {
        match self.value(node)? {
            Val::Text(text) => Ok(text),
            other => Err(Fault::kinds("a string", other.kind())),
        }
    }

    pub(super) fn path(&mut self, node: &'a Node) -> Result<Arc<NormalPath>, Fault<'a>> {
        match self.value(node)? {
            Val::Path(path) => Ok(path),
            other => Err(Fault::kinds("a path", other.kind())),
        }
    }

    fn url(&mut self, node: &'a Node) -> Result<Arc<Url>, Fault<'a>> {
        match self.value(node)? {
            Val::Url(url) => Ok(url),
            other => Err(Fault::kinds("a url", other.kind())),
        }
    }

    fn list(&mut self, node: &'a Node) -> Result<Val<'a>, Fault<'a>> {
        match self.value(node)? {
            list @ (Val::JsonList(_) | Val::List(_)) => Ok(list),
            other => Err(Fault::kinds("a list", other.kind())),
        }
    }

    /// Two texts, paid for.
    fn texts(
        &mut self,
        first: &'a Node,
        second: &'a Node,
    ) -> Result<(Cow<'a, str>, Cow<'a, str>), Fault<'a>> {
        let (first, second) = (self.text(first)?, self.text(second)?);
        self.charge_text(first.len() + second.len())?;
        Ok((first, second))
    }

    /// Calls a function. The checker made sure of the number of arguments.
    pub(super) fn call(&mut self, function: Function, arguments: &'a [Node]) -> Result<Val<'a>, Fault<'a>> {
        match (function, arguments) {
            (Function::Size, [value]) => self.size(value),
            (Function::ToText, [value]) => {
                let value = self.value(value)?;
                to_text(value)
            }
            (Function::ToInt, [value]) => {
                let value = self.value(value)?;
                to_int(&value)
            }
            (Function::ToDouble, [value]) => {
                let value = self.value(value)?;
                to_double(&value)
            }
            (Function::ToBool, [value]) => match self.value(value)? {
                Val::Bool(value) => Ok(Val::Bool(value)),
                Val::Text(text) if text == "true" => Ok(Val::Bool(true)),
                Val::Text(text) if text == "false" => Ok(Val::Bool(false)),
                Val::Text(text) => {
                    Err(Fault::value(format!("`{}` is neither true nor false", shorten(&text))))
                }
                other => Err(Fault::kinds("a bool or a string", other.kind())),
            },
            (Function::Json, [value]) => self.json(value),
            (Function::Contains, [text, part]) => {
                let (text, part) = self.texts(text, part)?;
                Ok(Val::Bool(text.contains(&*part)))
            }
            (Function::StartsWith, [text, part]) => {
                let (text, part) = (self.text(text)?, self.text(part)?);
                Ok(Val::Bool(text.starts_with(&*part)))
            }
            (Function::EndsWith, [text, part]) => {
                let (text, part) = (self.text(text)?, self.text(part)?);
                Ok(Val::Bool(text.ends_with(&*part)))
            }
            (Function::LowerAscii, [text]) => self.mapped(text, str::to_ascii_lowercase),
            (Function::UpperAscii, [text]) => self.mapped(text, str::to_ascii_uppercase),
            (Function::Trim, [text]) => Ok(Val::Text(match self.text(text)? {
                Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
                Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
            })),
            (Function::Split, [text, separator]) => self.split(text, separator),
            (Function::Join, [list]) => self.join(list, None),
            (Function::Join, [list, separator]) => self.join(list, Some(separator)),
            (Function::Substring, [text, start]) => self.substring(text, start, None),
            (Function::Substring, [text, start, end]) => self.substring(text, start, Some(end)),
            (Function::Provenance, [pointer]) => {
                let pointer = self.text(pointer)?;
                if !is_pointer(&pointer) {
                    return Err(Fault::value(format!("`{}` is no JSON pointer", shorten(&pointer))));
                }
                Ok(Val::Text(Cow::Borrowed(self.bindings.provenance(&pointer))))
            }
            (Function::UntrustedArguments, []) => {
                let pointers = self.bindings.untrusted_arguments();
                self.charge(pointers.len() as u64)?;
                Ok(Val::List(pointers.into_iter().map(|pointer| Val::Text(Cow::Owned(pointer))).collect()))
            }
            (Function::Path, [text]) => {
                let text = self.text(text)?;
                self.charge_text(text.len())?;
                NormalPath::parse(&text).map(|path| Val::Path(Arc::new(path))).map_err(Fault::value)
            }
            (Function::Under(case), [path, directory]) => {
                let path = self.path(path)?;
                let directory = match self.value(directory)? {
                    Val::Path(directory) => directory,
                    Val::Text(text) => NormalPath::parse(&text).map(Arc::new).map_err(Fault::value)?,
                    other => return Err(Fault::kinds("a directory", other.kind())),
                };
                self.charge_text(path.as_str().len() + directory.as_str().len())?;
                path.under(&directory, case).map(Val::Bool).map_err(Fault::value)
            }
            (Function::PathName, [path]) => Ok(owned(self.path(path)?.name())),
            (Function::PathExtension, [path]) => Ok(owned(self.path(path)?.extension())),
            (Function::PathParts, [path]) => {
                let path = self.path(path)?;
                self.charge(path.parts().count() as u64)?;
                Ok(Val::List(path.parts().map(owned).collect()))
            }
            (Function::Url, [text]) => {
                let text = self.text(text)?;
                self.charge_text(text.len())?;
                Url::parse(&text).map(|url| Val::Url(Arc::new(url))).map_err(Fault::value)
            }
            (Function::UrlScheme, [url]) => Ok(owned(self.url(url)?.scheme())),
            (Function::UrlHost, [url]) => Ok(owned(self.url(url)?.host())),
            (Function::UrlPort, [url]) => match self.url(url)?.port() {
                Some(port) => Ok(Val::Int(port.into())),
                None => Err(Fault::value("the url states no port and its scheme has none of its own")),
            },
            (Function::UrlPath, [url]) => Ok(owned(self.url(url)?.path())),
            (Function::HostMatches, [url, pattern]) => {
                let (url, pattern) = (self.url(url)?, self.text(pattern)?);
                self.charge_text(pattern.len())?;
                host_matches(url.host(), &pattern).map(Val::Bool).map_err(Fault::value)
            }
            _ => Err(Fault::value("a call with another number of arguments than was checked")),
        }
    }

    fn size(&mut self, node: &'a Node) -> Result<Val<'a>, Fault<'a>> {
        let value = self.value(node)?;
        let size = match &value {
            Val::Text(text) => {
                self.charge_text(text.len())?;
                text.chars().count()
            }
            Val::JsonList(_) | Val::List(_) | Val::JsonObject(_) | Val::Object(_) => length(&value),
            other => return Err(Fault::kinds("a string, a list or an object", other.kind())),
        };
        Ok(Val::Int(size as i128))
    }

    fn json(&mut self, node: &'a Node) -> Result<Val<'a>, Fault<'a>> {
        let unfit = || Fault::value("the value cannot be written as JSON");
        let text = match self.splice(node) {
            Some(stored) => json_text(&*stored?),
            None => json_text(&self.value(node)?.to_json().ok_or_else(unfit)?),
        };
        self.charge_text(text.len())?;
        Ok(Val::Text(Cow::Owned(text)))
    }

    fn mapped(&mut self, node: &'a Node, map: fn(&str) -> String) -> Result<Val<'a>, Fault<'a>> {
        let text = self.text(node)?;
        self.charge_text(text.len())?;
        Ok(Val::Text(Cow::Owned(map(&text))))
    }

    fn split(&mut self, text: &'a Node, separator: &'a Node) -> Result<Val<'a>, Fault<'a>> {
        let (text, separator) = self.texts(text, separator)?;
        let parts: Vec<Val<'a>> = match &separator {
            separator if separator.is_empty() => text.chars().map(|c| owned(&c.to_string())).collect(),
            separator => text.split(&**separator).map(owned).collect(),
        };
        self.charge(parts.len() as u64)?;
        Ok(Val::List(parts.into()))
    }

    fn join(&mut self, list: &'a Node, separator: Option<&'a Node>) -> Result<Val<'a>, Fault<'a>> {
        let list = self.list(list)?;
        let separator = separator.map(|node| self.text(node)).transpose()?.unwrap_or_default();
        let mut joined = String::new();
        for (index, item) in items(&list).enumerate() {
            let Val::Text(text) = item else { return Err(Fault::kinds("a list of strings", item.kind())) };
            self.charge_text(64 + text.len() + separator.len())?;
            if index > 0 {
                joined.push_str(&separator);
            }
            joined.push_str(&text);
        }
        Ok(Val::Text(Cow::Owned(joined)))
    }

    /// Characters from `start` to before `end`, both counted from 0.
    fn substring(
        &mut self,
        text: &'a Node,
        start: &'a Node,
        end: Option<&'a Node>,
    ) -> Result<Val<'a>, Fault<'a>> {
        let text = self.text(text)?;
        self.charge_text(text.len())?;
        let count = text.chars().count();
        let start = self.position(start, count)?;
        let end = end.map_or(Ok(count), |node| self.position(node, count))?;
        if start > end {
            return Err(Fault::value("a substring that ends before it starts"));
        }
        Ok(Val::Text(Cow::Owned(text.chars().skip(start).take(end - start).collect())))
    }

    fn position(&mut self, node: &'a Node, count: usize) -> Result<usize, Fault<'a>> {
        match self.value(node)? {
            Val::Int(at) => usize::try_from(at)
                .ok()
                .filter(|at| *at <= count)
                .ok_or_else(|| Fault::value(format!("position {at} of a text of {count} characters"))),
            other => Err(Fault::kinds("a position", other.kind())),
        }
    }
}

/// Whether a text is an RFC 6901 pointer.
pub(in crate::expression) fn is_pointer(text: &str) -> bool {
    let escapes_are_whole =
        text.split('~').skip(1).all(|after| after.starts_with('0') || after.starts_with('1'));
    (text.is_empty() || text.starts_with('/')) && escapes_are_whole
}

fn owned<'a>(text: &str) -> Val<'a> {
    Val::Text(Cow::Owned(text.to_owned()))
}

fn to_text(value: Val<'_>) -> Result<Val<'_>, Fault<'_>> {
    Ok(Val::Text(match value {
        Val::Text(text) => text,
        Val::Bool(value) => Cow::Borrowed(if value { "true" } else { "false" }),
        Val::Int(value) => Cow::Owned(value.to_string()),
        Val::Double(value) => Cow::Owned(double_to_text(value)),
        Val::Path(path) => Cow::Owned(path.to_string()),
        Val::Url(url) => Cow::Owned(url.to_string()),
        other => return Err(Fault::kinds("a string, a number or a bool", other.kind())),
    }))
}

fn to_int<'a>(value: &Val<'a>) -> Result<Val<'a>, Fault<'a>> {
    match value {
        Val::Int(value) => Ok(Val::Int(*value)),
        // The cast saturates, and a saturated value is far outside the range.
        Val::Double(value) if !value.is_nan() => in_range(value.trunc() as i128)
            .map(Val::Int)
            .ok_or(Fault::Arithmetic("the number is outside the 64-bit integers")),
        Val::Text(text) => text
            .parse::<i128>()
            .ok()
            .and_then(in_range)
            .map(Val::Int)
            .ok_or_else(|| Fault::value(format!("`{}` is no 64-bit integer", shorten(text)))),
        other => Err(Fault::kinds("a number or a string", other.kind())),
    }
}

fn to_double<'a>(value: &Val<'a>) -> Result<Val<'a>, Fault<'a>> {
    match value {
        Val::Double(value) => Ok(Val::Double(*value)),
        Val::Int(value) => Ok(Val::Double(*value as f64)),
        Val::Text(text) => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Val::Double(value)),
            _ => Err(Fault::value(format!("`{}` is no decimal number", shorten(text)))),
        },
        other => Err(Fault::kinds("a number or a string", other.kind())),
    }
}

/// What `size` takes.
pub(in crate::expression) const SIZED: Kinds = Kinds::TEXT.or(Kinds::LIST).or(Kinds::OBJECT);
