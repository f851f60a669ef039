# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_tgw_global_optspecs
    string join \n v/verbose log-format= color= h/help V/version
end

function __fish_tgw_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_tgw_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_tgw_using_subcommand
    set -l cmd (__fish_tgw_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c tgw -n "__fish_tgw_needs_command" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_needs_command" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_needs_command" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tgw -n "__fish_tgw_needs_command" -s V -l version -d 'Print version'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "run" -d 'Run a stream of calls: one line a call or a batch in, one line a result out'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "call" -d 'Run one call'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "check" -d 'Decide calls without running anything, and say why'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "tools" -d 'List the tools that this agent sees in this step'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "results" -d 'List stored results, or page and filter one'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "approvals" -d 'Look at questions that wait and at remembered answers, answer one, run its call, or revoke one'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "approvers" -d 'Say whose signed answers count, and make keys to sign with'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "keys" -d 'Make, rotate and publish the keys that passes are signed with'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "effects" -d 'Look at the ledger of effects, look up or settle what is not known'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "task" -d 'Keep a task, put it into a step, look at it, end it'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "budgets" -d 'Look at what is used of every budget of the policy'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "state" -d 'Move the state store to a server'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "audit" -d 'Look at the audit chain: list, show, verify, export'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "init" -d 'Write a small commented tools.yaml and policy.yaml for a project'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "trust" -d 'Say that configuration files of a workspace may be obeyed, with their present content'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "lock" -d 'Look at what upstream servers offer, and accept it: what was accepted is what is shown and called'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "explain" -d 'Explain an error code, or list them all'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "schema" -d 'Print the JSON Schema of a call line or of a result line'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "doctor" -d 'Say what was found, what is trusted, and what this machine can do'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "drill" -d 'Try the laws of effects on your own tools and policy, with doubles in place of everything that would run'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "completions" -d 'Print shell completions'
complete -c tgw -n "__fish_tgw_needs_command" -f -a "man" -d 'Write the man pages into a folder'
complete -c tgw -n "__fish_tgw_using_subcommand run" -l jobs -d 'Most calls that run side by side; only reads marked `parallel` do' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l format -d 'The shape of result lines; auto answers each call in the shape it came in' -r -f -a "auto\t'The shape each call came in'
native\t'tgw\'s own'
openai-chat\t'OpenAI chat completions'
openai-responses\t'OpenAI Responses'
anthropic\t'Anthropic Messages'
gemini\t'Gemini'
bedrock\t'Bedrock Converse'
mcp\t'MCP'"
complete -c tgw -n "__fish_tgw_using_subcommand run" -l display -d 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand run" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand run" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand run" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand run" -l wait-approvals -d 'Where a call needs a person and no terminal is attached: go on, wait for the answer, and print what became of the call as an event line'
complete -c tgw -n "__fish_tgw_using_subcommand run" -l wait-operations -d 'Wait until what calls of this stream began elsewhere is over, and print what became of each as an event line'
complete -c tgw -n "__fish_tgw_using_subcommand run" -l no-prompt -d 'Never ask in the terminal: a call that needs a person is answered `input_required` at once'
complete -c tgw -n "__fish_tgw_using_subcommand run" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tgw -n "__fish_tgw_using_subcommand call" -l display -d 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand call" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand call" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand call" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand call" -l no-prompt -d 'Never ask in the terminal: a call that needs a person is answered `input_required` at once'
complete -c tgw -n "__fish_tgw_using_subcommand call" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand call" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand check" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand check" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand check" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand check" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand check" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand check" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand check" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand check" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand check" -l explain -d 'Explain for a person, instead of one JSON line a call: every rule considered, with its place and the values it read'
complete -c tgw -n "__fish_tgw_using_subcommand check" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand check" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l json -d 'Print one JSON array, with descriptions and schemas, as a harness offers it to a model'
complete -c tgw -n "__fish_tgw_using_subcommand tools" -l all -d 'Also list what is hidden, and what hides it'
complete -c tgw -n "__fish_tgw_using_subcommand tools" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand tools" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand results" -l offset -d 'The first line or row to print, counted from 1' -r
complete -c tgw -n "__fish_tgw_using_subcommand results" -l limit -d 'Most lines or rows to print' -r
complete -c tgw -n "__fish_tgw_using_subcommand results" -l filter -d 'Print only what this JSONPath (RFC 9535) selects, such as `$.lines[0:5]`' -r
complete -c tgw -n "__fish_tgw_using_subcommand results" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand results" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand results" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand results" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand results" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand results" -l json -d 'Print the whole value, or all that --filter selects, as JSON; without REF, the list'
complete -c tgw -n "__fish_tgw_using_subcommand results" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand results" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "list" -d 'List questions that wait and answers that are remembered'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "watch" -d 'Print each question that waits, and each new one when it comes, until it is stopped'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "show" -d 'Show a question as it would be asked, or a remembered answer'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "approve" -d 'Answer a question with yes, after showing it at the terminal: a yes to exactly this call, once'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "deny" -d 'Answer a question with no, after showing it at the terminal'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "run" -d 'Run the call of a question that was answered with yes: everything is decided again first'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and not __fish_seen_subcommand_from list watch show approve deny run revoke" -f -a "revoke" -d 'Withdraw a remembered answer, a question that waits, or a yes that was not used'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -l json -d 'Print one JSON object a line'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l tools -d 'With --as-rule: a manifest, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l policy -d 'With --as-rule: a policy, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l lock -d 'With --as-rule: the accepted tools of upstream servers, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l facts -d 'With --as-rule: what rules read as `facts`, as for `tgw run`' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -l as-rule -d 'Print instead what in the policy would answer the like of the question from now on; nothing is applied'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l note -d 'What the model should know; it comes with the result' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l digest -d 'Without a terminal: the digest that `tgw approvals show` printed, which says what was looked at' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l as -d 'Answer as this approver, with a signature; needs --key' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l key -d 'The approver\'s private key, as `tgw approvers keygen` wrote it; needs --as' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from approve" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l feedback -d 'What the model should know' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l digest -d 'Without a terminal: the digest that `tgw approvals show` printed, which says what was looked at' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l as -d 'Answer as this approver, with a signature; needs --key' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l key -d 'The approver\'s private key, as `tgw approvers keygen` wrote it; needs --as' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from deny" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l display -d 'Where people see what happens, as for `tgw run`' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l tools -d 'A manifest, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l policy -d 'A policy, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l lock -d 'The accepted tools of upstream servers, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l workspace -d 'The folder that the call works in, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l state -d 'The state store, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l facts -d 'What rules read as `facts`, as for `tgw run`' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from run" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvals; and __fish_seen_subcommand_from revoke" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -f -a "list" -d 'List the approvers with their public keys'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -f -a "keygen" -d 'Make a key: the private one is written to a new file, the public one printed'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -f -a "add" -d 'Add an approver: from now on their signed answers count'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and not __fish_seen_subcommand_from list keygen add remove" -f -a "remove" -d 'Remove an approver: their answers count no more, earlier ones included'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from list" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from list" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from keygen" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from keygen" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from keygen" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from keygen" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from add" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from add" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from remove" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from remove" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand approvers; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -f -a "generate" -d 'Make the first key, and print its id'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -f -a "rotate" -d 'Make a new key, sign with it from now on, and print its id; the one before is published until its last pass has ended'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -f -a "retire" -d 'Publish a key that was rotated out no longer, though its last passes still hold: for one that somebody else has'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -f -a "list" -d 'List the keys under which a pass may hold now'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and not __fish_seen_subcommand_from generate rotate retire list jwks" -f -a "jwks" -d 'Print their public halves as a JSON Web Key Set, for backends'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from generate" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from generate" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from generate" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from generate" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from rotate" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from rotate" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from rotate" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from retire" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from retire" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from retire" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from retire" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from list" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from list" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from jwks" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from jwks" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from jwks" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand keys; and __fish_seen_subcommand_from jwks" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "list" -d 'List effects, newest first'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "show" -d 'Show one effect'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "resolve" -d 'Say what became of an effect that is unknown; it is recorded with your name, and final'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "wait" -d 'Wait until an effect that goes on elsewhere is over, and print what became of its call'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "watch" -d 'Follow everything that goes on elsewhere until nothing does, and print each end'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "cancel" -d 'Ask the backend to stop an operation, where the contract says how'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and not __fish_seen_subcommand_from list show resolve wait watch cancel reconcile" -f -a "reconcile" -d 'Look up effects that are unknown, where their contracts say how, and find those whose process is gone'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l status -d 'Only effects in this state' -r -f -a "running\t'Reserved, and perhaps under way'
accepted\t'A backend took it'
working\t'A backend works on it, or it is being verified'
succeeded\t'It happened'
failed\t'Nothing happened'
unknown\t'It may or may not have happened'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l limit -d 'At most this many' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON object'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l as -d 'What became of it: succeeded, or failed where nothing happened, which frees its key' -r -f -a "succeeded\t'It happened'
failed\t'Nothing happened'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l evidence -d 'What you looked at and what you saw' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from resolve" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l timeout -d 'At most this long, such as 30s; exit status 7 where it still goes on then' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from wait" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -l json -d 'Print each end as a line of JSON'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from watch" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from cancel" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand effects; and __fish_seen_subcommand_from reconcile" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -f -a "start" -d 'Keep a task in the store, in its first step; its id is printed'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -f -a "step" -d 'Put a task into a step; a gate of the step is asked first'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -f -a "show" -d 'List the tasks that are kept, or show one'
complete -c tgw -n "__fish_tgw_using_subcommand task; and not __fish_seen_subcommand_from start step show end" -f -a "end" -d 'End a task, which is final: nothing runs in it any more'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l id -d 'The task\'s id, where no file states it [default: a random one]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l step -d 'The step that it starts in [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l tools -d 'A manifest, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l policy -d 'A policy, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l lock -d 'The accepted tools of upstream servers, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l workspace -d 'The workspace, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l state -d 'The state store, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l agent -d 'The agent, which a gate may read' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l user -d 'The user, whom a gate may read' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l facts -d 'What a gate reads as `facts`, as for `tgw run`' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from start" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l data -d 'What is added to the task\'s data, or replaces it by name: a JSON object; null takes a name out' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l tools -d 'A manifest, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l policy -d 'A policy, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l lock -d 'The accepted tools of upstream servers, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l workspace -d 'The workspace, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l state -d 'The state store, as for `tgw run`' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l agent -d 'The agent, which a gate may read' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l user -d 'The user, whom a gate may read' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l facts -d 'What a gate reads as `facts`, as for `tgw run`' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from step" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l limit -d 'At most this many, the one changed last first' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -l json -d 'Print JSON'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand task; and __fish_seen_subcommand_from end" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l limit -d 'At most this many tasks, agents, users and groups of each budget, the latest' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -l json -d 'Print one JSON array'
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand budgets" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand state; and not __fish_seen_subcommand_from migrate" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand state; and not __fish_seen_subcommand_from migrate" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand state; and not __fish_seen_subcommand_from migrate" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand state; and not __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand state; and not __fish_seen_subcommand_from migrate" -f -a "migrate" -d 'Move everything from the store\'s file to an empty store on a server, in one step; the file is used no more then'
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand state; and __fish_seen_subcommand_from migrate" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "list" -d 'List records, newest last'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "show" -d 'Tell the story of one call as a time line: what was decided, asked, begun, looked up, ended and replied'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "verify" -d 'Check that no record was edited, removed or reordered, and that the end was not cut off'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "checkpoint" -d 'Print a signed checkpoint of the chain as it is now, to be kept where nobody can write who can write the store'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "erase" -d 'Erase what was told of calls: arguments, plans, remarks, kept results; the records stay, and the chain holds'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "keygen" -d 'Make a key for checkpoints: the private one is written to a new file, the public one printed'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and not __fish_seen_subcommand_from list show verify checkpoint erase keygen export" -f -a "export" -d 'Print every record, one JSON object a line'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l tool -d 'Only records of this tool' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l status -d 'Only calls that ended with this status, such as denied' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l limit -d 'At most this many records, the newest' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -l json -d 'Print one JSON object a line'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -l json -d 'Print one JSON object'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l receipt -d 'Also demand that this receipt, kept elsewhere, is in the chain; may be given several times' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l against -d 'Also compare with the signed checkpoints of this file, kept elsewhere: one a line, as `tgw audit checkpoint` printed it' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l signer -d 'A public key whose checkpoints are believed; may be given several times [default: that of audit.key in your configuration folder]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l key -d 'The private key to sign with [default: audit.key in your configuration folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from checkpoint" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l record -d 'A record, by its number; may be given several times' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l call -d 'The calls of this id, with what the gateway asked for their sake' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l task -d 'The calls of this task' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l user -d 'The calls on behalf of this user' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l before -d 'What was recorded before this day or instant, UTC: 2026-01-31 or 2026-01-31T12:00:00Z' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l reason -d 'Why, for the record of the erasure' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -s y -l yes -d 'Erase without showing what and asking: look first'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from erase" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from keygen" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from keygen" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from keygen" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from keygen" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -l workspace -d 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -l state -d 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -l tenant -d 'The tenant [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand audit; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand init" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand init" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand init" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand init" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand trust" -l workspace -d 'The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand trust" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand trust" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand trust" -l list -d 'List what is trusted, and whether it is still what was trusted'
complete -c tgw -n "__fish_tgw_using_subcommand trust" -l revoke -d 'Stop trusting the files'
complete -c tgw -n "__fish_tgw_using_subcommand trust" -s y -l yes -d 'Trust without showing the content and asking: read it first'
complete -c tgw -n "__fish_tgw_using_subcommand trust" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand trust" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l lock -d 'The lock to read and to write [env: TGW_LOCK] [default: tgw.lock of the workspace]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l workspace -d 'The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand lock" -l check -d 'Only say what differs from what is accepted, and change nothing'
complete -c tgw -n "__fish_tgw_using_subcommand lock" -s y -l yes -d 'Accept what differs without asking: read it first, with --check'
complete -c tgw -n "__fish_tgw_using_subcommand lock" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand lock" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand explain" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand explain" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand explain" -l markdown -d 'Print every code with its explanation as one Markdown page'
complete -c tgw -n "__fish_tgw_using_subcommand explain" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand explain" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand schema" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand schema" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand schema" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -l json -d 'Print one JSON object'
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l tool -d 'Only this tool; may be given several times [default: every tool that has effects]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l tools -d 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user\'s folder, else the embedded one]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l policy -d 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user\'s own counts besides, wherever the others come from]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l lock -d 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user\'s folder]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l workspace -d 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l state -d 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l agent -d 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l user -d 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system\'s name for you]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l tenant -d 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l task -d 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l step -d 'The step that the task is in, one of the policy\'s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file\'s, else the policy\'s initial_step]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l facts -d 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]' -r
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand drill" -l json -d 'Print one JSON object'
complete -c tgw -n "__fish_tgw_using_subcommand drill" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand drill" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand completions" -l check -d 'Fail unless the files of this folder are what would be written' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand completions" -l write -d 'Write a file for every shell into this folder' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand completions" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand completions" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand completions" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand completions" -s h -l help -d 'Print help'
complete -c tgw -n "__fish_tgw_using_subcommand man" -l check -d 'Fail unless the files of this folder are what would be written' -r -F
complete -c tgw -n "__fish_tgw_using_subcommand man" -l log-format -d 'The form of log lines: text, or json with one object a line' -r -f -a "text\t'For people'
json\t'One JSON object a line'"
complete -c tgw -n "__fish_tgw_using_subcommand man" -l color -d 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never' -r -f -a "auto\t'Where the output is a terminal and NO_COLOR is not set'
always\t'Always'
never\t'Never'"
complete -c tgw -n "__fish_tgw_using_subcommand man" -s v -l verbose -d 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
complete -c tgw -n "__fish_tgw_using_subcommand man" -s h -l help -d 'Print help'
