//! What leaves for a collector, what is passed on to commands, and what happens where the collector is away.

mod away;
mod collector;
mod exported;
mod traceparent;

/// Where a harness stands in its trace.
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT_SPAN: &str = "b7ad6b7169203331";

/// Tools that say what they find in their environment, that fail, and that need a credential.
const TOOLS: &str = r#"
version: 1
credentials: {token: {source: {env: THE_TOKEN}}}
tools:
  - name: place
    description: Prints its place in a trace.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    run: {command: {argv: [sh, -c, 'echo "<$TRACEPARENT>"; env | grep -c OTEL_ || true']}}
    result: {trust: trusted}
  - name: passed
    description: Prints its place in a trace, with the gateway's own variable passed on.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [sh, -c, 'echo "<$TRACEPARENT>"'], pass_env: [TRACEPARENT]}}
    result: {trust: trusted}
  - name: stated
    description: Prints what its contract states as its place in a trace.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {}}
    run: {command: {argv: [sh, -c, 'echo "<$TRACEPARENT>"'], env: {TRACEPARENT: mine}}}
    result: {trust: trusted}
  - name: fails
    description: Fails, and says why.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    run: {command: {argv: [sh, -c, 'echo told-on-stdout; echo told-on-stderr >&2; exit 3']}}
    result: {trust: trusted}
  - name: secretive
    description: Uses a credential.
    risk: read_only
    execution_mode: exclusive
    egress: false
    input_schema: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    run: {command: {argv: [sh, -c, 'echo "$TOKEN"'], credentials: {TOKEN: token}}}
    result: {trust: trusted}
  - name: drop_table
    description: Is not for this policy.
    risk: destructive
    changes: everything
    execution_mode: exclusive
    egress: false
    idempotency: none
    input_schema: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    run: {command: {argv: ["true"]}}
    result: {trust: trusted}
  - name: ask_first
    description: Needs a person.
    risk: write
    changes: something
    execution_mode: exclusive
    egress: false
    idempotency: none
    input_schema: {type: object, additionalProperties: false, properties: {note: {type: string}}}
    run: {command: {argv: ["true"]}}
    result: {trust: trusted}
"#;

const POLICY: &str = "version: 1
default_verdict: allow
rules:
  - {id: not-that, verdict: deny, tools: [drop_table], reason: not here}
  - {id: ask, verdict: require_approval, tools: [ask_first], reason: a person must know}
";
