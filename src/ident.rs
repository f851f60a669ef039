//! Names: parsed once at the edge, valid from then on.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

/// Why a name was refused. The message is complete: it names the kind and the rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {problem}")]
pub struct InvalidName {
    kind: &'static str,
    problem: String,
}

/// Declares a name type whose values satisfy one character rule and one length.
macro_rules! name {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $max:literal, $first:expr, $rest:expr, $rule:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses a name.
            ///
            /// # Errors
            /// [`InvalidName`] when it is empty, too long, or has a character outside the rule.
            pub fn parse(text: &str) -> Result<Self, InvalidName> {
                let first: fn(char) -> bool = $first;
                let rest: fn(char) -> bool = $rest;
                let problem = match text.chars().next() {
                    None => Some("is empty".to_owned()),
                    Some(_) if text.len() > $max => Some(format!("is longer than {} bytes", $max)),
                    Some(c) if !first(c) => Some(format!("`{}` starts with a character outside {}", text.escape_debug(), $rule)),
                    Some(_) => text.chars().find(|c| !rest(*c))
                        .map(|c| format!("`{}` has `{}`, which is outside {}", text.escape_debug(), c.escape_debug(), $rule)),
                };
                match problem {
                    None => Ok(Self(Arc::from(text))),
                    Some(problem) => Err(InvalidName { kind: $kind, problem }),
                }
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, formatter)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::parse(&text).map_err(serde::de::Error::custom)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

fn word_start(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')
}

fn visible(c: char) -> bool {
    !c.is_control() && !c.is_whitespace()
}

name!(
    /// The name of a tool: what a model writes to ask for it.
    ///
    /// At most 128 bytes of ASCII letters, digits, `_`, `-` and `.`, the rule of the
    /// Model Context Protocol. Names never normalise into each other: `a-b` and `a_b`
    /// are two tools.
    ToolName, "tool name", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The id of a policy rule, unique in its file.
    RuleId, "rule id", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The name of an agent, as the harness states it.
    AgentName, "agent name", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The name of a step of a task.
    StepName, "step name", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The name under which a contract refers to a credential.
    CredentialName, "credential name", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The name of an upstream server.
    ServerName, "server name", 64, word_start, |c| word(c) && c != '.', "A-Z a-z 0-9 _ -"
);
name!(
    /// A permission that a contract asks for and that users and agents hold.
    Permission, "permission", 128, word_start, |c| word(c) || c == ':', "A-Z a-z 0-9 _ - . :"
);
name!(
    /// The id of a task, stated by the harness or made at random.
    TaskId, "task id", 256, visible, visible, "printable characters without spaces"
);
name!(
    /// The name of a user, as the operating system or the harness states it.
    UserName, "user name", 256, visible, visible, "printable characters without spaces"
);
name!(
    /// The name of a tenant; `local` on one person's machine.
    Tenant, "tenant", 128, word_start, word, "A-Z a-z 0-9 _ - ."
);
name!(
    /// The id of a call, chosen by the model's side or assigned by the gateway.
    CallId, "call id", 256, |c| !c.is_control(), |c| !c.is_control(), "characters other than controls"
);

impl ToolName {
    /// Whether the name lies in the gateway's own namespace, `tgw__*`, which no manifest may use.
    #[must_use]
    pub fn is_reserved(&self) -> bool {
        self.as_str().starts_with("tgw__")
    }
}

/// Who is behind a call. It comes from the harness, never from the call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Principal {
    /// The person, or the service account, on whose behalf the agent acts.
    pub user: UserName,
    /// The agent's name.
    pub agent: AgentName,
    /// The agent's version, where the harness states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_version: Option<String>,
    /// The tenant; `local` unless stated.
    pub tenant: Tenant,
}
