
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'tgw' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'tgw'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'tgw' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run a stream of calls: one line a call or a batch in, one line a result out')
            [CompletionResult]::new('call', 'call', [CompletionResultType]::ParameterValue, 'Run one call')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Decide calls without running anything, and say why')
            [CompletionResult]::new('tools', 'tools', [CompletionResultType]::ParameterValue, 'List the tools that this agent sees in this step')
            [CompletionResult]::new('results', 'results', [CompletionResultType]::ParameterValue, 'List stored results, or page and filter one')
            [CompletionResult]::new('approvals', 'approvals', [CompletionResultType]::ParameterValue, 'Look at questions that wait and at remembered answers, answer one, run its call, or revoke one')
            [CompletionResult]::new('approvers', 'approvers', [CompletionResultType]::ParameterValue, 'Say whose signed answers count, and make keys to sign with')
            [CompletionResult]::new('keys', 'keys', [CompletionResultType]::ParameterValue, 'Make, rotate and publish the keys that passes are signed with')
            [CompletionResult]::new('effects', 'effects', [CompletionResultType]::ParameterValue, 'Look at the ledger of effects, look up or settle what is not known')
            [CompletionResult]::new('task', 'task', [CompletionResultType]::ParameterValue, 'Keep a task, put it into a step, look at it, end it')
            [CompletionResult]::new('budgets', 'budgets', [CompletionResultType]::ParameterValue, 'Look at what is used of every budget of the policy')
            [CompletionResult]::new('state', 'state', [CompletionResultType]::ParameterValue, 'Move the state store to a server')
            [CompletionResult]::new('audit', 'audit', [CompletionResultType]::ParameterValue, 'Look at the audit chain: list, show, verify, export')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Write a small commented tools.yaml and policy.yaml for a project')
            [CompletionResult]::new('trust', 'trust', [CompletionResultType]::ParameterValue, 'Say that configuration files of a workspace may be obeyed, with their present content')
            [CompletionResult]::new('lock', 'lock', [CompletionResultType]::ParameterValue, 'Look at what upstream servers offer, and accept it: what was accepted is what is shown and called')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'Explain an error code, or list them all')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of a call line or of a result line')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Say what was found, what is trusted, and what this machine can do')
            [CompletionResult]::new('drill', 'drill', [CompletionResultType]::ParameterValue, 'Try the laws of effects on your own tools and policy, with doubles in place of everything that would run')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print shell completions')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Write the man pages into a folder')
            break
        }
        'tgw;run' {
            [CompletionResult]::new('--jobs', '--jobs', [CompletionResultType]::ParameterName, 'Most calls that run side by side; only reads marked `parallel` do')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'The shape of result lines; auto answers each call in the shape it came in')
            [CompletionResult]::new('--display', '--display', [CompletionResultType]::ParameterName, 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--wait-approvals', '--wait-approvals', [CompletionResultType]::ParameterName, 'Where a call needs a person and no terminal is attached: go on, wait for the answer, and print what became of the call as an event line')
            [CompletionResult]::new('--wait-operations', '--wait-operations', [CompletionResultType]::ParameterName, 'Wait until what calls of this stream began elsewhere is over, and print what became of each as an event line')
            [CompletionResult]::new('--no-prompt', '--no-prompt', [CompletionResultType]::ParameterName, 'Never ask in the terminal: a call that needs a person is answered `input_required` at once')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'tgw;call' {
            [CompletionResult]::new('--display', '--display', [CompletionResultType]::ParameterName, 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--no-prompt', '--no-prompt', [CompletionResultType]::ParameterName, 'Never ask in the terminal: a call that needs a person is answered `input_required` at once')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;check' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Explain for a person, instead of one JSON line a call: every rule considered, with its place and the values it read')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;tools' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array, with descriptions and schemas, as a harness offers it to a model')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Also list what is hidden, and what hides it')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;results' {
            [CompletionResult]::new('--offset', '--offset', [CompletionResultType]::ParameterName, 'The first line or row to print, counted from 1')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'Most lines or rows to print')
            [CompletionResult]::new('--filter', '--filter', [CompletionResultType]::ParameterName, 'Print only what this JSONPath (RFC 9535) selects, such as `$.lines[0:5]`')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the whole value, or all that --filter selects, as JSON; without REF, the list')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List questions that wait and answers that are remembered')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Print each question that waits, and each new one when it comes, until it is stopped')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show a question as it would be asked, or a remembered answer')
            [CompletionResult]::new('approve', 'approve', [CompletionResultType]::ParameterValue, 'Answer a question with yes, after showing it at the terminal: a yes to exactly this call, once')
            [CompletionResult]::new('deny', 'deny', [CompletionResultType]::ParameterValue, 'Answer a question with no, after showing it at the terminal')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the call of a question that was answered with yes: everything is decided again first')
            [CompletionResult]::new('revoke', 'revoke', [CompletionResultType]::ParameterValue, 'Withdraw a remembered answer, a question that waits, or a yes that was not used')
            break
        }
        'tgw;approvals;list' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;watch' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object a line')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;show' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'With --as-rule: a manifest, as for `tgw run`')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'With --as-rule: a policy, as for `tgw run`')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'With --as-rule: the accepted tools of upstream servers, as for `tgw run`')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'With --as-rule: what rules read as `facts`, as for `tgw run`')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--as-rule', '--as-rule', [CompletionResultType]::ParameterName, 'Print instead what in the policy would answer the like of the question from now on; nothing is applied')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;approve' {
            [CompletionResult]::new('--note', '--note', [CompletionResultType]::ParameterName, 'What the model should know; it comes with the result')
            [CompletionResult]::new('--digest', '--digest', [CompletionResultType]::ParameterName, 'Without a terminal: the digest that `tgw approvals show` printed, which says what was looked at')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Answer as this approver, with a signature; needs --key')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The approver''s private key, as `tgw approvers keygen` wrote it; needs --as')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;deny' {
            [CompletionResult]::new('--feedback', '--feedback', [CompletionResultType]::ParameterName, 'What the model should know')
            [CompletionResult]::new('--digest', '--digest', [CompletionResultType]::ParameterName, 'Without a terminal: the digest that `tgw approvals show` printed, which says what was looked at')
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'Answer as this approver, with a signature; needs --key')
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The approver''s private key, as `tgw approvers keygen` wrote it; needs --as')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;run' {
            [CompletionResult]::new('--display', '--display', [CompletionResultType]::ParameterName, 'Where people see what happens, as for `tgw run`')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest, as for `tgw run`')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy, as for `tgw run`')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as for `tgw run`')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that the call works in, as for `tgw run`')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store, as for `tgw run`')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What rules read as `facts`, as for `tgw run`')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvals;revoke' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvers' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the approvers with their public keys')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a key: the private one is written to a new file, the public one printed')
            [CompletionResult]::new('add', 'add', [CompletionResultType]::ParameterValue, 'Add an approver: from now on their signed answers count')
            [CompletionResult]::new('remove', 'remove', [CompletionResultType]::ParameterValue, 'Remove an approver: their answers count no more, earlier ones included')
            break
        }
        'tgw;approvers;list' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvers;keygen' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvers;add' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;approvers;remove' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;keys' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('generate', 'generate', [CompletionResultType]::ParameterValue, 'Make the first key, and print its id')
            [CompletionResult]::new('rotate', 'rotate', [CompletionResultType]::ParameterValue, 'Make a new key, sign with it from now on, and print its id; the one before is published until its last pass has ended')
            [CompletionResult]::new('retire', 'retire', [CompletionResultType]::ParameterValue, 'Publish a key that was rotated out no longer, though its last passes still hold: for one that somebody else has')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List the keys under which a pass may hold now')
            [CompletionResult]::new('jwks', 'jwks', [CompletionResultType]::ParameterValue, 'Print their public halves as a JSON Web Key Set, for backends')
            break
        }
        'tgw;keys;generate' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;keys;rotate' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;keys;retire' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;keys;list' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;keys;jwks' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List effects, newest first')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Show one effect')
            [CompletionResult]::new('resolve', 'resolve', [CompletionResultType]::ParameterValue, 'Say what became of an effect that is unknown; it is recorded with your name, and final')
            [CompletionResult]::new('wait', 'wait', [CompletionResultType]::ParameterValue, 'Wait until an effect that goes on elsewhere is over, and print what became of its call')
            [CompletionResult]::new('watch', 'watch', [CompletionResultType]::ParameterValue, 'Follow everything that goes on elsewhere until nothing does, and print each end')
            [CompletionResult]::new('cancel', 'cancel', [CompletionResultType]::ParameterValue, 'Ask the backend to stop an operation, where the contract says how')
            [CompletionResult]::new('reconcile', 'reconcile', [CompletionResultType]::ParameterValue, 'Look up effects that are unknown, where their contracts say how, and find those whose process is gone')
            break
        }
        'tgw;effects;list' {
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Only effects in this state')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most this many')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'tgw;effects;show' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects;resolve' {
            [CompletionResult]::new('--as', '--as', [CompletionResultType]::ParameterName, 'What became of it: succeeded, or failed where nothing happened, which frees its key')
            [CompletionResult]::new('--evidence', '--evidence', [CompletionResultType]::ParameterName, 'What you looked at and what you saw')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects;wait' {
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'At most this long, such as 30s; exit status 7 where it still goes on then')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects;watch' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print each end as a line of JSON')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects;cancel' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;effects;reconcile' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;task' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('start', 'start', [CompletionResultType]::ParameterValue, 'Keep a task in the store, in its first step; its id is printed')
            [CompletionResult]::new('step', 'step', [CompletionResultType]::ParameterValue, 'Put a task into a step; a gate of the step is asked first')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'List the tasks that are kept, or show one')
            [CompletionResult]::new('end', 'end', [CompletionResultType]::ParameterValue, 'End a task, which is final: nothing runs in it any more')
            break
        }
        'tgw;task;start' {
            [CompletionResult]::new('--id', '--id', [CompletionResultType]::ParameterName, 'The task''s id, where no file states it [default: a random one]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that it starts in [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest, as for `tgw run`')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy, as for `tgw run`')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as for `tgw run`')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, as for `tgw run`')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store, as for `tgw run`')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, which a gate may read')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user, whom a gate may read')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What a gate reads as `facts`, as for `tgw run`')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;task;step' {
            [CompletionResult]::new('--data', '--data', [CompletionResultType]::ParameterName, 'What is added to the task''s data, or replaces it by name: a JSON object; null takes a name out')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest, as for `tgw run`')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy, as for `tgw run`')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as for `tgw run`')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, as for `tgw run`')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store, as for `tgw run`')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, which a gate may read')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user, whom a gate may read')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What a gate reads as `facts`, as for `tgw run`')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;task;show' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most this many, the one changed last first')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print JSON')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;task;end' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;budgets' {
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most this many tasks, agents, users and groups of each budget, the latest')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON array')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;state' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('migrate', 'migrate', [CompletionResultType]::ParameterValue, 'Move everything from the store''s file to an empty store on a server, in one step; the file is used no more then')
            break
        }
        'tgw;state;migrate' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'List records, newest last')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Tell the story of one call as a time line: what was decided, asked, begun, looked up, ended and replied')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check that no record was edited, removed or reordered, and that the end was not cut off')
            [CompletionResult]::new('checkpoint', 'checkpoint', [CompletionResultType]::ParameterValue, 'Print a signed checkpoint of the chain as it is now, to be kept where nobody can write who can write the store')
            [CompletionResult]::new('erase', 'erase', [CompletionResultType]::ParameterValue, 'Erase what was told of calls: arguments, plans, remarks, kept results; the records stay, and the chain holds')
            [CompletionResult]::new('keygen', 'keygen', [CompletionResultType]::ParameterValue, 'Make a key for checkpoints: the private one is written to a new file, the public one printed')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Print every record, one JSON object a line')
            break
        }
        'tgw;audit;list' {
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'Only records of this tool')
            [CompletionResult]::new('--status', '--status', [CompletionResultType]::ParameterName, 'Only calls that ended with this status, such as denied')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most this many records, the newest')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object a line')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;show' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;verify' {
            [CompletionResult]::new('--receipt', '--receipt', [CompletionResultType]::ParameterName, 'Also demand that this receipt, kept elsewhere, is in the chain; may be given several times')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Also compare with the signed checkpoints of this file, kept elsewhere: one a line, as `tgw audit checkpoint` printed it')
            [CompletionResult]::new('--signer', '--signer', [CompletionResultType]::ParameterName, 'A public key whose checkpoints are believed; may be given several times [default: that of audit.key in your configuration folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;checkpoint' {
            [CompletionResult]::new('--key', '--key', [CompletionResultType]::ParameterName, 'The private key to sign with [default: audit.key in your configuration folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;erase' {
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'A record, by its number; may be given several times')
            [CompletionResult]::new('--call', '--call', [CompletionResultType]::ParameterName, 'The calls of this id, with what the gateway asked for their sake')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The calls of this task')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The calls on behalf of this user')
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'What was recorded before this day or instant, UTC: 2026-01-31 or 2026-01-31T12:00:00Z')
            [CompletionResult]::new('--reason', '--reason', [CompletionResultType]::ParameterName, 'Why, for the record of the erasure')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Erase without showing what and asking: look first')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Erase without showing what and asking: look first')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;keygen' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;audit;export' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, a file that ends in .db, or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: that of the workspace]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;init' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;trust' {
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--list', '--list', [CompletionResultType]::ParameterName, 'List what is trusted, and whether it is still what was trusted')
            [CompletionResult]::new('--revoke', '--revoke', [CompletionResultType]::ParameterName, 'Stop trusting the files')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Trust without showing the content and asking: read it first')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Trust without showing the content and asking: read it first')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;lock' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: as for `tgw run`]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The lock to read and to write [env: TGW_LOCK] [default: tgw.lock of the workspace]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Only say what differs from what is accepted, and change nothing')
            [CompletionResult]::new('-y', '-y', [CompletionResultType]::ParameterName, 'Accept what differs without asking: read it first, with --check')
            [CompletionResult]::new('--yes', '--yes', [CompletionResultType]::ParameterName, 'Accept what differs without asking: read it first, with --check')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;explain' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--markdown', '--markdown', [CompletionResultType]::ParameterName, 'Print every code with its explanation as one Markdown page')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;schema' {
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'tgw;doctor' {
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;drill' {
            [CompletionResult]::new('--tool', '--tool', [CompletionResultType]::ParameterName, 'Only this tool; may be given several times [default: every tool that has effects]')
            [CompletionResult]::new('--tools', '--tools', [CompletionResultType]::ParameterName, 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'The accepted tools of upstream servers, as `tgw lock` writes them [env: TGW_LOCK] [default: tgw.lock of the workspace where trusted, else of the user''s folder]')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]')
            [CompletionResult]::new('--state', '--state', [CompletionResultType]::ParameterName, 'The state store: a folder, or a file that ends in .db, never inside the workspace; or postgres://USER@HOST/DATABASE [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]')
            [CompletionResult]::new('--agent', '--agent', [CompletionResultType]::ParameterName, 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]')
            [CompletionResult]::new('--user', '--user', [CompletionResultType]::ParameterName, 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]')
            [CompletionResult]::new('--tenant', '--tenant', [CompletionResultType]::ParameterName, 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]')
            [CompletionResult]::new('--task', '--task', [CompletionResultType]::ParameterName, 'The task: the id of one that `tgw task start` keeps, or a file with id, prompt, step, tools and data, named with a `/` or an ending such as .yaml [env: TGW_TASK] [default: a new task for each run]')
            [CompletionResult]::new('--step', '--step', [CompletionResultType]::ParameterName, 'The step that the task is in, one of the policy''s; not for a task that is kept, whose step is in the store [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]')
            [CompletionResult]::new('--facts', '--facts', [CompletionResultType]::ParameterName, 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print one JSON object')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;completions' {
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Fail unless the files of this folder are what would be written')
            [CompletionResult]::new('--write', '--write', [CompletionResultType]::ParameterName, 'Write a file for every shell into this folder')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'tgw;man' {
            [CompletionResult]::new('--check', '--check', [CompletionResultType]::ParameterName, 'Fail unless the files of this folder are what would be written')
            [CompletionResult]::new('--log-format', '--log-format', [CompletionResultType]::ParameterName, 'The form of log lines: text, or json with one object a line')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
