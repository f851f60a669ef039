//! What the gateway itself looks at for a call: before it, while a backend works on it, after it.

use crate::catalog::{OperationSpec, PreconditionSpec, ReconcileSpec, Risk, VerifySpec};
use crate::diagnostic::{Report, Span};
use crate::document::Fields;

use super::compile::Compiler;
use super::operation::operation;
use super::preconditions::preconditions;
use super::reconcile::reconcile;
use super::verify::verify;

/// The probes of a contract; `None` where one does not load.
pub(super) struct Looks {
    pub(super) preconditions: Option<Vec<PreconditionSpec>>,
    pub(super) operation: Option<Option<Box<OperationSpec>>>,
    pub(super) reconcile: Option<Option<Box<ReconcileSpec>>>,
    pub(super) verify: Option<Option<Box<VerifySpec>>>,
    /// Whether `operation` is stated at all.
    pub(super) operates: bool,
}

/// Loads the probes of a contract. The tools that look are added to `probes`, others that are named to `others`.
pub(super) fn looks(
    fields: &mut Fields<'_>,
    risk: Risk,
    compiler: &Compiler<'_>,
    probes: &mut Vec<(String, Span)>,
    others: &mut Vec<(String, Span)>,
    report: &mut Report,
) -> Looks {
    let preconditions = match fields.value("preconditions", report) {
        None => Some(Vec::new()),
        Some(node) => preconditions(node, compiler, probes, report),
    };
    let operates = fields.entry("operation").is_some();
    let operation = match fields.value("operation", report) {
        None => Some(None),
        Some(node) => {
            operation(node, risk, compiler, probes, others, report).map(|spec| Some(Box::new(spec)))
        }
    };
    let reconcile = match fields.value("reconcile", report) {
        None => Some(None),
        Some(node) => reconcile(node, risk, compiler, probes, report).map(|spec| Some(Box::new(spec))),
    };
    let verify = match fields.value("verify", report) {
        None => Some(None),
        Some(node) => verify(node, risk, compiler, probes, report).map(|spec| Some(Box::new(spec))),
    };
    Looks { preconditions, operation, reconcile, verify, operates }
}
