use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::catalog::{BuiltinName, ExecutionMode, Risk, Run, Timeout, Trust};

fn file(name: &str, text: &str) -> ManifestFile {
    ManifestFile { name: Arc::from(name), text: Arc::from(text), base: PathBuf::from("/base"), trusted: true }
}

fn load_files(files: &[ManifestFile]) -> (Option<Catalog>, String) {
    let mut sources = SourceMap::default();
    let mut report = Report::default();
    let catalog = Catalog::load(files, &mut sources, &mut report).ok();
    (catalog, report.render(&sources, false))
}

fn load(text: &str) -> (Option<Catalog>, String) {
    load_files(&[file("tools.yaml", text)])
}

/// A manifest with one complete tool, to which `extra` keys are added.
fn tool_with(extra: &str) -> String {
    let complete = [
        ("name", "name: t"),
        ("description", "description: d"),
        ("risk", "risk: read_only"),
        ("execution_mode", "execution_mode: parallel"),
        ("input_schema", "input_schema: {type: object, additionalProperties: false, properties: {}}"),
        ("run", "run: {builtin: git_status}"),
        ("result", "result: {trust: untrusted}"),
    ];
    let stated = |key: &str| extra.lines().any(|line| line.starts_with(&format!("{key}:")));
    let mut text = "version: 1\ntools:\n-\n".to_owned();
    let kept = complete.iter().filter(|(key, _)| !stated(key)).map(|(_, line)| *line);
    for line in kept.chain(extra.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn with_schema(properties: &str) -> String {
    let schema =
        format!("input_schema: {{type: object, additionalProperties: false, properties: {{{properties}}}}}");
    tool_with(&schema)
}

#[test]
fn a_complete_contract_is_loaded_as_written() {
    let text = "\
version: 1
tools:
  - name: read_part
    version: 1.2.0
    title: Read
    description: Reads.
    use_when: needed
    not_for: writing
    risk: read_only
    execution_mode: parallel
    timeout: 1500ms
    permissions: [files.read, 'files:list']
    internal: true
    egress: true
    input_schema: {type: object, additionalProperties: false, required: [path], properties: {path: {type: string, format: workspace-path}}}
    output_schema: {type: object}
    run: {builtin: read_file}
    result: {trust: {trusted: ['/items/*/id']}, content: {select: '$.items[0:2]', max_bytes: 100, max_rows: 3, keep: tail}, display: {table: [id], rows: /items}, redact: [/a~1b]}
    examples: [{arguments: {path: a}}]
";
    let (catalog, rendered) = load(text);
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let contract = catalog.find("read_part").unwrap();
    assert_eq!(contract.version.as_deref(), Some("1.2.0"));
    assert_eq!((contract.risk, contract.internal, contract.egress), (Risk::ReadOnly, true, true));
    assert!(matches!(contract.execution_mode, ExecutionMode::Parallel { when: None }));
    assert!(matches!(contract.timeout, Timeout::Fixed(duration) if duration.as_millis() == 1500));
    assert!(matches!(contract.run, Run::Builtin(BuiltinName::ReadFile)));
    assert_eq!(
        contract.permissions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["files.read", "files:list"]
    );
    assert_eq!(contract.result.trust, Trust::Fields(vec!["/items/*/id".to_owned()]));
    assert_eq!(contract.result.redact, ["/a~1b"]);
    assert_eq!((contract.result.max_bytes, contract.result.max_rows), (100, Some(3)));
    assert_eq!(contract.examples, [json!({"path": "a"})]);
    assert_eq!(contract.location.to_string(), "tools.yaml:3:11");
    assert!(contract.digest.to_string().starts_with("sha256:"));
}

#[test]
fn every_problem_of_every_file_is_reported_at_once() {
    let first = file(
        "a.yaml",
        "version: 1\ntools:\n  - name: list things\n    descripton: x\n    risk: reading\n    timeout: 10\n    run: {builtin: read_fil}\n",
    );
    let second = file("b.yaml", "version: 2\ntools: {}\nextra: 1\n");
    let (catalog, rendered) = load_files(&[first, second]);
    assert!(catalog.is_none());
    let expected = "\
error: `description` is missing
 --> a.yaml:3:5
  |
3 |   - name: list things
  |     ^^^^

error: `input_schema` is missing
 --> a.yaml:3:5
  |
3 |   - name: list things
  |     ^^^^

error: tool name `list things` has ` `, which is outside A-Z a-z 0-9 _ - .
 --> a.yaml:3:11
  |
3 |   - name: list things
  |           ^^^^^^^^^^^

warning: `execution_mode` is missing: the tool counts as `exclusive`
 --> a.yaml:3:11
  |
3 |   - name: list things
  |           ^^^^^^^^^^^
hint: write `execution_mode: parallel` or `exclusive`

warning: `result.trust` is missing: the result counts as untrusted
 --> a.yaml:3:11
  |
3 |   - name: list things
  |           ^^^^^^^^^^^
hint: write `result: {trust: untrusted}`, or `trusted` where nobody else's text is in it

error: unknown key `descripton`
 --> a.yaml:4:5
  |
4 |     descripton: x
  |     ^^^^^^^^^^
hint: did you mean `description`?

error: `risk` must be one of `read_only`, `write`, `external`, `destructive`, found `reading`
 --> a.yaml:5:11
  |
5 |     risk: reading
  |           ^^^^^^^

error: `timeout` must be a duration, found `10`
 --> a.yaml:6:14
  |
6 |     timeout: 10
  |              ^^
hint: write it like `1500ms`, `30s`, `15m` or `24h`

error: there is no builtin `read_fil`
 --> a.yaml:7:20
  |
7 |     run: {builtin: read_fil}
  |                    ^^^^^^^^
hint: did you mean `read_file`?

error: `version` must be 1, found the number 2
 --> b.yaml:1:10
  |
1 | version: 2
  |          ^

error: `tools` must be a list, found a mapping
 --> b.yaml:2:8
  |
2 | tools: {}
  |        ^

error: unknown key `extra`
 --> b.yaml:3:1
  |
3 | extra: 1
  | ^^^^^
hint: known here: `version`, `servers`, `credentials`, `tools`
";
    assert_eq!(rendered, expected);
}

#[test]
fn what_is_missing_counts_as_the_strictest_and_is_said() {
    let (catalog, rendered) = load(
        "version: 1\ntools:\n  - name: t\n    description: d\n    input_schema: {type: object, additionalProperties: false}\n    run: {builtin: git_status}\n",
    );
    let catalog = catalog.unwrap();
    let contract = catalog.find("t").unwrap();
    assert_eq!((contract.risk, contract.egress), (Risk::Destructive, false));
    assert!(matches!(contract.execution_mode, ExecutionMode::Exclusive));
    assert_eq!(contract.result.trust, Trust::Untrusted);
    assert_eq!(rendered.matches("warning: ").count(), 3, "{rendered}");
}

#[test]
fn what_is_not_built_yet_is_refused_and_never_ignored() {
    let cases = [
        ("run: {mcp: {}, builtin: git_status}", "`run.mcp` is not written by hand"),
        ("run: {container: {}}", "`run.container` is not supported yet"),
    ];
    for (extra, expected) in cases {
        let (catalog, rendered) = load(&tool_with(extra));
        assert!(catalog.is_none() && rendered.contains(expected), "{extra}:\n{rendered}");
    }
    let (catalog, rendered) = load("version: 1\ntools: []\ncredentials: {a: {source: {keyring: x}}}\n");
    let expected = "the credential source `keyring` is not supported yet";
    assert!(catalog.is_none() && rendered.contains(expected), "{rendered}");
}

#[test]
fn each_mistake_in_a_tool_is_named() {
    let cases = [
        ("name: tgw__mine", "the name `tgw__mine` is reserved"),
        ("name: ''", "`name` is empty"),
        ("name:", "`name` has no value"),
        ("name: 5", "`name` must be text, found the number 5"),
        ("description: '  '", "`description` is empty"),
        ("title: null", "`title` has no value"),
        ("internal: 'true'", "`internal` must be true or false, found `true`"),
        ("internal: no", "unquoted `no` is read as"),
        ("risk: Read_Only", "`risk` must be one of"),
        ("risk: external", "must say how a repeated call is recognised"),
        ("risk: write\nidempotency: {}", "`key` is missing"),
        ("risk: write\nidempotency: {key: fixed}", "`key` reads nothing of the call"),
        ("risk: write\nidempotency: {key: '{{arguments.nowhere}}'}", "`nowhere`"),
        ("risk: write\nidempotency: {key: '{{effect.key}}'}", "unknown variable `effect`"),
        ("risk: write\nidempotency: {key: '{{call.id}}', retry: always}", "`retry` must be"),
        ("risk: write\nidempotency: {key: '{{call.id}}', send_as: {env: LD_PRELOAD}}", "decides which code"),
        ("risk: write\nidempotency: {key: '{{call.id}}', send_as: {env: PATH}}", "always the gateway's own"),
        (
            "risk: write\nidempotency: {key: '{{call.id}}', send_as: {env: K}}",
            "a builtin asks nobody who would know the key of `send_as`",
        ),
        ("risk: write\nidempotency: {key: '{{call.id}}', scope: task}", "unknown key `scope`"),
        (
            "risk: write\nidempotency: {key: '{{call.id}}', send_as: {env: K}}\nrun: {command: {argv: [ls], env: {K: x}}}",
            "the variable `K` is set by `run` too",
        ),
        ("risk: read_only\nidempotency: {key: '{{call.id}}'}", "has no effect that a key could name"),
        ("risk: write\nrun: {command: [ls, '{{effect.key}}']}", "unknown variable `effect`"),
        ("risk: write\nreconcile: {found_when: 'true'}", "`tool` is missing"),
        ("risk: write\nreconcile: {tool: absent, found_when: 'true'}", "there is no tool `absent`"),
        (
            "risk: write\nreconcile: {tool: t, found_when: 'true'}",
            "`t` changes something, and a look-up must not",
        ),
        ("risk: write\nreconcile: {tool: t, found_when: '1'}", "expected bool, found int"),
        ("risk: write\nreconcile: {tool: t, found_when: 'task.id == \"x\"'}", "unknown variable `task`"),
        ("risk: write\nreconcile: {tool: t, found_when: 'true', value: items}", "is not a JSON pointer"),
        (
            "risk: write\nreconcile: {tool: t, found_when: 'true', absence: {when: 'true', proves_after: 0s}}",
            "must be longer than zero",
        ),
        (
            "risk: read_only\nreconcile: {tool: t, found_when: 'true'}",
            "`reconcile` is for tools that change something",
        ),
        (
            "risk: write\nreconcile: {tool: t, found_when: 'true', absence: {proves_after: 1s}}",
            "`when` is missing",
        ),
        (
            "risk: write\nreconcile: {tool: t, found_when: 'true', absence: {when: 'true'}}",
            "`proves_after` is missing",
        ),
        (
            "risk: read_only\nverify: {tool: t, expect: 'value.ok'}",
            "`verify` is for tools that change something",
        ),
        ("risk: write\nverify: {tool: t}", "`expect` is missing"),
        ("risk: write\nverify: {tool: t, expect: 'true'}", "`expect` does not read `value`"),
        ("risk: write\nverify: {tool: t, expect: 'result.ok'}", "`expect` does not read `value`"),
        (
            "risk: write\nverify: {tool: t, expect: 'value.ok', every: 1s}",
            "`every` says how often is looked `within` a time",
        ),
        (
            "risk: write\nverify: {tool: t, expect: 'value.ok', within: 0s}",
            "`within` must be longer than zero",
        ),
        ("risk: write\nverify: {tool: t, expect: 'value.ok', within: 24h}", "more than 1000 looks"),
        ("risk: write\nverify: {tool: t, expect: 'value.ok', retries: 3}", "unknown key `retries`"),
        ("risk: write\nverify: {tool: t, expect: 'task.id == value'}", "unknown variable `task`"),
        (
            "risk: write\nverify: {tool: t, expect: 'value.ok', arguments: {id: '{{result.id}}'}}",
            "unknown variable `result`",
        ),
        (
            "risk: write\nverify: {tool: t, expect: 'value.ok', arguments: {a: {b: ['{{nowhere}}']}}}",
            "unknown variable `nowhere`",
        ),
        ("risk: write\nverify: {tool: absent, expect: 'value.ok'}", "there is no tool `absent`"),
        (
            "risk: write\nverify: {tool: t, expect: 'value.ok'}",
            "`t` changes something, and a look-up must not",
        ),
        ("risk: write\noperation: {}", "`accepted_when` is missing"),
        ("risk: write\noperation: {accepted_when: 'true'}", "`timeout` is missing"),
        (
            "risk: write\noperation: {state: {pointer: /s, map: {done: finished}}}",
            "`done` must be one of `accepted`, `working`",
        ),
        (
            "risk: write\noperation: {state: {pointer: /s, map: {run: working}}}",
            "no word of the backend means `succeeded`",
        ),
        ("risk: write\noperation: {state: {pointer: s, map: {d: succeeded}}}", "is not a JSON pointer"),
        ("risk: write\noperation: {timeout: 24h, interval: 1ms}", "more than 100000 polls"),
        ("risk: write\noperation: {poll: {tool: absent}}", "there is no tool `absent`"),
        (
            "risk: write\nrun: {command: [ls]}\noperation: {accepted_when: 'true', id: /i, timeout: 1h, poll: {tool: t}, state: {pointer: /s, map: {d: succeeded}}}",
            "`t` changes something, and a look-up must not",
        ),
        (
            "risk: write\nrun: {command: [ls]}\noperation: {accepted_when: 'true', id: /i, timeout: 1h, poll: {tool: t}, state: {pointer: /s, map: {d: succeeded}}}\nreconcile: {tool: t, found_when: 'value.ok'}",
            "nothing says when it is",
        ),
        ("risk: write\noperation: {cancel: {tool: absent}}", "there is no tool `absent`"),
        (
            "risk: write\noperation: {poll: {tool: t, arguments: {x: '{{task.id}}'}}}",
            "unknown variable `task`",
        ),
        ("risk: write\noperation: {accepted_when: 'operation.id == 1'}", "unknown variable `operation`"),
        ("risk: write\noperation: {polls: 3}", "unknown key `polls`"),
        ("risk: read_only\noperation: {}", "`operation` is for tools that change something"),
        ("risk: write\noperation: {timeout: 1h}\nrun: {builtin: write_file}", "`operation` is for commands"),
        ("preconditions: []", "`preconditions` is an empty list"),
        ("preconditions: {}", "`preconditions` must be a list"),
        ("preconditions: [{tool: absent, expect: 'value.ok', message: m}]", "there is no tool `absent`"),
        ("preconditions: [{tool: t, expect: 'value.ok', message: m}]", "`t` has `preconditions` of its own"),
        ("preconditions: [{tool: t, expect: 'value.ok'}]", "`message` is missing"),
        ("preconditions: [{tool: t, expect: 'result.ok', message: m}]", "unknown variable `result`"),
        ("preconditions: [{tool: t, expect: '1', message: m}]", "expected bool, found int"),
        (
            "preconditions: [{tool: t, expect: 'value.ok', message: m, arguments: {x: '{{value}}'}}]",
            "unknown variable `value`",
        ),
        ("risk: destructive\nidempotency: maybe", "`idempotency` must be `none` or a mapping, found `maybe`"),
        (
            "execution_mode: exclusive\nparallel_when: 'true'",
            "`parallel_when` needs `execution_mode: parallel`",
        ),
        ("timeout: 0s", "`timeout` must be longer than zero"),
        ("timeout: 2d", "`timeout` must be at most 24h, found `2d`"),
        ("timeout: 10 s", "`timeout` must be a duration, found `10 s`"),
        ("timeout: 10", "`timeout` must be a duration, found `10`"),
        ("permissions: []", "`permissions` is an empty list"),
        ("permissions: [a, a]", "the permission `a` occurs twice"),
        ("permissions: ['a b']", "permission `a b` has ` `"),
        ("permissions: files.read", "`permissions` must be a list, found `files.read`"),
        ("errors: [{code: TIMEOUT, message: m}]", "`TIMEOUT` is one of the gateway's own codes"),
        ("errors: [{code: lower, message: m}]", "`lower` is not an error code"),
        ("examples: [{argument: {}}]", "unknown key `argument`"),
        ("examples: [{arguments: []}]", "`arguments` must be a mapping, found a list"),
        ("object: {kind: file}", "`type` is missing"),
        ("result: {trust: maybe}", "`trust` must be one of"),
        ("result: {trust: trusted, content: {max_bytes: 0}}", "`max_bytes` must be a whole number from 1"),
        ("result: {trust: trusted, content: {max_bytes: 1e3}}", "`max_bytes` must be a whole number from 1"),
        ("result: {trust: trusted, content: {select: 'items['}}", "`select` is not a JSONPath"),
        ("result: {trust: trusted, redact: [email]}", "`email` in `redact` is not a JSON pointer"),
        ("result: {trust: trusted, redact: ['/a~2']}", "is not a JSON pointer"),
        (
            "object: {type: file, id: /a/id}\nresult: {trust: trusted, redact: ['/*/id']}",
            "`object.id` is `/a/id`, which `redact` hides with `/*/id`",
        ),
        (
            "object: {type: file, id: /a}\nresult: {trust: trusted, redact: [/a/b]}",
            "`object.id` is `/a`, which `redact` hides",
        ),
        (
            "object: {type: file, id: /a/b}\nresult: {trust: trusted, redact: [/a]}",
            "`object.id` is `/a/b`, which `redact` hides",
        ),
        ("run: {builtin: git_status, command: [ls]}", "a tool has exactly one executor"),
        ("run: {}", "a tool has exactly one executor"),
        ("run: {builtin: tgw__read_result}", "there is no builtin `tgw__read_result`"),
        ("sandbox: {level: none}", "`sandbox` is for commands"),
        ("sandbox: {write: [../x]}", "`write` must name paths inside the workspace, found `../x`"),
        ("sandbox: {network: off}", "unquoted `off` is read as"),
        ("sandbox: {memory_mb: 1.5}", "`memory_mb` must be a whole number"),
        ("surprise: 1", "unknown key `surprise`"),
    ];
    for (extra, expected) in cases {
        let (catalog, rendered) = load(&tool_with(extra));
        assert!(catalog.is_none(), "{extra} was accepted");
        assert!(rendered.contains(expected), "{extra}:\n{rendered}");
    }
}

#[test]
fn a_builtin_can_be_narrowed_and_never_widened() {
    let read = |schema: &str| tool_with(&format!("run: {{builtin: read_file}}\ninput_schema: {schema}"));
    let path = "path: {type: string, format: workspace-path}";
    let narrow =
        format!("{{type: object, additionalProperties: false, required: [path], properties: {{{path}}}}}");
    assert_eq!(load(&read(&narrow)).1, "");
    let cases = [
        (format!("{{type: object, required: [path], properties: {{{path}}}}}"), "must be closed"),
        (format!("{{type: object, additionalProperties: false, properties: {{{path}}}}}"), "needs `path` among `required`"),
        (
            format!("{{type: object, additionalProperties: false, required: [path], properties: {{{path}, ofset: {{type: integer}}}}}}"),
            "the builtin `read_file` takes no `ofset`",
        ),
        (
            "{type: object, additionalProperties: false, required: [path], properties: {path: {type: string}}}".to_owned(),
            "`path` must have `format: workspace-path`",
        ),
        (
            format!("{{type: object, additionalProperties: false, required: [path], properties: {{{path}, limit: {{type: integer, minimum: 1, maximum: 501}}}}}}"),
            "`limit` must have a `maximum` of at most 500",
        ),
        (
            format!("{{type: object, additionalProperties: false, required: [path], properties: {{{path}, limit: {{type: number, minimum: 0, maximum: 9}}}}}}"),
            "`limit` must have `type: integer`",
        ),
    ];
    for (schema, expected) in cases {
        let (catalog, rendered) = load(&read(&schema));
        assert!(catalog.is_none() && rendered.contains(expected), "{schema}:\n{rendered}");
    }
    let mild = "run: {builtin: move_path}\nrisk: read_only\ninput_schema: {type: object, additionalProperties: false, \
                required: [from, to], properties: {from: {type: string, format: workspace-path}, to: {type: string, format: workspace-path}}}";
    assert!(load(&tool_with(mild)).1.contains("`move_path` is at least `write`"));
}

#[test]
fn a_name_twice_is_an_error_that_names_both_places() {
    let tool = tool_with("");
    let (catalog, rendered) = load_files(&[file("a.yaml", &tool), file("b.yaml", &tool)]);
    assert!(catalog.is_none());
    let expected = "\
error: the tool `t` is defined twice
 --> b.yaml:4:9
  |
4 |   name: t
  |         ^
hint: the first is at a.yaml:4:9
";
    assert_eq!(rendered, expected);
}

#[test]
fn names_that_differ_only_in_shape_are_two_tools_with_a_warning() {
    let (catalog, rendered) = load_files(&[
        file("a.yaml", &tool_with("name: get_item")),
        file("b.yaml", &tool_with("name: Get-Item")),
    ]);
    let catalog = catalog.unwrap();
    assert!(catalog.find("get_item").is_some() && catalog.find("Get-Item").is_some());
    assert!(catalog.find("get-item").is_none());
    assert!(
        rendered.contains("warning: `Get-Item` and `get_item` are two tools that a model will confuse"),
        "{rendered}"
    );
}

#[test]
fn credentials_have_one_source_and_are_declared_once() {
    let text = "\
version: 1
credentials:
  a: {source: {env: A_TOKEN}}
  b: {source: {file: secrets/b}}
  c: {source: {command: [pass, show, c]}, cache: 5m}
  d: {source: {mint: {audience: purchasing, lifetime: 60s}}}
tools: []
";
    let (catalog, rendered) = load(text);
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let sources: Vec<_> = catalog.credentials().iter().map(|credential| credential.source.clone()).collect();
    use crate::catalog::CredentialSource::{Command, Env, File, Mint};
    use crate::catalog::MintSpec;
    let command = ["pass", "show", "c"].map(str::to_owned).to_vec();
    let mint = Mint(MintSpec {
        audience: "purchasing".to_owned(),
        issuer: "tgw".to_owned(),
        lifetime: std::time::Duration::from_secs(60),
    });
    assert_eq!(sources, [Env("A_TOKEN".to_owned()), File("/base/secrets/b".into()), Command(command), mint]);

    let cases = [
        ("{a: {source: {env: A, file: b}}}", "a credential has exactly one source"),
        ("{a: {source: {}}}", "a credential has exactly one source"),
        ("{a: {source: {env: 'A B'}}}", "`A B` is not the name of an environment variable"),
        ("{a: {source: {env: }}}", "`env` has no value"),
        ("{a: {source: {command: []}}}", "`command` is an empty list"),
        ("{a: {source: {mint: {lifetime: 60s}}}}", "`audience` is missing"),
        ("{a: {source: {mint: {audience: p}}}}", "`lifetime` is missing"),
        ("{a: {source: {mint: {audience: 'p q', lifetime: 60s}}}}", "without white space"),
        ("{a: {source: {mint: {audience: p, issuer: 'a b', lifetime: 60s}}}}", "without white space"),
        ("{a: {source: {mint: {audience: p, lifetime: 0s}}}}", "`lifetime` must be longer than zero"),
        ("{a: {source: {mint: {audience: p, lifetime: 1500ms}}}}", "`lifetime` must be whole seconds"),
        ("{a: {source: {mint: {audience: p, lifetime: 61m}}}}", "`lifetime` must be whole seconds"),
        ("{a: {source: {mint: {audience: p, lifetime: 60s, key: k}}}}", "`key`"),
        ("{a: {source: {env: A}, cache: 5m}}", "`cache` is for the source `command`"),
        ("{a: {source: {command: [p]}, cache: 0s}}", "`cache` must be longer than zero"),
        ("{a: {source: {command: [p]}, cache: 25h}}", "`cache` must be at most 24h"),
        ("{'a b': {source: {env: A}}}", "credential name `a b` has ` `"),
        ("{a: {env: A}}", "`source` is missing"),
        ("{a: A}", "the credential `a` must be a mapping, found `A`"),
    ];
    for (credentials, expected) in cases {
        let (catalog, rendered) = load(&format!("version: 1\ntools: []\ncredentials: {credentials}\n"));
        assert!(catalog.is_none() && rendered.contains(expected), "{credentials}:\n{rendered}");
    }
    let (_, rendered) = load_files(&[file("a", text), file("b", text)]);
    assert!(rendered.contains("the credential `a` is declared twice"), "{rendered}");
}

#[test]
fn a_file_that_nobody_vouches_for_lowers_nothing() {
    let untrusted = |text: &str| ManifestFile { trusted: false, ..file("repo.yaml", text) };
    let (catalog, _) = load_files(&[untrusted(&tool_with("result: {trust: trusted}\negress: false"))]);
    assert_eq!(catalog.unwrap().find("t").unwrap().result.trust, Trust::Untrusted);
    let (catalog, rendered) =
        load_files(&[untrusted("version: 1\ntools: []\ncredentials: {a: {source: {command: [steal]}}}\n")]);
    assert!(catalog.is_none());
    assert!(rendered.contains("a manifest that nobody vouches for cannot declare credentials"), "{rendered}");
}

#[test]
fn a_schema_mistake_is_named_with_its_place() {
    let text = "\
version: 1
tools:
  - name: t
    description: d
    risk: read_only
    execution_mode: parallel
    result: {trust: untrusted}
    run: {builtin: git_status}
    input_schema:
      type: object
      additionalProperties: false
      properties:
        a:
          type: strng
";
    let (_, rendered) = load(text);
    let expected = "\
error: `type` must be one of `null`, `boolean`, `object`, `array`, `number`, `string`, `integer`, found `strng`
  --> tools.yaml:14:17
   |
14 |           type: strng
   |                 ^^^^^
hint: did you mean `string`?
";
    assert!(rendered.starts_with("error: the builtin `git_status` takes no `a`"), "{rendered}");
    assert!(rendered.ends_with(expected), "{rendered}");
}

#[test]
fn schema_keywords_are_checked() {
    let cases = [
        ("a: {type: []}", "`type` must be text, found a list"),
        ("a: {type: null}", "`type` has no value"),
        ("a: 5", "a schema must be a mapping, true or false, found the number 5"),
        ("a: {minLength: -1}", "`minLength` must be a whole number from 0"),
        ("a: {exclusiveMinimum: true}", "`exclusiveMinimum` must be a number, found `true`"),
        ("a: {multipleOf: 0}", "`multipleOf` must be a number above zero"),
        ("a: {enum: []}", "`enum` is an empty list"),
        ("a: {required: true}", "`required` must be a list of names"),
        ("a: {required: [b, b]}", "`b` occurs twice in `required`"),
        ("a: {pattern: '(?=x)'}", "the pattern is not valid"),
        ("a: {patternProperties: {'(': true}}", "the pattern is not valid"),
        ("a: {items: [true]}", "`items` must be one schema in draft 2020-12"),
        ("a: {anyOf: []}", "`anyOf` is an empty list"),
        ("a: {format: workspace_path}", "unknown format `workspace_path`"),
        ("a: {format: int32}", "warning: the format `int32` is not checked"),
        ("a: {maxlength: 5}", "warning: `maxlength` is not a keyword of JSON Schema"),
        ("a: {x-tgw-exist: file}", "unknown keyword `x-tgw-exist`"),
        ("a: {x-tgw-exists: file}", "`x-tgw-exists` is for paths"),
        ("a: {type: string, format: workspace-path, x-tgw-exists: dir}", "`x-tgw-exists` must be one of"),
        ("a: {x-tgw-known: {tool: nope, path: '$.a'}}", "there is no tool `nope`"),
        ("a: {x-tgw-known: {tool: t, path: 'a b'}}", "`path` is not a JSONPath"),
        ("a: {x-tgw-known: {tool: t}}", "`path` is missing"),
        ("a: {type: integer, default: '5'}", "the default must be of type integer, found `5`"),
        ("a: {type: integer, default: 5.0}", "the default must be of type integer"),
        ("a: {enum: [x, y], default: z}", "the default `z` is not in `enum`"),
        ("a: {type: integer, minimum: 1, default: 0}", "the default 0 is outside its own bounds"),
        (
            "a: {type: string, maxLength: 1, default: éé}",
            "the default has 2 characters, outside its own bounds",
        ),
        (
            "a: {type: object, additionalProperties: false, required: [bb], properties: {b: true}}",
            "`bb` is required and is not in `properties`",
        ),
        ("a: {$ref: 'https://evil.example/s.json'}", "`https://evil.example/s.json` leaves the schema"),
        ("a: {$ref: 'file:///etc/passwd'}", "`file:///etc/passwd` leaves the schema"),
        ("a: {$ref: '#name'}", "`#name` refers to an anchor"),
        ("a: {$ref: '#/$defs/none'}", "`#/$defs/none` names no schema in this one"),
        ("a: {$ref: '#/properties'}", "`#/properties` names no schema in this one"),
        ("a: {$ref: '#/properties/b'}, b: {$ref: '#/properties/a'}", "refers to itself for the same value"),
        ("a: {anyOf: [{$ref: '#/properties/a'}, {type: string}]}", "refers to itself for the same value"),
        ("a: {$id: 'x'}", "`$id` is supported at the root of a schema only"),
        ("a: {$dynamicRef: '#x'}", "`$dynamicRef` is not supported"),
        ("a: {$schema: 'http://json-schema.org/draft-07/schema#'}", "`$schema` is supported at the root"),
    ];
    for (properties, expected) in cases {
        let (_, rendered) = load(&with_schema(properties));
        assert!(rendered.contains(expected), "{properties}:\n{rendered}");
    }
}

#[test]
fn input_schemas_are_objects_in_a_known_draft() {
    let problems =
        |schema: &str| load(&tool_with(&format!("run: {{builtin: git_status}}\ninput_schema: {schema}"))).1;
    let closed = "additionalProperties: false";
    assert_eq!(
        problems(&format!("{{$schema: 'http://json-schema.org/draft-07/schema#', type: object, {closed}}}")),
        ""
    );
    assert_eq!(
        problems(&format!(
            "{{$schema: 'https://json-schema.org/draft/2020-12/schema', type: object, {closed}}}"
        )),
        ""
    );
    assert!(
        problems(&format!("{{$schema: 'http://json-schema.org/draft-04/schema#', type: object, {closed}}}"))
            .contains("is not supported")
    );
    assert!(problems(&format!("{{{closed}}}")).contains("an input schema must have `type: object`"));
    assert!(
        problems(&format!("{{type: [object, 'null'], {closed}}}"))
            .contains("an input schema must have `type: object`")
    );
    assert!(problems("true").contains("a schema must be a mapping, found `true`"));
}

#[test]
fn recursion_is_allowed_and_multiplication_is_not() {
    let output = |schema: &str| load(&tool_with(&format!("output_schema: {schema}")));
    let tree = "{type: object, properties: {children: {type: array, items: {$ref: '#'}}, name: {$ref: '#/$defs/n~1a'}}, $defs: {n/a: {type: string}}}";
    assert_eq!(output(tree).1, "");
    let mut definitions = "a0: {type: string}".to_owned();
    for level in 1..40 {
        let below = level - 1;
        definitions.push_str(&format!(
            ", a{level}: {{type: object, properties: {{x: {{$ref: '#/$defs/a{below}'}}, y: {{$ref: '#/$defs/a{below}'}}}}}}"
        ));
    }
    let (catalog, rendered) = output(&format!("{{$ref: '#/$defs/a39', $defs: {{{definitions}}}}}"));
    assert!(catalog.is_none());
    assert!(
        rendered.contains("the references of this schema unfold to more than 100000 schemas"),
        "{rendered}"
    );
    let wide = format!("{{anyOf: [{}]}}", "{type: string}, ".repeat(20_000));
    assert!(output(&wide).1.contains("the schema has more than 10000 parts"));
}

#[test]
fn the_gateways_own_tools_are_in_every_catalog() {
    let (catalog, rendered) = load("version: 1\ntools: []\n");
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let names: Vec<_> = catalog.contracts().iter().map(|contract| contract.name.as_str()).collect();
    assert_eq!(names, ["tgw__read_result", "tgw__search_tools"]);
    let mut report = Report::default();
    catalog.check_examples(&mut report);
    assert_eq!(report.diagnostics(), []);
    assert!(catalog.contracts().iter().all(|c| c.risk == Risk::ReadOnly && !c.internal && !c.egress));
}

#[test]
fn examples_and_defaults_are_checked_in_full_on_request() {
    let text = tool_with(
        "input_schema: {type: object, additionalProperties: false, properties: {}}\nexamples: [{arguments: {x: 1}}]\noutput_schema: {type: array, items: {type: string, pattern: '^a$', default: b}}",
    );
    let (catalog, rendered) = load(&text);
    assert_eq!(rendered, "");
    let mut report = Report::default();
    catalog.unwrap().check_examples(&mut report);
    let messages: Vec<_> = report.diagnostics().iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].starts_with("example 1 of `t` is not valid at ``: "), "{messages:?}");
    assert!(messages[1].starts_with("a default of `t` does not fit its schema: "), "{messages:?}");
}

#[test]
fn a_syntax_error_ends_its_file_and_no_other() {
    let (catalog, rendered) =
        load_files(&[file("a.yaml", "version: 1\ntools: [\n"), file("b.yaml", "version: 1\n")]);
    assert!(catalog.is_none());
    assert!(rendered.contains("error: this `[` is never closed\n --> a.yaml:2:8"), "{rendered}");
    assert!(rendered.contains("error: `tools` is missing\n --> b.yaml:1:1"), "{rendered}");
}

#[test]
fn problems_reported_before_do_not_fail_a_good_manifest() {
    let mut sources = SourceMap::default();
    let other = sources.add("policy.yaml", "x");
    let mut report = Report::default();
    report.push(Diagnostic::error(Span::new(other, 0..1), "not ours"));
    assert!(Catalog::load(&[file("tools.yaml", &tool_with(""))], &mut sources, &mut report).is_ok());
}

#[test]
fn the_digest_changes_with_the_content_and_not_with_the_layout() {
    let digest = |text: &str| load(text).0.unwrap().find("t").unwrap().digest;
    let plain = digest(&tool_with("title: T"));
    assert_eq!(plain, digest(&format!("# remark\n{}", tool_with("title: 'T'"))));
    assert_ne!(plain, digest(&tool_with("title: t")));
}

fn command(run: &str) -> String {
    tool_with(&format!(
        "risk: write\nexecution_mode: exclusive\ninput_schema: {{type: object, additionalProperties: false, required: [name], \
         properties: {{name: {{type: string}}, paths: {{type: array, items: {{type: string}}}}, seconds: {{type: integer}}}}}}\n{run}"
    ))
}

#[test]
fn a_command_is_loaded_with_its_templates_and_conditions() {
    let text = command(
        "run:\n  command:\n    argv: [cargo, test, {when: has(arguments.paths), args: [--, '{{arguments.name}}']}, \
         {each: 'arguments.?paths.orValue([])', args: ['--path={{item}}']}]\n    cwd: src\n    env: {COLOUR: never}\n    \
         pass_env: [CARGO_HOME]\n    stdin: '{{json(arguments)}}'\n    output: json\n    streams: merged\n    \
         success: 'exit.status in [0, 101]'\n    no_effect: 'exit.status == 2'\n    max_output_bytes: 1000",
    );
    let guarded = "run: {command: [ls, {when: 'has(arguments.seconds) && arguments.seconds > 1', args: ['{{arguments.seconds}}']}]}";
    assert_eq!(load(&command(guarded)).1, "");
    let (catalog, rendered) = load(&text);
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let contract = catalog.find("t").unwrap();
    let Run::Command(spec) = &contract.run else { panic!("a command") };
    assert_eq!(
        (spec.argv.len(), spec.env.len(), spec.pass_env.as_slice()),
        (4, 1, &["CARGO_HOME".to_owned()][..])
    );
    assert_eq!((spec.max_output_bytes, spec.on_overflow), (1000, crate::catalog::Overflow::Fail));
    assert_eq!(spec.program_base, PathBuf::from("/base"));
    assert!(spec.success.is_some() && spec.no_effect.is_some() && spec.cwd.is_some());
    assert!(!contract.egress, "without a network a command carries nothing away");
}

#[test]
fn a_networked_command_carries_data_away_unless_a_trusted_file_says_otherwise() {
    let text =
        |egress: &str| command(&format!("run: {{command: [curl]}}\nsandbox: {{network: open}}\n{egress}"));
    let egress = |text: &str, trusted: bool| {
        let (catalog, rendered) = load_files(&[ManifestFile { trusted, ..file("t", text) }]);
        catalog.unwrap_or_else(|| panic!("{rendered}")).find("t").unwrap().egress
    };
    assert!(egress(&text(""), true));
    assert!(!egress(&text("egress: false"), true));
    assert!(egress(&text("egress: false"), false));
}

#[test]
fn each_mistake_in_a_command_is_named() {
    let cases = [
        ("run: {command: []}", "`argv` is an empty list"),
        ("run: {command: ls -l}", "`command` must be a mapping, found `ls -l`"),
        ("run: {command: {}}", "`argv` is missing"),
        ("run: {command: ['{{arguments.name}}', x]}", "the program in `argv` must be written out"),
        ("run: {command: [{when: 'true', args: [ls]}]}", "the program in `argv` must be written out"),
        ("run: {command: [ls, '']}", "an argument is empty"),
        ("run: {command: [sleep, 5]}", "an argument must be text, found the number 5"),
        ("run: {command: [ls, \"a\\0b\"]}", "an argument holds a NUL character"),
        ("run: {command: [ls, '{{arguments.nme}}']}", "nme"),
        ("run: {command: [ls, '{{item}}']}", "item"),
        ("run: {command: [ls, '{{exit.status}}']}", "exit"),
        (
            "run: {command: [ls, {when: 'has(arguments.seconds) || true', args: ['{{arguments.seconds}}']}]}",
            "may be absent",
        ),
        (
            "run: {command: [ls, {when: 'has(arguments.paths)', args: ['{{arguments.seconds}}']}]}",
            "may be absent",
        ),
        ("run: {command: [ls, {when: arguments.name, args: [x]}]}", "arguments.name"),
        ("run: {command: [ls, {when: 'true'}]}", "`args` is missing"),
        ("run: {command: [ls, {args: [x]}]}", "a part of `argv` has either `when` or `each`"),
        (
            "run: {command: [ls, {when: 'true', each: 'arguments.paths', args: [x]}]}",
            "either `when` or `each`",
        ),
        ("run: {command: [sh, -c, 'echo {{arguments.name}}']}", "a placeholder inside a shell script"),
        (
            "run: {command: [/usr/bin/env, bash, -ec, 'echo {{arguments.name}}']}",
            "a placeholder inside a shell script",
        ),
        (
            "run: {command: {argv: [ls], cwd: ../x}}",
            "`cwd` must be a path inside the workspace, found `../x`",
        ),
        (
            "run: {command: {argv: [ls], env: {LD_PRELOAD: x}}}",
            "`LD_PRELOAD` decides which code a program runs",
        ),
        (
            "run: {command: {argv: [ls], env: {DYLD_INSERT_LIBRARIES: x}}}",
            "decides which code a program runs",
        ),
        ("run: {command: {argv: [ls], env: {PATH: x}}}", "`PATH` is always the gateway's own"),
        ("run: {command: {argv: [ls], env: {'A=B': x}}}", "`A=B` is not the name of an environment variable"),
        (
            "run: {command: {argv: [ls], pass_env: [PYTHONPATH]}}",
            "`PYTHONPATH` decides which code a program runs",
        ),
        ("run: {command: {argv: [ls], pass_env: [A], env: {A: x}}}", "the variable `A` is set twice"),
        ("run: {command: {argv: [ls], credentials: {TOKEN: nope}}}", "the credential `nope` is not declared"),
        ("run: {command: {argv: [ls], stdin: {credential: nope}}}", "the credential `nope` is not declared"),
        ("run: {command: {argv: [ls], output: xml}}", "`output` must be one of"),
        ("run: {command: {argv: [ls], success: 'exit.stats == 0'}}", "stats"),
        ("run: {command: {argv: [ls], success: 'exit.status'}}", "exit.status"),
        (
            "run: {command: {argv: [ls], max_output_bytes: 0}}",
            "`max_output_bytes` must be a whole number from 1",
        ),
        ("run: {command: {argv: [ls], shell: true}}", "unknown key `shell`"),
        ("run: {command: [ls]}\ntimeout: {from: arguments.name, max: 10s}", "arguments.name"),
        ("run: {command: [ls]}\ntimeout: {from: '1000'}", "`max` is missing"),
        ("run: {command: [ls, {{arguments.name}}]}", "an unquoted `{{` is a mapping in YAML, not a template"),
    ];
    for (run, expected) in cases {
        let (catalog, rendered) = load(&command(run));
        assert!(catalog.is_none(), "{run} was accepted");
        assert!(rendered.contains(expected), "{run}:\n{rendered}");
    }
    let read_only = tool_with("run: {command: {argv: [ls], no_effect: 'exit.status == 1'}}");
    assert!(load(&read_only).1.contains("`no_effect` is for tools that change something"));
}

#[test]
fn a_mistake_in_an_expression_is_marked_where_it_stands() {
    let text = command(
        "run:\n  command:\n    argv: [ls]\n    success: 'exit.status == 0 && arguments.nam == \"it''s\"'",
    );
    let (_, rendered) = load(&text);
    let marked = rendered.lines().skip_while(|line| !line.contains("success:")).nth(1).unwrap();
    let line = rendered.lines().find(|line| line.contains("success:")).unwrap();
    let column = marked.find('^').unwrap();
    assert!(line[column..].starts_with("nam") || line[column..].starts_with("arguments.nam"), "{rendered}");
    let block = command(
        "run:\n  command:\n    argv: [ls]\n    success: |\n      exit.status == 0 &&\n        arguments.nam == 'x'",
    );
    let (_, rendered) = load(&block);
    assert!(rendered.contains("|         arguments.nam == 'x'") || rendered.contains("| "), "{rendered}");
    assert!(rendered.lines().any(|line| line.contains("arguments.nam == 'x'")), "{rendered}");
}

#[test]
fn a_credential_is_for_files_that_the_person_vouches_for() {
    let own = file("own.yaml", "version: 1\ntools: []\ncredentials: {docs: {source: {env: DOCS_TOKEN}}}\n");
    let text = command("run: {command: {argv: [ls], credentials: {TOKEN: docs}}}");
    let (catalog, rendered) = load_files(&[own.clone(), file("t.yaml", &text)]);
    assert!(catalog.is_some(), "{rendered}");
    let (catalog, rendered) = load_files(&[own, ManifestFile { trusted: false, ..file("repo.yaml", &text) }]);
    assert!(catalog.is_none());
    assert!(
        rendered.contains("a manifest that nobody vouches for cannot use the credential `docs`"),
        "{rendered}"
    );
}

#[test]
fn the_shipped_manifest_loads_without_a_remark_and_its_examples_hold() {
    let (catalog, rendered) = load_files(&[file("tools.yaml", EMBEDDED_MANIFEST)]);
    assert_eq!(rendered, "");
    let catalog = catalog.unwrap();
    let mut report = Report::default();
    catalog.check_examples(&mut report);
    assert_eq!(report.diagnostics(), []);
    let names: Vec<_> = catalog.contracts().iter().map(|contract| contract.name.as_str()).collect();
    let shipped = [
        "read_file",
        "list_directory",
        "find_files",
        "search_text",
        "write_file",
        "replace_in_file",
        "move_path",
        "delete_path",
        "run_tests",
        "git_status",
        "git_diff",
        "git_log",
        "tgw__read_result",
        "tgw__search_tools",
    ];
    assert_eq!(names, shipped);
    for contract in catalog.contracts() {
        assert!(
            !contract.egress && !contract.examples.is_empty() && contract.use_when.is_some(),
            "{}",
            contract.name
        );
        let described = contract.input_schema.json["properties"].as_object().unwrap();
        assert!(described.values().all(|property| property["description"].is_string()), "{}", contract.name);
    }
}

#[test]
fn the_shipped_contracts_offer_exactly_what_the_builtins_take() {
    let (catalog, _) = load_files(&[file("tools.yaml", EMBEDDED_MANIFEST)]);
    for contract in catalog.unwrap().contracts() {
        if let Run::Builtin(builtin) = contract.run {
            let offered: Vec<_> =
                contract.input_schema.json["properties"].as_object().unwrap().keys().cloned().collect();
            let mut taken: Vec<_> =
                builtin.arguments().iter().map(|argument| argument.name.to_owned()).collect();
            let mut sorted = offered;
            sorted.sort();
            taken.sort();
            assert_eq!(sorted, taken, "{}", contract.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn loading_arbitrary_text_never_panics(text in ".{0,200}") {
        load(&text);
    }

    #[test]
    fn loading_a_damaged_manifest_never_panics(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, r##"[a-z0-9{}\[\]:, '".*&$\n\t#|>!-]{0,6}"##), 1..6),
    ) {
        let mut text = EMBEDDED_MANIFEST.to_owned();
        for (at, length, insert) in edits {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end.max(start), &insert);
        }
        load(&text);
    }

    #[test]
    fn loading_arbitrary_keys_and_values_never_panics(
        lines in prop::collection::vec(
            ("(name|description|risk|timeout|permissions|input_schema|result|examples|internal|sandbox|object|version)",
             r"[a-z0-9{}\[\]:, '.*&$/-]{0,30}"),
            0..8,
        ),
    ) {
        let mut text = "version: 1\ntools:\n-\n".to_owned();
        for (key, value) in lines {
            text.push_str(&format!("  {key}: {value}\n"));
        }
        load(&text);
    }
}

/// What is wrong with a read over http that has these keys besides its address.
fn http_problems(keys: &str) -> String {
    let schema = "input_schema: {type: object, additionalProperties: false, required: [id, file, list], properties: \
                  {id: {type: string}, file: {type: string, format: workspace-path}, list: {type: array}}}";
    let keys =
        if keys.contains("url:") { keys.to_owned() } else { format!("url: 'https://h.example/a', {keys}") };
    let text = tool_with(&format!("{schema}\nrun: {{http: {{{keys}}}}}"));
    load(&text.replace("version: 1\n", "version: 1\ncredentials: {key: {source: {env: KEY}}}\n")).1
}

#[test]
fn a_request_is_loaded_with_every_part_of_it() {
    let rendered = http_problems(
        "url: 'https://api.example:8443/a/{{arguments.id}}/b', query: {q: '{{arguments.id}}', m: 5, t: {each: arguments.list, \
         value: '{{item}}'}, o: {when: has(arguments.list), value: '1'}}, headers: {X-Ref: 'r-{{arguments.id}}'}, \
         auth: {bearer: key}, networks: [loopback, 10.0.0.0/8], redirects: {max: 3, hosts: ['*.h.example']}, \
         proxy: {url: 'http://proxy.example:3128', basic: key}, tls: {roots: key, identity: key}, connect_timeout: 2s, \
         read_timeout: 5s, retries: 2, output: json, success: 'http.status == 200 && !has(value.error)', \
         max_response_bytes: 1000, on_overflow: fail",
    );
    assert_eq!(rendered, "");
    for body in [
        "body: {a: ['{{arguments.id}}'], b: 1}",
        "body: '{{arguments}}'",
        "text: 'x {{arguments.id}}'",
        "form: {a: '{{arguments.id}}'}",
        "multipart: {a: '1', f: {file: '{{arguments.file}}', filename: 'x.csv', content_type: text/csv}, g: {file: a/b.txt}}",
    ] {
        assert_eq!(http_problems(&format!("method: POST, {body}")), "", "{body}");
    }
}

#[test]
fn a_request_whose_place_could_be_chosen_by_a_call_is_refused() {
    let cases = [
        ("url: 'https://{{arguments.id}}/a'", "scheme, host and port of `url` must be written out"),
        ("url: 'https://{{arguments.id}}.example/a'", "must be written out"),
        ("url: 'https://h.example{{arguments.id}}'", "must be written out"),
        ("url: '{{arguments.id}}'", "must be written out"),
        ("url: 'https://h.example:{{arguments.id}}/'", "must be written out"),
        ("url: 'https://h.example/a?b={{arguments.id}}'", "has a query or a fragment"),
        ("url: 'https://h.example/a#b'", "has a query or a fragment"),
        ("url: 'ftp://h.example/a'", "`ftp` is no scheme of a request"),
        ("url: 'https://u:p@h.example/a'", "it has a user name before the host"),
        ("url: 'https://2130706433/a'", "its host is missing or oddly written"),
        ("url: 'https://h.example/a/../b'", "its path has `.` or `..` parts"),
        ("url: 'https://h.example/a//b'", "has an empty part"),
        ("url: 'https://h.example/ä'", "a character that must be encoded"),
        ("url: h.example", "does not begin with a scheme"),
        ("headers: {Host: x}", "the header `Host` is set by the gateway itself"),
        ("headers: {Content-Length: 1}", "set by the gateway itself"),
        ("headers: {Authorization: x}", "the header `Authorization` carries a credential"),
        ("headers: {Cookie: x}", "carries a credential"),
        ("headers: {'a b': x}", "is no name of a header"),
        ("headers: {X-A: '1', x-a: '2'}", "the header `x-a` is set twice"),
        (
            "auth: {header: {name: X-A, credential: key}}, headers: {x-a: '1'}",
            "the header `x-a` is set twice",
        ),
        ("auth: {query: {name: q, credential: key}}, query: {q: '1'}", "set by `query` and by `auth`"),
        ("auth: {bearer: key, basic: key}", "`auth` has one of"),
        ("auth: {bearer: nowhere}", "`nowhere`"),
        ("method: TRACE", "`method` must be"),
        ("method: DELETE", "`DELETE` changes something, and this tool is `read_only`"),
        ("body: {}", "a `GET` request sends nothing"),
        ("method: POST, body: {}, form: {}", "a request sends one of"),
        ("networks: [everything]", "neither `loopback` nor a block"),
        ("networks: [10.0.0.1/8]", "has bits set beyond"),
        ("method: POST, redirects: 1", "`redirects` are followed for `GET` and `HEAD`"),
        ("redirects: {max: 1, hosts: ['*']}", "is no host pattern"),
        ("proxy: 'http://proxy.example/path'", "is no address of a proxy"),
        ("no_effect: 'http.status == 404'", "`no_effect` is for tools that change something"),
        ("success: 'exit.status == 0'", "exit"),
        ("success: 'http.state == 0'", "state"),
        ("retries: 9", "from 0 to 5"),
        (
            "method: POST, multipart: {f: {file: '{{arguments.id}}'}}",
            "must be an argument that is declared as a path",
        ),
        ("method: POST, multipart: {f: {file: '../x'}}", "must be a path inside the workspace"),
        ("url: 'http://h.example/', tls: {roots: key}", "`tls` is for `https`"),
        ("unknown: 1", "unknown"),
    ];
    for (keys, expected) in cases {
        let rendered = http_problems(keys);
        assert!(rendered.contains(expected), "{keys}:\n{rendered}");
    }
}

#[test]
fn a_key_is_sent_in_the_way_of_what_runs() {
    let with = |send_as: &str, run: &str| {
        let extra =
            format!("risk: write\nidempotency: {{key: '{{{{call.id}}}}', send_as: {send_as}}}\nrun: {run}");
        load(&tool_with(&extra)).1
    };
    let post = "{http: {method: POST, url: 'https://h.example/', headers: {X-Key: a}}}";
    let ok = with("{header: Idempotency-Key}", post);
    assert!(!ok.contains("error"), "{ok}");
    let cases = [
        ("{env: KEY}", post, "`send_as.env` is for `run.command`"),
        ("{header: Idempotency-Key}", "{command: [make]}", "`send_as.header` is for `run.http`"),
        ("{header: x-key}", post, "the header `x-key` is set by `run` too"),
        ("{header: Host}", post, "set by the gateway itself"),
        ("{header: A, env: B}", post, "`send_as` has either"),
    ];
    for (send_as, run, expected) in cases {
        let rendered = with(send_as, run);
        assert!(rendered.contains(expected), "{send_as} {run}:\n{rendered}");
    }
}

#[test]
fn a_request_leaves_the_machine_and_is_repeated_only_where_that_changes_nothing_more() {
    let (catalog, rendered) = load(&tool_with("run: {http: {url: 'https://h.example/'}}"));
    assert!(catalog.unwrap().find("t").unwrap().egress, "{rendered}");
    let rendered =
        load(&tool_with("risk: write\nrun: {http: {method: POST, url: 'https://h.example/', retries: 1}}")).1;
    assert!(rendered.contains("`retries` of a request that changes something"), "{rendered}");
}
