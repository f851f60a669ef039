//! Forms of several parts, with files of the workspace in them.

use std::io::Read as _;

use hyper::body::Bytes;
use sha2::{Digest as _, Sha256};

use crate::catalog::Digest;
use crate::code::{CallError, ErrorCode};
use crate::execute::Preview;
use crate::present::DisplayBody;
use crate::text;
use crate::validate::{HttpBody, HttpPartPlan, HttpPlan, percent_encoded};
use crate::workspace::{Workspace, WorkspacePath};

/// Most bytes that a request sends.
const MOST_BYTES: usize = 64 << 20;
/// Characters of a file's digest that a person is shown.
const SHOWN_DIGEST: usize = 23;

/// A form as `application/x-www-form-urlencoded`.
pub(super) fn encoded(fields: &[(String, String)]) -> String {
    let pair =
        |(name, value): &(String, String)| format!("{}={}", percent_encoded(name), percent_encoded(value));
    fields.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// A form of several parts, and its content type.
///
/// # Errors
/// `FILE_NOT_FOUND` and its like for a file that cannot be read, or is not the one that was decided about;
/// `PRECONDITION_FAILED` where files are not as the person saw them; `INVALID_ARGUMENTS` where they are too large.
pub(super) fn multipart(
    parts: &[HttpPartPlan],
    workspace: &Workspace,
    expected: Option<Digest>,
) -> Result<(Bytes, String), CallError> {
    let boundary = boundary()?;
    let files = Files::read(parts, workspace)?;
    if expected.is_some_and(|expected| expected != files.basis()) {
        let message = "a file that would be sent changed since the person saw it";
        return Err(CallError::new(ErrorCode::PreconditionFailed, message).with_hint("send the call again"));
    }
    let mut contents = files.contents.iter();
    let mut bytes = Vec::new();
    for part in parts {
        let (name, more, value) = match part {
            HttpPartPlan::Field { name, value } => (name, String::new(), value.as_bytes()),
            HttpPartPlan::File { name, filename, content_type, .. } => {
                let more = format!("; filename=\"{}\"\r\nContent-Type: {content_type}", quoted(filename));
                (name, more, contents.next().map(Vec::as_slice).unwrap_or_default())
            }
        };
        let name = quoted(name);
        let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n");
        bytes.extend_from_slice(head.as_bytes());
        bytes.extend_from_slice(value);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    if bytes.len() > MOST_BYTES {
        return Err(too_large());
    }
    Ok((bytes.into(), format!("multipart/form-data; boundary={boundary}")))
}

/// The files of a form as they are now.
struct Files {
    contents: Vec<Vec<u8>>,
}

impl Files {
    fn read(parts: &[HttpPartPlan], workspace: &Workspace) -> Result<Self, CallError> {
        let mut room = MOST_BYTES;
        let mut contents = Vec::new();
        for part in parts {
            let HttpPartPlan::File { file, .. } = part else { continue };
            let content = read(file, workspace, room)?;
            room = room.checked_sub(content.len()).ok_or_else(too_large)?;
            contents.push(content);
        }
        Ok(Self { contents })
    }

    /// What a yes that was given to these files rests on.
    fn basis(&self) -> Digest {
        let mut hasher = Sha256::new();
        for content in &self.contents {
            hasher.update((content.len() as u64).to_be_bytes());
            hasher.update(content);
        }
        Digest(hasher.finalize().into())
    }
}

/// What a person is shown of the files that a request would send; `None` where it sends none.
///
/// # Errors
/// Why one of them cannot be read.
pub(in crate::execute) fn preview(
    plan: &HttpPlan,
    workspace: &Workspace,
) -> Result<Option<Preview>, CallError> {
    let HttpBody::Multipart(parts) = &plan.body else { return Ok(None) };
    let files = Files::read(parts, workspace)?;
    if files.contents.is_empty() {
        return Ok(None);
    }
    let named = parts.iter().filter_map(|part| match part {
        HttpPartPlan::Field { .. } => None,
        HttpPartPlan::File { file, .. } => Some(file),
    });
    let rows = named.zip(&files.contents).map(|(file, content)| {
        let digest = Digest(Sha256::digest(content).into()).to_string();
        vec![file.clone(), content.len().to_string(), text::head(&digest, SHOWN_DIGEST).to_owned()]
    });
    let columns = ["file", "bytes", "digest"].map(str::to_owned).to_vec();
    let body = DisplayBody::Table { columns, rows: rows.collect() };
    Ok(Some(Preview { body, basis: files.basis() }))
}

fn read(file: &str, workspace: &Workspace, room: usize) -> Result<Vec<u8>, CallError> {
    let path = WorkspacePath::parse(file)?;
    let opened = workspace.open_file(&path)?;
    if opened.path() != &path {
        let message = format!("`{path}` leads elsewhere than when the call was decided");
        return Err(CallError::new(ErrorCode::PreconditionFailed, message).with_hint("send the call again"));
    }
    let mut content = Vec::new();
    let unreadable = |_| CallError::new(ErrorCode::FileNotFound, format!("`{path}` cannot be read"));
    opened.file().take(room as u64 + 1).read_to_end(&mut content).map_err(unreadable)?;
    Ok(content)
}

fn too_large() -> CallError {
    let message = format!("the request would send more than {} MiB", MOST_BYTES >> 20);
    CallError::new(ErrorCode::InvalidArguments, message).with_hint("send less at a time")
}

/// A text between quotes, so that it can end neither them nor the line.
fn quoted(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' => "%22".to_owned(),
            '\r' => "%0D".to_owned(),
            '\n' => "%0A".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

/// A line that occurs in no part, but by guessing 128 bits.
fn boundary() -> Result<String, CallError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|_| CallError::new(ErrorCode::Internal, "the system gives no random numbers"))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
