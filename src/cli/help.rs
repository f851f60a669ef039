//! What stands below the options in help texts and man pages: exit statuses and examples.

/// `tgw`
pub(super) const TGW: &str = "\
Start with:
  tgw doctor                 what was found, what is trusted, what this machine can do
  tgw tools                  what the agent sees
  tgw check < calls.jsonl    decide without running
  tgw run < calls.jsonl      decide and run
  tgw explain CODE           what an error means
  tgw help COMMAND           everything about a command

Exit status: 0 done, 1 not done, 2 usage or configuration, 70 a defect of tgw. `tgw call` and `tgw run` have more.";

/// `tgw run`
pub(super) const RUN: &str = "\
A line is a call {\"id\":\"c1\",\"name\":\"read_file\",\"arguments\":{\"path\":\"README.md\"}}, a JSON array of calls (a batch), a \
message of OpenAI, Anthropic, Gemini or Bedrock with its calls, an MCP tools/call, or {\"cancel\":\"c1\"}. Each call is answered by \
one line, in call order, in the shape it came in.

With --wait-approvals a call that a person must approve is answered `input_required` in its place, the others go on, and an event line \
{\"event\":\"resolved\",\"id\":\"c1\",…} says what became of it. The stream ends when its input has ended and every question is settled.

With --wait-operations the stream also waits for what its calls began elsewhere (`accepted`, `working`), and such an event line \
says what became of each. Without it the stream ends, and a later process takes that over.

Exit status: 0 once every line is answered, whatever the answers; 2 for a usage or configuration error; 130 after Ctrl-C or where a person stops the run.

Examples:
  tgw run < calls.jsonl
  tgw run --step analyse --display none calls.jsonl
  tgw run --agent buyer --task task.yaml < calls.jsonl > results.jsonl
  tgw run --no-prompt --wait-approvals < calls.jsonl";

/// `tgw call`
pub(super) const CALL: &str = "\
Exit status: 0 succeeded, 1 failed, 2 usage or configuration, 3 denied, 4 a person must answer first, 5 timed out with nothing \
changed, 6 outcome unknown, 7 accepted or working, 8 cancelled, 70 a defect of tgw.

Examples:
  tgw call read_file '{\"path\":\"README.md\",\"limit\":20}'
  tgw call write_file @arguments.json
  printf '{}' | tgw call git_status -";

/// `tgw check`
pub(super) const CHECK: &str = "\
Takes the same lines as `tgw run`. Nothing is run, asked or recorded; each call is answered by one line with its verdict, the \
rules that determined it, its effective arguments and what would run. Exit status: 0 once every line is answered, whatever the verdicts.

Examples:
  tgw check calls.jsonl
  tgw check --explain --step analyse < calls.jsonl
  echo '{\"name\":\"delete_path\",\"arguments\":{\"path\":\"notes.md\"}}' | tgw check --explain";

/// `tgw tools`
pub(super) const TOOLS: &str = "\
Examples:
  tgw tools
  tgw tools --all --step analyse
  tgw tools --json --agent buyer@1.4 > tools.json";

/// `tgw results`
pub(super) const RESULTS: &str = "\
Results are kept for 7 days, redacted, in the state store.

Examples:
  tgw results
  tgw results r_… --offset 201 --limit 100
  tgw results r_… --filter '$.lines[0:5]' --json";

/// `tgw approvals`
pub(super) const APPROVALS: &str = "\
A question that nobody was there to answer is stored. It is answered here, from any process, before it expires; its call then runs \
once: with `tgw approvals run`, or when the same call is sent again.

Examples:
  tgw approvals list
  tgw approvals show a_…
  tgw approvals show a_… --as-rule
  tgw approvals approve a_… --note 'only this once'
  tgw approvals approve a_… --as ann --key ann.key
  tgw approvals deny a_… --feedback 'use the other file'
  tgw approvals run a_…
  tgw approvals watch --json
  tgw approvals revoke g_…";

/// `tgw approvers`
pub(super) const APPROVERS: &str = "\
Where a rule of the policy says `by`, `count` or `not_requester`, only answers count that are signed with the key of an approver \
who is listed here: in approvers.yaml of your configuration folder, never in the store that the answers are in. The private key \
belongs where no agent's command can read it.

Examples:
  tgw approvers keygen ann.key
  tgw approvers add ann ed25519:…
  tgw approvers list
  tgw approvers remove ann
  tgw approvals approve a_… --as ann --key ann.key";

/// `tgw keys`
pub(super) const KEYS: &str = "\
A credential with the source `mint` is a pass: a statement of what one call is, signed with the key that these commands keep in the \
state home. Backends check it with what `jwks` prints; docs/backend.md shows how. A rotation counts at once, in every process.

Examples:
  tgw keys generate
  tgw keys jwks > jwks.json
  tgw keys rotate
  tgw keys retire c2lnbmVk… # after a leak: the one before, whose passes are refused as soon as backends have the new set";

/// `tgw effects`
pub(super) const EFFECTS: &str = "\
Every call that changes something has an entry: under the key that its contract states, else under its own id. An effect whose \
end is not known stays `unknown`, and its key taken, until a look-up of its contract or a person tells.

What a backend accepted goes on elsewhere. Any process follows it: `tgw run` beside its calls, `wait` and `watch` here; one at a time \
looks. Exit status of wait: as of `tgw call`; 7 where it goes on. Of reconcile: 0 where nothing is left open, else 1.

Examples:
  tgw effects list --status unknown
  tgw effects show e_…
  tgw effects wait e_… --timeout 10m
  tgw effects reconcile
  tgw effects resolve e_… --as failed --evidence 'no order R-1 in the shop, looked at 14:05'";
/// `tgw task`
pub(super) const TASK: &str = "\
The step decides which tools the agent sees, and what rules ask. A run that names the task by its id follows it: when the step changes or \
the task ends, the next call is decided there, also one that waited. Nothing that a model writes changes it.

Exit status of start and step: 0, 3 where a gate stays closed or a person says no, 4 where there is no terminal to ask on, 1 where the \
task was changed meanwhile.

Examples:
  tgw task start task.yaml
  tgw run --task T-1
  tgw task step T-1 execute --data '{\"chosen_supplier\": \"S-1\"}'
  tgw task show T-1
  tgw task end T-1";
/// `tgw budgets`
pub(super) const BUDGETS: &str = "\
What calls took counts for the window of the budget, for good where it has none; what provably did not happen is given back, what is \
unknown is not. `tgw check` shows what a call would take.

Examples:
  tgw budgets
  tgw budgets --json --tenant acme";
/// `tgw state`
pub(super) const STATE: &str = "\
Nothing may have the file open meanwhile. Afterwards name the server with --state or TGW_STATE in every command, and the tenant: what \
was kept without one is that of `local`. Every machine that uses the server needs the same `seal.key` in its state home.

Examples:
  tgw state migrate postgres://tgw@db.example/tgw
  TGW_STATE=postgres://tgw@db.example/tgw tgw audit verify --tenant local";
/// `tgw approvals run`
pub(super) const APPROVALS_RUN: &str = "\
The call runs for the user and the agent, and in the task and the step, in which it was asked about. Exit status: as for `tgw call`.

Example:
  tgw approvals run a_…";

/// `tgw audit`
pub(super) const AUDIT: &str = "\
Examples:
  tgw audit list --status denied
  tgw audit show c1
  tgw audit verify --receipt sha256:…
  tgw audit keygen
  tgw audit checkpoint >> /mnt/elsewhere/checkpoints.jsonl
  tgw audit verify --against /mnt/elsewhere/checkpoints.jsonl
  tgw audit erase --user ann --before 2026-01-31
  tgw audit export > audit.jsonl";

/// `tgw drill`
pub(super) const DRILL: &str = "\
Nothing of yours is run or changed: each call goes through the whole gateway, over a store that is thrown away, to a double that \
times out before and after its effect, dies with the gateway, is sent the same call twice, is approved too late, meets a changed \
policy, or has no store. Arguments come from `examples` of the contract, else from its schema. Exit status: 1 where a law is broken, \
2 where none could be tried.

Examples:
  tgw drill
  tgw drill --tool send_mail --json";

/// `tgw audit erase`
pub(super) const AUDIT_ERASE: &str = "\
Each detail is encrypted under a key of its own record; the keys and the details go, the results that are kept of these calls, what \
the ledger keeps of their arguments, and their questions that have ended. What is not settled or can still be answered stays, and is \
named. That it was erased, by whom, is on record. Exit status: 1 where it was not erased after all.

Examples:
  tgw audit erase --call c1 --task T-17
  tgw audit erase --before 2026-01-31 --reason 'kept for a year'
  tgw audit erase --user ann --yes";

/// `tgw init`
pub(super) const INIT: &str = "\
Next: read both files, then `tgw trust`, `tgw tools` and `tgw doctor`.

Examples:
  tgw init
  tgw init ~/projects/shop";

/// `tgw trust`
pub(super) const TRUST: &str = "\
Without it, a tools.yaml, policy.yaml or tgw.lock that a workspace brings is not obeyed: a cloned repository cannot bring its own rules. \
A change of the content has to be trusted anew. Exit status: 1 where a file was not \
trusted after all, 2 where nobody can be asked.

Examples:
  tgw trust
  tgw trust --yes policy.yaml
  tgw trust --list
  tgw trust --revoke tools.yaml";

/// `tgw lock`
pub(super) const LOCK: &str = "\
It starts each server, lists its tools, and shows what is new, what is described otherwise than before, line by line, and what is gone. With a \
yes it writes tgw.lock and trusts it. A tool that no trusted lock accepts is not visible, and one that its server describes otherwise later on \
is not called (CONTRACT_CHANGED) until it is accepted again. Exit status: 1 where something differs with --check, a server could not be asked, or \
nothing was accepted after all; 2 where nobody can be asked.

Examples:
  tgw lock
  tgw lock docs
  tgw lock --check";

/// `tgw explain`
pub(super) const EXPLAIN: &str = "\
Examples:
  tgw explain
  tgw explain OUTCOME_UNKNOWN";

/// `tgw schema`
pub(super) const SCHEMA: &str = "\
Example:
  tgw schema call > call.schema.json";

/// `tgw doctor`
pub(super) const DOCTOR: &str = "\
Exit status: 0 where nothing keeps calls from running, else 1.

Examples:
  tgw doctor
  tgw doctor --json --workspace ~/projects/shop";

/// `tgw completions`
pub(super) const COMPLETIONS: &str = "\
Examples:
  tgw completions bash > ~/.local/share/bash-completion/completions/tgw
  tgw completions zsh > ~/.zfunc/_tgw
  tgw completions fish > ~/.config/fish/completions/tgw.fish";

/// `tgw man`
pub(super) const MAN: &str = "\
Example:
  tgw man ~/.local/share/man/man1";
