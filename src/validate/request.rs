//! Filling the templates of a request: each value is encoded for its place, and never becomes another one.

use std::time::Duration;

use serde_json::Value;

use crate::catalog::{HttpBodySpec, HttpField, HttpPart, HttpSpec};
use crate::code::{CallError, ErrorCode, Violation};
use crate::expression::Template;
use crate::workspace::{EntryKind, Workspace, WorkspacePath};

use super::fill::{argument_read, pointer_of, refusal, unfilled};
use super::wording::found;
use super::{CallBindings, HttpBody, HttpPartPlan, HttpPlan, Timing};

/// Most bytes of an address.
const MOST_URL: usize = 16 << 10;
/// Most bytes of headers together.
const MOST_HEADERS: usize = 32 << 10;
/// Most parameters, fields or parts that lists may become.
const MOST_FIELDS: usize = 4096;

/// A request about to be planned.
pub(super) struct Request<'a> {
    pub(super) http: &'a HttpSpec,
    /// The header that the effect key is sent as.
    pub(super) key_header: Option<&'a str>,
    pub(super) bindings: &'a CallBindings<'a>,
    pub(super) workspace: &'a Workspace,
    pub(super) timing: Timing,
}

impl Request<'_> {
    /// Makes the plan, with what a look at the world shows to stand in its way.
    pub(super) fn plan(&self, timeout: Duration) -> Result<(HttpPlan, Option<CallError>), CallError> {
        let mut headers = Vec::new();
        for (name, field) in &self.http.headers {
            self.each(name, field, &mut |name, value, template| {
                headers.push((name.to_owned(), plain_header(value, template)?));
                Ok(())
            })?;
        }
        let mut is_keyed = false;
        if let (Some(name), Some(key)) = (self.key_header, self.bindings.effect_key) {
            headers.push((name.to_owned(), plain_key(key)?));
            is_keyed = true;
        }
        let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        if bytes > MOST_HEADERS {
            return Err(too_much("the headers", MOST_HEADERS));
        }
        let (body, obstacle) = self.body()?;
        let plan = HttpPlan {
            method: self.http.method.clone(),
            url: self.url()?,
            headers,
            auth: self.http.auth.clone(),
            body,
            networks: self.http.networks.clone(),
            proxy: self.http.proxy.clone(),
            tls: self.http.tls.clone(),
            redirects: self.http.redirects.clone(),
            is_keyed,
            connect_timeout: self.http.connect_timeout,
            read_timeout: self.http.read_timeout,
            retries: self.http.retries,
            max_response_bytes: self.http.max_response_bytes,
            timeout,
        };
        Ok((plan, obstacle))
    }

    fn url(&self) -> Result<String, CallError> {
        let template = &self.http.url;
        let mut problem = None;
        let mut url = template
            .render_encoded(self.bindings, &mut |text| {
                problem = problem.take().or_else(|| path_problem(text).map(|words| (words, text.to_owned())));
                percent_encoded(text)
            })
            .map_err(|error| unfilled("url", &error))?;
        // A dot that the contract writes beside a placeholder counts too.
        if problem.is_none()
            && let Some(part) =
                url.splitn(4, '/').nth(3).and_then(|path| path.split('/').find(|part| climbs(part)))
        {
            problem = Some(("text that does not make a part `.` or `..` of the path", part.to_owned()));
        }
        if let Some((expected, text)) = problem {
            return Err(refusal(Violation {
                pointer: only_argument(template),
                expected: expected.to_owned(),
                found: found(&Value::String(text)),
                hint: Some("it is one part of an address".to_owned()),
            }));
        }
        let mut sign = '?';
        for (name, field) in &self.http.query {
            self.each(name, field, &mut |name, value, _| {
                url.push(sign);
                sign = '&';
                url.push_str(&percent_encoded(name));
                url.push('=');
                url.push_str(&percent_encoded(value));
                Ok(())
            })?;
        }
        if url.len() > MOST_URL { Err(too_much("the address", MOST_URL)) } else { Ok(url) }
    }

    fn body(&self) -> Result<(HttpBody, Option<CallError>), CallError> {
        Ok((
            match &self.http.body {
                HttpBodySpec::None => HttpBody::None,
                HttpBodySpec::Json(value) => {
                    HttpBody::Json(value.fill(self.bindings).map_err(|error| unfilled("body", &error))?)
                }
                HttpBodySpec::Text(template) => HttpBody::Text(
                    template.render_text(self.bindings).map_err(|error| unfilled("text", &error))?,
                ),
                HttpBodySpec::Form(fields) => {
                    let mut filled = Vec::new();
                    for (name, field) in fields {
                        self.each(name, field, &mut |name, value, _| {
                            filled.push((name.to_owned(), value.to_owned()));
                            Ok(())
                        })?;
                    }
                    HttpBody::Form(filled)
                }
                HttpBodySpec::Multipart(parts) => {
                    let (parts, obstacle) = self.parts(parts)?;
                    return Ok((HttpBody::Multipart(parts), obstacle));
                }
            },
            None,
        ))
    }

    fn parts(
        &self,
        parts: &[(String, HttpPart)],
    ) -> Result<(Vec<HttpPartPlan>, Option<CallError>), CallError> {
        let (mut planned, mut obstacle) = (Vec::new(), None);
        for (name, part) in parts {
            match part {
                HttpPart::Field(field) => self.each(name, field, &mut |name, value, _| {
                    planned.push(HttpPartPlan::Field { name: name.to_owned(), value: value.to_owned() });
                    Ok(())
                })?,
                HttpPart::File { path, filename, content_type } => {
                    let (file, problem) = self.file(path)?;
                    obstacle = obstacle.or(problem);
                    let filename = match filename {
                        Some(template) => template
                            .render_text(self.bindings)
                            .map_err(|error| unfilled("filename", &error))?,
                        None => file.file_name().unwrap_or_default().to_owned(),
                    };
                    planned.push(HttpPartPlan::File {
                        name: name.clone(),
                        file: file.as_str().to_owned(),
                        filename,
                        content_type: content_type.clone(),
                    });
                }
            }
        }
        Ok((planned, obstacle))
    }

    /// Where a file that is sent really is, and what is wrong with it in the world.
    fn file(&self, template: &Template) -> Result<(WorkspacePath, Option<CallError>), CallError> {
        let text = template.render_text(self.bindings).map_err(|error| unfilled("file", &error))?;
        let path = WorkspacePath::parse(&text)?;
        let reached = match self.workspace.resolve(&path) {
            Ok(reached) => reached,
            Err(error) => return Ok((path, Some(error))),
        };
        let obstacle = match self.workspace.kind(&reached) {
            _ if self.timing == Timing::Provisional => None,
            Ok(Some(EntryKind::File)) => None,
            Ok(_) => {
                let message = format!("`{reached}` is no file that could be sent");
                Some(CallError::new(ErrorCode::FileNotFound, message))
            }
            Err(error) => Some(error),
        };
        Ok((reached, obstacle))
    }

    /// Fills one field, which a list may make several of the same name.
    fn each(
        &self,
        name: &str,
        field: &HttpField,
        take: &mut dyn FnMut(&str, &str, &Template) -> Result<(), CallError>,
    ) -> Result<(), CallError> {
        let text = |template: &Template, item: Option<&Value>| {
            let rendered = match item {
                None => template.render_text(self.bindings),
                Some(item) => template.render_text(&CallBindings { item: Some(item), ..*self.bindings }),
            };
            rendered.map_err(|error| unfilled(name, &error))
        };
        match field {
            HttpField::One(template) => take(name, &text(template, None)?, template),
            HttpField::When { when, value } => {
                if when.evaluate_bool(self.bindings).map_err(|error| unfilled(name, &error))? {
                    take(name, &text(value, None)?, value)?;
                }
                Ok(())
            }
            HttpField::Each { each, value } => {
                let list = each.evaluate(self.bindings).map_err(|error| unfilled(name, &error))?;
                let items = list.as_array().filter(|items| items.len() <= MOST_FIELDS).ok_or_else(|| {
                    refusal(Violation {
                        pointer: argument_read(each),
                        expected: format!("a list of at most {MOST_FIELDS} items"),
                        found: found(&list),
                        hint: None,
                    })
                })?;
                items.iter().try_for_each(|item| take(name, &text(value, Some(item))?, value))
            }
        }
    }
}

fn too_much(what: &str, most: usize) -> CallError {
    let message = format!("{what} of the request would have more than {most} bytes");
    CallError::new(ErrorCode::InvalidArguments, message).with_hint("send less at a time")
}

/// The value of a header: visible text, so that it can end neither the header nor the request.
fn plain_header(value: &str, template: &Template) -> Result<String, CallError> {
    if is_header_value(value) {
        return Ok(value.to_owned());
    }
    Err(refusal(Violation {
        pointer: pointer_of(template),
        expected: "visible ASCII text, without blanks around it".to_owned(),
        found: found(&Value::String(value.to_owned())),
        hint: Some("it is sent as a header".to_owned()),
    }))
}

fn plain_key(key: &str) -> Result<String, CallError> {
    if is_header_value(key) {
        return Ok(key.to_owned());
    }
    let message = "the effect key is not visible ASCII text, which a header must be";
    Err(CallError::new(ErrorCode::InvalidArguments, message))
}

fn is_header_value(value: &str) -> bool {
    value.trim_matches(' ').len() == value.len() && value.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

/// What is wrong with a text as one part of a path.
fn path_problem(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("text that is not empty");
    }
    if text.chars().any(char::is_control) {
        return Some("text without control characters");
    }
    // A service that decodes a part before it splits the path would climb.
    climbs(text).then_some("text without a part `.` or `..`")
}

/// Whether a part of a path, decoded once, holds a step that leads elsewhere.
fn climbs(part: &str) -> bool {
    let lower = part.to_ascii_lowercase();
    let decoded = lower.replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    decoded.split(['/', '\\']).any(|step| matches!(step, "." | ".."))
}

/// Everything but letters, digits and `-._~` as `%` and two digits.
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The pointer of the argument that a template reads, where it reads exactly one.
fn only_argument(template: &Template) -> String {
    let mut expressions = template.expressions();
    match (expressions.next(), expressions.next()) {
        (Some(only), None) => argument_read(only),
        _ => String::new(),
    }
}
