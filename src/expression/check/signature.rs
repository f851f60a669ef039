//! The functions there are, and what they take and give.

use crate::expression::Type;
use crate::expression::machine::SIZED;
use crate::expression::node::Function;
use crate::expression::path::Case;
use crate::expression::types::Kinds;

/// Words of provenance, worst first.
const PROVENANCES: [&str; 7] = ["untrusted", "model", "trusted", "task", "contract", "person", "absent"];

/// One form of a function. A method's receiver is its first parameter.
pub(super) struct Signature {
    pub(super) name: &'static str,
    pub(super) style: Style,
    pub(super) parameters: &'static [Kinds],
    pub(super) gives: Gives,
    pub(super) function: Function,
    /// Only policy rules know it.
    pub(super) rule_only: bool,
}

/// How a function is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Function,
    Method,
}

/// What a function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    Bool,
    Int,
    Double,
    Text,
    Texts,
    Provenance,
    Path,
    Url,
}

impl Gives {
    pub(super) fn value_type(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Double => Type::Double,
            Self::Text => Type::String,
            Self::Texts => Type::list_of(Type::String),
            Self::Provenance => Type::OneOf(PROVENANCES.into_iter().map(serde_json::Value::from).collect()),
            Self::Path => Type::Path,
            Self::Url => Type::Url,
        }
    }
}

const SCALAR: Kinds = Kinds::TEXT.or(Kinds::NUMBER).or(Kinds::BOOL);
const TEXT: Kinds = Kinds::TEXT;

const fn plain(
    name: &'static str,
    parameters: &'static [Kinds],
    gives: Gives,
    function: Function,
) -> Signature {
    Signature { name, style: Style::Function, parameters, gives, function, rule_only: false }
}

const fn method(
    name: &'static str,
    parameters: &'static [Kinds],
    gives: Gives,
    function: Function,
) -> Signature {
    Signature { name, style: Style::Method, parameters, gives, function, rule_only: false }
}

const fn rule(signature: Signature) -> Signature {
    Signature { rule_only: true, ..signature }
}

/// Every form of every function, those of optionals and of patterns apart.
pub(super) const SIGNATURES: &[Signature] = &[
    plain("size", &[SIZED], Gives::Int, Function::Size),
    method("size", &[SIZED], Gives::Int, Function::Size),
    plain("string", &[SCALAR.or(Kinds::PATH).or(Kinds::URL)], Gives::Text, Function::ToText),
    plain("int", &[Kinds::NUMBER.or(TEXT)], Gives::Int, Function::ToInt),
    plain("double", &[Kinds::NUMBER.or(TEXT)], Gives::Double, Function::ToDouble),
    plain("bool", &[Kinds::BOOL.or(TEXT)], Gives::Bool, Function::ToBool),
    plain("json", &[Kinds::ANY], Gives::Text, Function::Json),
    method("contains", &[TEXT, TEXT], Gives::Bool, Function::Contains),
    method("startsWith", &[TEXT, TEXT], Gives::Bool, Function::StartsWith),
    method("endsWith", &[TEXT, TEXT], Gives::Bool, Function::EndsWith),
    method("lowerAscii", &[TEXT], Gives::Text, Function::LowerAscii),
    method("upperAscii", &[TEXT], Gives::Text, Function::UpperAscii),
    method("trim", &[TEXT], Gives::Text, Function::Trim),
    method("split", &[TEXT, TEXT], Gives::Texts, Function::Split),
    method("join", &[Kinds::LIST], Gives::Text, Function::Join),
    method("join", &[Kinds::LIST, TEXT], Gives::Text, Function::Join),
    method("substring", &[TEXT, Kinds::INT], Gives::Text, Function::Substring),
    method("substring", &[TEXT, Kinds::INT, Kinds::INT], Gives::Text, Function::Substring),
    rule(plain("provenance", &[TEXT], Gives::Provenance, Function::Provenance)),
    rule(plain("untrusted_arguments", &[], Gives::Texts, Function::UntrustedArguments)),
    rule(plain("path", &[TEXT], Gives::Path, Function::Path)),
    rule(method("under", &[Kinds::PATH, TEXT.or(Kinds::PATH)], Gives::Bool, Function::Under(Case::Exact))),
    rule(method(
        "under_any_case",
        &[Kinds::PATH, TEXT.or(Kinds::PATH)],
        Gives::Bool,
        Function::Under(Case::Folded),
    )),
    rule(method("name", &[Kinds::PATH], Gives::Text, Function::PathName)),
    rule(method("extension", &[Kinds::PATH], Gives::Text, Function::PathExtension)),
    rule(method("parts", &[Kinds::PATH], Gives::Texts, Function::PathParts)),
    rule(plain("url", &[TEXT], Gives::Url, Function::Url)),
    rule(method("scheme", &[Kinds::URL], Gives::Text, Function::UrlScheme)),
    rule(method("host", &[Kinds::URL], Gives::Text, Function::UrlHost)),
    rule(method("port", &[Kinds::URL], Gives::Int, Function::UrlPort)),
    rule(method("path", &[Kinds::URL], Gives::Text, Function::UrlPath)),
    rule(method("host_matches", &[Kinds::URL, TEXT], Gives::Bool, Function::HostMatches)),
];

/// Names that are no entry of [`SIGNATURES`] and yet are known: macros, optionals and patterns.
pub(super) const SPECIAL: [&str; 13] = [
    "has",
    "all",
    "exists",
    "exists_one",
    "map",
    "filter",
    "matches",
    "matches_glob",
    "matches_glob_any_case",
    "orValue",
    "hasValue",
    "value",
    "or",
];

/// Functions of CEL or of later work that are not built, and what to do instead.
pub(super) const UNBUILT: [(&str, &str); 7] = [
    ("shell", "`shell` is not built yet: match on the arguments of the command instead"),
    ("duration", "compare numbers of one unit instead"),
    ("timestamp", "compare numbers or texts of one fixed form instead"),
    ("type", "the types of arguments are declared in the tool's schema"),
    ("dyn", "nothing needs to be made dynamic here"),
    ("bytes", "compare texts instead"),
    ("uint", "`int` holds unsigned 64-bit numbers too"),
];
