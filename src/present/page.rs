//! Pages of a stored value: what `tgw results` prints and what `tgw__read_result` returns.

use serde_json::{Value, json};

use crate::code::{CallError, ErrorCode, Violation};
use crate::text;

use super::bound::{LINE_BYTES, Units};
use super::query::Query;

/// Which page.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest<'a> {
    /// The first line or row, from 1; 0 is read as 1.
    pub offset: u64,
    /// Most lines or rows.
    pub limit: u64,
    /// Most bytes; never less than one line's worth is used.
    pub bytes: usize,
    /// RFC 9535 JSONPath of the part that is paged.
    pub filter: Option<&'a str>,
}

/// A page of a stored value.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its text.
    pub content: String,
    /// How much there is in all: `{"lines":…}` or `{"rows":…}`.
    pub total: Value,
    /// Where the next page starts, where there is one.
    pub next: Option<Value>,
}

/// Makes one page: lines of a text, rows of a list as JSON, or the lines of any other value's indented JSON.
///
/// # Errors
/// `INVALID_ARGUMENTS` with a violation at `/filter` or `/offset`.
pub fn page(value: &Value, request: &PageRequest<'_>) -> Result<Page, CallError> {
    let selected = match request.filter {
        Some(filter) => Some(select(value, filter)?),
        None => None,
    };
    let units = Units::of(selected.as_ref().unwrap_or(value));
    let first = usize::try_from(request.offset.max(1)).unwrap_or(usize::MAX) - 1;
    if first > 0 && first >= units.len() {
        return Err(refused(
            "/offset",
            format!("at most {}", units.len().max(1)),
            request.offset.to_string(),
            "start at 1, or at the `next` of the page before",
        ));
    }
    let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
    let bytes = request.bytes.max(LINE_BYTES);
    let (content, count) = units.page(first, bytes, limit);
    let (content, count) = if count == 0 && limit > 0 && first < units.len() {
        // One row alone is larger than a page: its beginning is shown, and the next page goes on after it.
        let (row, _) = units.page(first, usize::MAX, 1);
        (text::head(&row, bytes).to_owned(), 1)
    } else {
        (content, count)
    };
    let end = first + count;
    let next = (end < units.len()).then(|| json!({ "offset": end + 1 }));
    Ok(Page { content, total: units.total(), next })
}

fn select(value: &Value, filter: &str) -> Result<Value, CallError> {
    Query::parse(filter).and_then(|query| query.select(value)).map_err(|expected| {
        let found = text::fit(&text::escape(filter), 80, true);
        refused("/filter", expected, found, "a path like `$.items[0:20]` or `$.items[?@.id == 7]`")
    })
}

fn refused(pointer: &str, expected: String, found: String, hint: &str) -> CallError {
    CallError::new(ErrorCode::InvalidArguments, format!("argument `{pointer}` must be {expected}"))
        .with_violations(vec![Violation {
            pointer: pointer.to_owned(),
            expected,
            found,
            hint: Some(hint.to_owned()),
        }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(offset: u64, limit: u64) -> PageRequest<'static> {
        PageRequest { offset, limit, bytes: 32 << 10, filter: None }
    }

    #[test]
    fn pages_of_text_follow_each_other_to_the_end() {
        let value = json!("1\n2\n3\n4\n5");
        let first = page(&value, &request(0, 2)).unwrap();
        assert_eq!(
            first,
            Page { content: "1\n2\n".into(), total: json!({"lines": 5}), next: Some(json!({"offset": 3})) }
        );
        assert_eq!(page(&value, &request(3, 2)).unwrap().content, "3\n4\n");
        assert_eq!(
            page(&value, &request(5, 2)).unwrap(),
            Page { content: "5".into(), total: json!({"lines": 5}), next: None }
        );
    }

    #[test]
    fn a_filter_is_applied_before_paging() {
        let value = json!({"items": [{"id": 1}, {"id": 2}, {"id": 3}]});
        let request = PageRequest { filter: Some("$.items[?@.id > 1]"), ..request(1, 1) };
        assert_eq!(
            page(&value, &request).unwrap(),
            Page {
                content: r#"[{"id":2}]"#.into(),
                total: json!({"rows": 2}),
                next: Some(json!({"offset": 2}))
            }
        );
    }

    #[test]
    fn a_row_larger_than_a_page_does_not_stop_the_pages() {
        let value = json!(["x".repeat(10_000), "y"]);
        let small = PageRequest { bytes: 0, ..request(1, 10) };
        let first = page(&value, &small).unwrap();
        assert_eq!((first.content.len(), first.next), (LINE_BYTES, Some(json!({"offset": 2}))));
        assert_eq!(page(&value, &PageRequest { offset: 2, ..small }).unwrap().content, r#"["y"]"#);
    }

    #[test]
    fn an_offset_past_the_end_and_a_broken_filter_are_refused_with_their_place() {
        let past = page(&json!("a"), &request(2, 1)).unwrap_err();
        assert_eq!(past.violations[0].pointer, "/offset");
        let broken = page(&json!({}), &PageRequest { filter: Some("$["), ..request(1, 1) }).unwrap_err();
        assert_eq!(
            (broken.code, broken.violations[0].pointer.as_str()),
            (ErrorCode::InvalidArguments, "/filter")
        );
    }

    #[test]
    fn nothing_is_one_empty_page() {
        assert_eq!(page(&json!(""), &request(1, 5)).unwrap().content, "");
        assert_eq!(page(&json!([]), &request(1, 5)).unwrap().content, "[]");
    }
}
