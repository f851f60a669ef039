//! Forms of several parts, with files of the workspace in them.

use std::io::Read as _;
use std::sync::Arc;

use hyper::body::Bytes;

use crate::code::{CallError, ErrorCode};
use crate::validate::{HttpPartPlan, percent_encoded};
use crate::workspace::{Workspace, WorkspacePath};

/// Most bytes that a request sends.
const MOST_BYTES: usize = 64 << 20;

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
/// `INVALID_ARGUMENTS` where it is too large.
pub(super) fn multipart(
    parts: &[HttpPartPlan],
    workspace: &Arc<Workspace>,
) -> Result<(Bytes, String), CallError> {
    let boundary = boundary()?;
    let mut bytes = Vec::new();
    for part in parts {
        let (name, file) = match part {
            HttpPartPlan::Field { name, .. } => (name, String::new()),
            HttpPartPlan::File { name, filename, content_type, .. } => {
                (name, format!("; filename=\"{}\"\r\nContent-Type: {content_type}", quoted(filename)))
            }
        };
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"{file}\r\n\r\n",
            quoted(name)
        );
        bytes.extend_from_slice(head.as_bytes());
        match part {
            HttpPartPlan::Field { value, .. } => bytes.extend_from_slice(value.as_bytes()),
            HttpPartPlan::File { file, .. } => read(file, workspace, &mut bytes)?,
        }
        if bytes.len() > MOST_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((bytes.into(), format!("multipart/form-data; boundary={boundary}")))
}

fn read(file: &str, workspace: &Arc<Workspace>, bytes: &mut Vec<u8>) -> Result<(), CallError> {
    let path = WorkspacePath::parse(file)?;
    let opened = workspace.open_file(&path)?;
    if opened.path() != &path {
        let message = format!("`{path}` leads elsewhere than when the call was decided");
        return Err(CallError::new(ErrorCode::PreconditionFailed, message).with_hint("send the call again"));
    }
    let room = MOST_BYTES.saturating_sub(bytes.len()) as u64 + 1;
    let unreadable = |_| CallError::new(ErrorCode::FileNotFound, format!("`{path}` cannot be read"));
    opened.file().take(room).read_to_end(bytes).map_err(unreadable)?;
    Ok(())
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
