//! References within a schema: that they lead somewhere, come to an end, and do not multiply.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Report, Span};

/// Most subschemas that a schema may unfold to once its references are followed.
const MOST_UNFOLDED: u64 = 100_000;

/// One subschema.
#[derive(Debug)]
pub(super) struct Vertex {
    /// Its RFC 6901 pointer.
    pub(super) pointer: String,
    /// Where it stands.
    pub(super) span: Span,
    /// Subschemas that look at the same value.
    pub(super) in_place: Vec<usize>,
    /// Subschemas that look at a part of it.
    pub(super) deeper: Vec<usize>,
    /// What it refers to: the pointer after `#`, and where that is written.
    pub(super) reference: Option<(String, Span)>,
}

/// Checks the references of a schema, whose subschemas are `vertices` with the root first.
pub(super) fn check(vertices: &mut [Vertex], report: &mut Report) {
    if vertices.iter().all(|vertex| vertex.reference.is_none()) {
        return;
    }
    let places: HashMap<String, usize> =
        vertices.iter().enumerate().map(|(at, vertex)| (vertex.pointer.clone(), at)).collect();
    let mut resolved = true;
    for vertex in vertices.iter_mut() {
        let Some((target, span)) = &vertex.reference else { continue };
        match places.get(target) {
            // A reference looks at the same value.
            Some(at) => vertex.in_place.push(*at),
            None => {
                resolved = false;
                let message = format!("`#{target}` names no schema in this one");
                report.push(
                    Diagnostic::error(*span, message).with_hint("write `#/$defs/name` and define it there"),
                );
            }
        }
    }
    if !resolved {
        return;
    }
    if let Some(looping) = endless(vertices) {
        let message = "this schema refers to itself for the same value, which never ends";
        report.push(Diagnostic::error(looping, message).with_hint("recurse through `properties` or `items`"));
    } else if unfolded(vertices) > MOST_UNFOLDED {
        let span = vertices.first().map(|root| root.span);
        if let Some(span) = span {
            let message =
                format!("the references of this schema unfold to more than {MOST_UNFOLDED} schemas");
            report.push(Diagnostic::error(span, message).with_hint("nest fewer references"));
        }
    }
}

/// The place of a subschema on a loop of in-place steps.
fn endless(vertices: &[Vertex]) -> Option<Span> {
    // Vertices without unvisited predecessors are removed until only loops and what hangs on them are left.
    let mut predecessors = vec![0_usize; vertices.len()];
    for next in vertices.iter().flat_map(|vertex| &vertex.in_place) {
        if let Some(count) = predecessors.get_mut(*next) {
            *count += 1;
        }
    }
    let mut free: Vec<usize> =
        predecessors.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect();
    while let Some(at) = free.pop() {
        for next in vertices.get(at).map_or(&[][..], |vertex| &vertex.in_place) {
            if let Some(count) = predecessors.get_mut(*next) {
                *count -= 1;
                if *count == 0 {
                    free.push(*next);
                }
            }
        }
    }
    let stuck = |vertex: &(usize, &Vertex)| predecessors.get(vertex.0).is_some_and(|count| *count > 0);
    let on_loop = vertices.iter().enumerate().filter(stuck).find(|(_, vertex)| vertex.reference.is_some());
    on_loop.map(|(_, vertex)| vertex.reference.as_ref().map_or(vertex.span, |(_, span)| *span))
}

/// How many subschemas the root unfolds to, a recursive step counting as one. Each is looked at once.
fn unfolded(vertices: &[Vertex]) -> u64 {
    #[derive(Clone, Copy)]
    enum Size {
        Unknown,
        Open,
        Known(u64),
    }
    let mut sizes = vec![Size::Unknown; vertices.len()];
    let mut stack = vec![(0_usize, false)];
    while let Some((at, children_done)) = stack.pop() {
        let (Some(vertex), Some(size)) = (vertices.get(at), sizes.get(at).copied()) else { continue };
        let children = || vertex.in_place.iter().chain(&vertex.deeper).copied();
        if children_done {
            let sum = children().fold(1_u64, |sum, child| match sizes.get(child) {
                Some(Size::Known(size)) => sum.saturating_add(*size),
                Some(Size::Open | Size::Unknown) | None => sum.saturating_add(1),
            });
            if let Some(slot) = sizes.get_mut(at) {
                *slot = Size::Known(sum);
            }
        } else if matches!(size, Size::Unknown) {
            if let Some(slot) = sizes.get_mut(at) {
                *slot = Size::Open;
            }
            stack.push((at, true));
            stack.extend(children().map(|child| (child, false)));
        }
    }
    match sizes.first() {
        Some(Size::Known(size)) => *size,
        Some(Size::Open | Size::Unknown) | None => 0,
    }
}
