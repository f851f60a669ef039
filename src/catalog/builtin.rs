//! The tools that are code in the gateway, and what a contract for one may say.

use serde::Serialize;

use super::Risk;

macro_rules! builtins {
    ($($(#[$doc:meta])* $variant:ident = $text:literal;)*) => {
        /// The tools that are code in the gateway.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum BuiltinName { $($(#[$doc])* $variant,)* }

        impl Serialize for BuiltinName {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl BuiltinName {
            /// Every builtin.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name as it is written in files.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

builtins! {
    /// A window of a text file's lines, numbered.
    ReadFile = "read_file";
    /// The entries of a directory.
    ListDirectory = "list_directory";
    /// Files by glob.
    FindFiles = "find_files";
    /// Lines by regular expression.
    SearchText = "search_text";
    /// A new file, or a whole one replaced.
    WriteFile = "write_file";
    /// Exact text in a file, replaced.
    ReplaceInFile = "replace_in_file";
    /// A file or directory, renamed.
    MovePath = "move_path";
    /// A file or directory, deleted.
    DeletePath = "delete_path";
    /// `git status`, made safe for hostile repositories.
    GitStatus = "git_status";
    /// `git diff`, made safe for hostile repositories.
    GitDiff = "git_diff";
    /// `git log`, made safe for hostile repositories.
    GitLog = "git_log";
    /// A page of a stored result.
    ReadResult = "tgw__read_result";
    /// The visible tools, searched.
    SearchTools = "tgw__search_tools";
}

/// The kind of a builtin's argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentKind {
    /// A path in the workspace.
    Path,
    /// Text.
    Text,
    /// Text out of a closed list.
    Word(&'static [&'static str]),
    /// A whole number within bounds.
    Count(u64, u64),
    /// A truth value.
    Flag,
}

/// An argument that a builtin takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuiltinArgument {
    pub(super) name: &'static str,
    pub(super) kind: ArgumentKind,
    pub(super) required: bool,
}

const fn needed(name: &'static str, kind: ArgumentKind) -> BuiltinArgument {
    BuiltinArgument { name, kind, required: true }
}

const fn optional(name: &'static str, kind: ArgumentKind) -> BuiltinArgument {
    BuiltinArgument { name, kind, required: false }
}

impl BuiltinName {
    /// Reads the form written in files.
    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|name| name.as_str() == text)
    }

    /// Whether its paths are names to act on, so that a symbolic link in the last place is meant itself.
    pub(super) fn acts_on_names(self) -> bool {
        matches!(self, Self::MovePath | Self::DeletePath)
    }

    /// The mildest risk that a contract for it may state.
    pub(super) fn least_risk(self) -> Risk {
        match self {
            Self::ReadFile
            | Self::ListDirectory
            | Self::FindFiles
            | Self::SearchText
            | Self::GitStatus
            | Self::GitDiff
            | Self::GitLog
            | Self::ReadResult
            | Self::SearchTools => Risk::ReadOnly,
            Self::WriteFile | Self::ReplaceInFile | Self::MovePath => Risk::Write,
            Self::DeletePath => Risk::Destructive,
        }
    }

    /// The arguments it takes. A contract may offer fewer and narrower ones, never other or wider ones.
    pub(super) fn arguments(self) -> &'static [BuiltinArgument] {
        use ArgumentKind::{Count, Flag, Path, Text, Word};
        const ANY: u64 = i64::MAX as u64;
        match self {
            Self::ReadFile => {
                const {
                    &[
                        needed("path", Path),
                        optional("offset", Count(1, ANY)),
                        optional("limit", Count(1, 500)),
                    ]
                }
            }
            Self::ListDirectory => const { &[optional("path", Path), optional("limit", Count(1, 1_000))] },
            Self::FindFiles => {
                const { &[needed("pattern", Text), optional("path", Path), optional("limit", Count(1, 1_000))] }
            }
            Self::SearchText => {
                const {
                    &[
                        needed("pattern", Text),
                        optional("path", Path),
                        optional("glob", Text),
                        optional("ignore_case", Flag),
                        optional("limit", Count(1, 500)),
                    ]
                }
            }
            Self::WriteFile => {
                const {
                    &[
                        needed("path", Path),
                        needed("content", Text),
                        optional("mode", Word(&["new", "replace", "new_or_replace"])),
                    ]
                }
            }
            Self::ReplaceInFile => {
                const {
                    &[
                        needed("path", Path),
                        needed("old", Text),
                        needed("new", Text),
                        optional("count", Count(1, 10_000)),
                    ]
                }
            }
            Self::MovePath => const { &[needed("from", Path), needed("to", Path)] },
            Self::DeletePath => const { &[needed("path", Path), optional("recursive", Flag)] },
            Self::GitStatus => const { &[] },
            Self::GitDiff => const { &[optional("staged", Flag), optional("path", Path)] },
            Self::GitLog => const { &[optional("limit", Count(1, 200)), optional("path", Path)] },
            Self::ReadResult => {
                const {
                    &[
                        needed("reference", Text),
                        optional("offset", Count(1, ANY)),
                        optional("limit", Count(1, 500)),
                        optional("filter", Text),
                    ]
                }
            }
            Self::SearchTools => const { &[needed("query", Text), optional("limit", Count(1, 50))] },
        }
    }
}
