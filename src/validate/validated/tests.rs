use std::time::Duration;

use serde_json::json;

use super::*;
use crate::catalog::{BuiltinName, Digest, ResultSpec, Run, Schema, Timeout};
use crate::diagnostic::Location;
use crate::ident::{AgentName, TaskId, Tenant, ToolName, UserName};
use crate::workspace::Protected;

fn contract(schema: Value) -> Contract {
    Contract {
        name: ToolName::parse("t").unwrap(),
        version: None,
        title: None,
        description: "does".to_owned(),
        use_when: None,
        not_for: None,
        risk: Risk::ReadOnly,
        changes: None,
        object: None,
        execution_mode: ExecutionMode::Parallel { when: None },
        timeout: Timeout::Fixed(Duration::from_secs(30)),
        permissions: Vec::new(),
        input_schema: Schema::new(schema),
        output_schema: None,
        errors: Vec::new(),
        idempotency: crate::catalog::Idempotency::Unstated,
        preconditions: Vec::new(),
        operation: None,
        reconcile: None,
        verify: None,
        internal: false,
        run: Run::Builtin(BuiltinName::ReadFile),
        sandbox: None,
        egress: false,
        result: ResultSpec::default(),
        examples: Vec::new(),
        location: Location { file: "tools.yaml".into(), line: 1, column: 1 },
        digest: Digest([0; 32]),
    }
}

/// A workspace with `src/a.rs`, `.git/config` and a link `out` that leaves it.
struct World {
    _folder: tempfile::TempDir,
    workspace: Workspace,
    principal: Principal,
    task: TaskContext,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src")).unwrap();
        std::fs::create_dir_all(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join("src/a.rs"), "x").unwrap();
        std::fs::write(folder.path().join(".git/config"), "x").unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("out")).unwrap();
        std::os::unix::fs::symlink("src", folder.path().join("link")).unwrap();
        Self {
            workspace: Workspace::open(folder.path(), Protected::default()).unwrap(),
            _folder: folder,
            principal: Principal {
                user: UserName::parse("ann").unwrap(),
                agent: AgentName::parse("default").unwrap(),
                agent_version: None,
                tenant: Tenant::parse("local").unwrap(),
            },
            task: TaskContext {
                id: TaskId::parse("t1").unwrap(),
                span: crate::catalog::TaskSpan::Stated,
                prompt: None,
                tools: None,
                data: json!({"suppliers": ["S-1"]}),
            },
        }
    }

    fn validate(
        &self,
        contract: Contract,
        arguments: Value,
        timing: Timing,
    ) -> Result<ValidatedCall, Box<Rejected>> {
        let call = Parts {
            id: CallId::parse("c1").unwrap(),
            contract: Arc::new(contract),
            arguments,
            defaulted: Vec::new(),
            shape: Shape::Native,
            rpc_id: None,
        };
        let known =
            |tool: &str, path: &str, value: &Value| (tool, path, value) == ("search", "$.id", &json!("S-2"));
        let context = ValidationContext {
            workspace: &self.workspace,
            principal: &self.principal,
            task: &self.task,
            step: None,
            known: &known,
            timing,
        };
        begin(call, &context)
    }
}

fn check(schema: Value, arguments: Value) -> Result<ValidatedCall, Box<Rejected>> {
    World::new().validate(contract(schema), arguments, Timing::Now)
}

/// What stands in the way of a call whose arguments hold.
fn obstacle(schema: Value, arguments: Value) -> Option<CallError> {
    check(schema, arguments).unwrap().obstacle().cloned()
}

/// The violations as `pointer | expected | found | hint`.
fn violations(schema: Value, arguments: Value) -> Vec<String> {
    let error = check(schema, arguments).unwrap_err().error;
    assert_eq!(error.code, ErrorCode::InvalidArguments, "{error}");
    listed(&error)
}

fn listed(error: &CallError) -> Vec<String> {
    let shown = |v: &Violation| {
        format!("{} | {} | {} | {}", v.pointer, v.expected, v.found, v.hint.as_deref().unwrap_or("-"))
    };
    error.violations.iter().map(shown).collect()
}

#[test]
fn a_valid_call_is_effective_and_planned() {
    let schema = json!({"type": "object", "properties": {
        "path": {"type": "string", "format": "workspace-path"}, "limit": {"type": "integer", "default": 200}}});
    let call = check(schema, json!({"path": "link/./a.rs"})).unwrap();
    assert_eq!(call.arguments(), &json!({"path": "link/./a.rs", "limit": 200}));
    assert_eq!(call.defaulted(), ["/limit"]);
    assert_eq!(call.paths(), [("/path".to_owned(), WorkspacePath::parse("src/a.rs").unwrap())]);
    let plan = Plan::Builtin { name: BuiltinName::ReadFile, timeout: Duration::from_secs(30) };
    assert_eq!(call.plan(), &plan);
}

#[test]
fn the_whole_error_is_as_documented() {
    let mut contract =
        contract(json!({"type": "object", "properties": {"limit": {"type": "integer", "minimum": 1}}}));
    contract.examples = vec![json!({"limit": 10})];
    let rejected = World::new().validate(contract, json!({"limit": 0}), Timing::Now).unwrap_err();
    assert_eq!(rejected.id().as_str(), "c1");
    assert_eq!(
        serde_json::to_value(&rejected.error).unwrap(),
        json!({
            "code": "INVALID_ARGUMENTS",
            "message": "`/limit`: expected at least 1, found 0",
            "hint": "correct what is listed and call again; arguments that hold: `{\"limit\":10}`",
            "retry": "changed_call",
            "violations": [{"pointer": "/limit", "expected": "at least 1", "found": "0"}],
        })
    );
}

#[test]
fn the_arguments_offered_are_the_callers_own_with_what_is_wrong_put_right() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["path"],
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "default": 200},
            "deep": {"type": "boolean"},
        },
    });
    let cases = [
        (json!({"path": "b.rs", "limit": "5"}), Some(json!({"path": "b.rs", "limit": 5}))),
        (json!({"path": "b.rs", "limit": 0}), Some(json!({"path": "b.rs", "limit": 10}))),
        (json!({"path": "b.rs", "lines": 3}), Some(json!({"path": "b.rs"}))),
        (json!({"pth": "b.rs"}), Some(json!({"path": "b.rs"}))),
        (json!({"path": "b.rs", "deep": 1}), Some(json!({"path": "b.rs"}))),
        (json!({"limit": 3}), Some(json!({"limit": 3, "path": "a.rs"}))),
    ];
    for (arguments, expected) in cases {
        let mut contract = contract(schema.clone());
        contract.examples = vec![json!({"path": "a.rs", "limit": 10})];
        let rejected = World::new().validate(contract, arguments.clone(), Timing::Now).unwrap_err();
        let hint = rejected.error.hint.clone().unwrap();
        let offered = hint.split('`').nth(1).map(|text| serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(offered, expected, "{arguments}: {hint}");
    }
}

#[test]
fn a_number_in_quotes_is_told_to_lose_them() {
    let contract =
        contract(json!({"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "array"}}}));
    let rejected = World::new().validate(contract, json!({"n": "5", "t": "5"}), Timing::Now).unwrap_err();
    let hints: Vec<_> = rejected.error.violations.iter().map(|violation| violation.hint.as_deref()).collect();
    assert_eq!(hints, [Some("write it without quotes"), None]);
}

#[test]
fn every_violation_is_listed_with_its_own_pointer() {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["amount", "currency"],
        "properties": {
            "amount": {"type": "integer", "minimum": 1},
            "currency": {"enum": ["EUR", "USD"]},
            "note": {"type": "string", "maxLength": 5, "pattern": "^[a-z]*$"},
            "tags": {"type": "array", "maxItems": 1, "items": {"type": "string"}},
            "to": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
            "at": {"type": "string", "format": "date-time"},
            "kind": {"const": "x"},
            "size": {"type": ["integer", "null"]},
        },
    });
    let arguments = json!({
        "amout": 5, "currency": "GBP", "note": "ABCDEFG", "tags": [1, 2], "to": {"x": 1}, "at": "now",
        "kind": "y", "size": "big", "zzz": {"a": 1},
    });
    assert_eq!(
        violations(schema, arguments),
        [
            "/amount | an integer | nothing | rename `amout` to `amount`",
            "/amout | no argument of this name | 5 | unknown argument `amout`: did you mean `amount`?",
            "/at | a date and time such as `2026-11-30T12:00:00Z` | \"now\" | -",
            "/currency | one of `EUR`, `USD` | \"GBP\" | -",
            "/kind | `x` | \"y\" | -",
            "/note | at most 5 characters | \"ABCDEFG\" | -",
            "/note | text matching `^[a-z]*$` | \"ABCDEFG\" | -",
            "/size | null or an integer | \"big\" | -",
            "/tags | at most 1 item | a list of 2 items | -",
            "/tags/0 | text | 1 | -",
            "/tags/1 | text | 2 | -",
            "/to/name | text | nothing | add the field `name`",
            concat!(
                "/zzz | no argument of this name | an object of 1 field | unknown argument `zzz`: leave it out; there are ",
                "`amount`, `currency`, `note`, `tags`, `to`, `at`, `kind` and `size`"
            ),
        ]
    );
}

#[test]
fn numbers_and_lists_are_told_in_words() {
    let cases = [
        (json!({"exclusiveMinimum": 0}), json!(0), "more than 0"),
        (json!({"maximum": 500}), json!(501), "at most 500"),
        (json!({"exclusiveMaximum": 2.5}), json!(3), "less than 2.5"),
        (json!({"multipleOf": 5}), json!(3), "a multiple of 5"),
        (json!({"minLength": 1}), json!(""), "at least 1 character"),
        (json!({"minItems": 2}), json!([]), "at least 2 items"),
        (json!({"uniqueItems": true}), json!([1, 1]), "items that differ from each other"),
        (json!({"minProperties": 1}), json!({}), "at least 1 field"),
        (json!({"type": "boolean"}), json!("yes"), "true or false"),
        (json!({"enum": ["only"]}), json!(1), "`only`"),
        (json!(false), json!(1), "nothing here"),
    ];
    for (schema, value, expected) in cases {
        let rejected = check(json!({"properties": {"a": schema}}), json!({"a": value})).unwrap_err();
        assert_eq!(rejected.error.violations[0].expected, expected);
    }
}

#[test]
fn references_are_followed_to_the_names_they_know() {
    let schema = json!({"$defs": {"point": {"type": "object", "additionalProperties": false,
        "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x"]}},
        "properties": {"at": {"$ref": "#/$defs/point"}}});
    assert_eq!(
        violations(schema, json!({"at": {"X": 1}})),
        [
            "/at/X | no field of this name | 1 | unknown field `X`: did you mean `x`?",
            "/at/x | a number | nothing | rename `X` to `x`",
        ]
    );
}

#[test]
fn alternatives_are_summed_up_by_what_was_meant() {
    let optional =
        json!({"properties": {"a": {"anyOf": [{"type": "string", "maxLength": 2}, {"type": "null"}]}}});
    assert_eq!(violations(optional.clone(), json!({"a": 5})), ["/a | text or null | 5 | -"]);
    assert_eq!(violations(optional, json!({"a": "abc"})), ["/a | at most 2 characters | \"abc\" | -"]);
    let tagged = json!({"properties": {"shape": {"oneOf": [
        {"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
        {"type": "object", "required": ["kind", "side"], "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}},
    ]}}});
    assert_eq!(
        violations(tagged.clone(), json!({"shape": {"kind": "square", "side": "x"}})),
        ["/shape/side | a number | \"x\" | -"]
    );
    assert_eq!(
        violations(tagged, json!({"shape": {"kind": "blob"}})),
        ["/shape | `circle` at `/kind` or `square` at `/kind` | an object of 1 field | -"]
    );
    let both = json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"minimum": 2}]}}});
    assert_eq!(
        violations(both, json!({"a": 5})),
        ["/a | exactly one of several forms, and it fits more than one | 5 | -"]
    );
}

#[test]
fn a_long_list_of_violations_is_cut_and_says_so() {
    let schema = json!({"properties": {"l": {"items": {"type": "string"}}}});
    let rejected = check(schema, json!({"l": vec![1; 120]})).unwrap_err();
    assert_eq!(rejected.error.violations.len(), 50);
    assert_eq!(
        rejected.error.message,
        "`/l/0`: expected text, found 1, and 119 more violations, of which 49 are listed"
    );
}

#[test]
fn huge_arguments_get_their_first_violation_only() {
    let schema = json!({"properties": {"l": {"items": {"type": "string"}}}});
    assert_eq!(check(schema, json!({"l": vec![1; 20_000]})).unwrap_err().error.violations.len(), 1);
}

#[test]
fn paths_that_leave_or_are_protected_are_refused() {
    let schema = json!({"properties": {
        "a": {"format": "workspace-path"}, "l": {"type": "array", "items": {"format": "workspace-path"}}}});
    let code = |arguments: Value| check(schema.clone(), arguments).unwrap_err().error.code;
    assert_eq!(code(json!({"a": "../x"})), ErrorCode::PathOutsideWorkspace);
    assert_eq!(code(json!({"a": "/etc/passwd"})), ErrorCode::PathOutsideWorkspace);
    assert_eq!(code(json!({"l": ["src", "src/../.."]})), ErrorCode::PathOutsideWorkspace);
    assert_eq!(code(json!({"a": ""})), ErrorCode::InvalidArguments);
    assert_eq!(code(json!({"a": ".git/config", "l": ["../x"]})), ErrorCode::PathOutsideWorkspace);
    let error = check(schema, json!({"l": ["src", "../x"]})).unwrap_err().error;
    assert_eq!(error.message, "the path `../x` climbs above the workspace root, in argument `/l/1`");
}

#[test]
fn what_only_the_world_shows_waits_for_the_policy() {
    let schema = json!({"properties": {"a": {"format": "workspace-path"}}});
    let code = |path: &str| obstacle(schema.clone(), json!({"a": path})).map(|error| error.code);
    assert_eq!(code("out/passwd"), Some(ErrorCode::PathOutsideWorkspace));
    assert_eq!(code(".git/config"), Some(ErrorCode::PermissionDenied));
    assert_eq!(code("src/none"), None);
}

#[test]
fn a_tool_that_acts_on_names_means_the_link_itself() {
    let world = World::new();
    let root = world.workspace.root();
    std::os::unix::fs::symlink("a.rs", root.join("src/to")).unwrap();
    std::os::unix::fs::symlink("nowhere", root.join("src/dangling")).unwrap();
    let place = |path: &str| vec![("/path".to_owned(), WorkspacePath::parse(path).unwrap())];
    let call = |path: &str| {
        let schema = json!({"properties": {"path": {"type": "string", "x-tgw-exists": "any"}}});
        let mut contract = contract(schema);
        contract.run = Run::Builtin(BuiltinName::DeletePath);
        world.validate(contract, json!({ "path": path }), Timing::Now).unwrap()
    };
    // `link` leads to `src`, and `out` leaves the workspace.
    for (path, own, target) in [
        ("link/to", "src/to", Some("src/a.rs")),
        ("link/dangling", "src/dangling", Some("src/nowhere")),
        ("link", "link", Some("src")),
        ("out", "out", None),
        ("src/a.rs", "src/a.rs", None),
    ] {
        let call = call(path);
        assert_eq!(call.obstacle(), None, "{path}");
        assert_eq!(call.paths(), place(own), "{path}");
        assert_eq!(call.link_target_arguments(), target.map(|target| json!({ "path": target })), "{path}");
    }
}

#[test]
fn a_violation_of_the_schema_goes_before_a_fault_of_a_path() {
    let schema = json!({"properties": {"a": {"type": "string", "format": "workspace-path"}, "n": {"type": "integer"}}});
    assert_eq!(
        violations(schema, json!({"a": "../x", "n": "1"})),
        ["/n | an integer | \"1\" | write it without quotes"]
    );
}

#[test]
fn what_must_exist_is_looked_at() {
    let outcome = |existence: &str, path: &str| {
        let schema = json!({"properties": {"p": {"type": "string", "x-tgw-exists": existence}}});
        obstacle(schema, json!({"p": path})).map_or(Ok(()), |error| Err(error.code))
    };
    let missing = Err(ErrorCode::FileNotFound);
    let cases = [
        ("file", "src/a.rs", Ok(())),
        ("file", "src", missing),
        ("file", "nope", missing),
        ("directory", "src", Ok(())),
        ("directory", ".", Ok(())),
        ("directory", "src/a.rs", missing),
        ("any", "src", Ok(())),
        ("any", "nope/deeper", missing),
        ("none", "nope", Ok(())),
        ("none", "src/a.rs", Err(ErrorCode::InvalidArguments)),
        ("file_or_none", "src/a.rs", Ok(())),
        ("file_or_none", "nope", Ok(())),
        ("file_or_none", "src", missing),
    ];
    for (existence, path, expected) in cases {
        assert_eq!(outcome(existence, path), expected, "{existence} {path}");
    }
}

#[test]
fn ahead_of_its_turn_existence_waits_and_the_border_does_not() {
    let schema = json!({"properties": {
        "p": {"type": "string", "x-tgw-exists": "file"},
        "s": {"type": "string", "x-tgw-known": {"tool": "search", "path": "$.id"}}}});
    let world = World::new();
    let call = world
        .validate(contract(schema.clone()), json!({"p": "nope", "s": "S-9"}), Timing::Provisional)
        .unwrap();
    let context = ValidationContext {
        workspace: &world.workspace,
        principal: &world.principal,
        task: &world.task,
        step: None,
        known: &|_, _, _| true,
        timing: Timing::Now,
    };
    assert_eq!(call.obstacle(), None);
    let call = call.revalidate(&context).unwrap();
    assert_eq!(call.obstacle().unwrap().code, ErrorCode::FileNotFound);
    let outside = world.validate(contract(schema), json!({"p": "../x"}), Timing::Provisional).unwrap_err();
    assert_eq!(outside.error.code, ErrorCode::PathOutsideWorkspace);
}

#[test]
fn patterns_that_cannot_run_are_violations() {
    let schema = json!({"properties": {
        "g": {"type": "string", "format": "glob"}, "r": {"type": "string", "format": "regex"}}});
    assert!(check(schema.clone(), json!({"g": "src/**/*.{rs,toml}", "r": "^fn \\w+"})).is_ok());
    assert_eq!(
        violations(schema.clone(), json!({"g": "a[", "r": "(?=a)"})),
        [
            "/g | a glob pattern | \"a[\" | unclosed character class; missing ']'",
            concat!(
                "/r | a regular expression | \"(?=a)\" | ",
                "look-around, including look-ahead and look-behind, is not supported"
            ),
        ]
    );
    assert_eq!(
        violations(schema, json!({"r": "(a{1000}){1000}"})),
        ["/r | a regular expression | \"(a{1000}){1000}\" | the expression needs more than 1048576 bytes"]
    );
}

#[test]
fn known_values_come_from_the_task_or_an_earlier_result() {
    let schema =
        json!({"properties": {"s": {"type": "string", "x-tgw-known": {"tool": "search", "path": "$.id"}}}});
    assert_eq!(obstacle(schema.clone(), json!({"s": "S-1"})), None);
    assert_eq!(obstacle(schema.clone(), json!({"s": "S-2"})), None);
    assert_eq!(
        listed(&obstacle(schema, json!({"s": "S-3"})).unwrap()),
        [
            "/s | a value that `search` returned at `$.id` | \"S-3\" | call `search` and use a value of its result"
        ]
    );
}

#[test]
fn checks_reach_into_references_branches_and_lists() {
    let schema = json!({
        "$defs": {"node": {"type": "object", "properties": {
            "path": {"anyOf": [{"type": "string", "format": "workspace-path"}, {"type": "null"}]},
            "next": {"$ref": "#/$defs/node"}}}},
        "properties": {
            "tree": {"$ref": "#/$defs/node"},
            "map": {"additionalProperties": {"format": "workspace-path"}},
            "pair": {"prefixItems": [{}, {"format": "workspace-path"}]}}});
    assert!(check(schema.clone(), json!({"tree": {"path": null, "next": {"path": "src"}}})).is_ok());
    for arguments in [
        json!({"tree": {"next": {"next": {"path": "../x"}}}}),
        json!({"map": {"any": "../x"}}),
        json!({"pair": ["../x", "../x"]}),
    ] {
        assert_eq!(check(schema.clone(), arguments).unwrap_err().error.code, ErrorCode::PathOutsideWorkspace);
    }
}

#[test]
fn an_unusable_schema_is_a_defect_and_nothing_runs() {
    let error = check(json!({"type": "nonsense"}), json!({})).unwrap_err().error;
    assert_eq!(error.code, ErrorCode::Internal);
    let looping = check(json!({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}), json!({})).unwrap_err().error;
    assert_eq!(looping.code, ErrorCode::Internal);
}
