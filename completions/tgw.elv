
use builtin;
use str;

set edit:completion:arg-completer[tgw] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'tgw'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'tgw'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand run 'Run a stream of calls: one line a call or a batch in, one line a result out'
            cand call 'Run one call'
            cand check 'Decide calls without running anything, and say why'
            cand tools 'List the tools that this agent sees in this step'
            cand results 'List stored results, or page and filter one'
            cand approvals 'Look at questions that wait and at remembered answers, or revoke one'
            cand audit 'Look at the audit chain: list, show, verify, export'
            cand init 'Write a small commented tools.yaml and policy.yaml for a project'
            cand trust 'Say that configuration files of a workspace may be obeyed, with their present content'
            cand explain 'Explain an error code, or list them all'
            cand schema 'Print the JSON Schema of a call line or of a result line'
            cand doctor 'Say what was found, what is trusted, and what this machine can do'
            cand completions 'Print shell completions'
            cand man 'Write the man pages into a folder'
        }
        &'tgw;run'= {
            cand --jobs 'Most calls that run side by side; only reads marked `parallel` do'
            cand --format 'The shape of result lines; auto answers each call in the shape it came in'
            cand --display 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]'
            cand --tools 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]'
            cand --policy 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]'
            cand --workspace 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]'
            cand --state 'The state store: a folder, or a file that ends in .db; never inside the workspace [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]'
            cand --agent 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]'
            cand --user 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]'
            cand --tenant 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]'
            cand --task 'The task file: id, prompt, step, tools and data [env: TGW_TASK] [default: a new task for each run]'
            cand --step 'The step that the task is in, one of the policy''s [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]'
            cand --facts 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --no-prompt 'Never ask in the terminal: a call that needs a person is answered `input_required` at once'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'tgw;call'= {
            cand --display 'Where people see what happens: text (on stderr), json (on stderr, one object a line), none, fd:N (text to that descriptor), or file:PATH (text to that file, which is emptied first; a path with a slash needs no file:) [default: text where stderr is a terminal, else none]'
            cand --tools 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]'
            cand --policy 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]'
            cand --workspace 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]'
            cand --state 'The state store: a folder, or a file that ends in .db; never inside the workspace [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]'
            cand --agent 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]'
            cand --user 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]'
            cand --tenant 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]'
            cand --task 'The task file: id, prompt, step, tools and data [env: TGW_TASK] [default: a new task for each run]'
            cand --step 'The step that the task is in, one of the policy''s [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]'
            cand --facts 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --no-prompt 'Never ask in the terminal: a call that needs a person is answered `input_required` at once'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;check'= {
            cand --tools 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]'
            cand --policy 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]'
            cand --workspace 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]'
            cand --state 'The state store: a folder, or a file that ends in .db; never inside the workspace [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]'
            cand --agent 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]'
            cand --user 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]'
            cand --tenant 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]'
            cand --task 'The task file: id, prompt, step, tools and data [env: TGW_TASK] [default: a new task for each run]'
            cand --step 'The step that the task is in, one of the policy''s [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]'
            cand --facts 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --explain 'Explain for a person, instead of one JSON line a call: every rule considered, with its place and the values it read'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;tools'= {
            cand --tools 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]'
            cand --policy 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]'
            cand --workspace 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]'
            cand --state 'The state store: a folder, or a file that ends in .db; never inside the workspace [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]'
            cand --agent 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]'
            cand --user 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]'
            cand --tenant 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]'
            cand --task 'The task file: id, prompt, step, tools and data [env: TGW_TASK] [default: a new task for each run]'
            cand --step 'The step that the task is in, one of the policy''s [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]'
            cand --facts 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --json 'Print one JSON array, with descriptions and schemas, as a harness offers it to a model'
            cand --all 'Also list what is hidden, and what hides it'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;results'= {
            cand --offset 'The first line or row to print, counted from 1'
            cand --limit 'Most lines or rows to print'
            cand --filter 'Print only what this JSONPath (RFC 9535) selects, such as `$.lines[0:5]`'
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --json 'Print the whole value, or all that --filter selects, as JSON; without REF, the list'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;approvals'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List questions that wait and answers that are remembered'
            cand show 'Show a question as it would be asked, or a remembered answer'
            cand revoke 'Withdraw a remembered answer: the next call of its kind is asked about again'
        }
        &'tgw;approvals;list'= {
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --json 'Print one JSON array'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;approvals;show'= {
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;approvals;revoke'= {
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;audit'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
            cand list 'List records, newest last'
            cand show 'Tell the story of one call or approval, from its id, a receipt or a record''s number'
            cand verify 'Check that no record was edited, removed or reordered, and that the end was not cut off'
            cand export 'Print every record, one JSON object a line'
        }
        &'tgw;audit;list'= {
            cand --tool 'Only records of this tool'
            cand --status 'Only calls that ended with this status, such as denied'
            cand --limit 'At most this many records, the newest'
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --json 'Print one JSON object a line'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;audit;show'= {
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;audit;verify'= {
            cand --receipt 'Also demand that this receipt, kept elsewhere, is in the chain; may be given several times'
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;audit;export'= {
            cand --workspace 'The workspace, whose store is looked at [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --state 'The state store: a folder, or a file that ends in .db [env: TGW_STATE] [default: that of the workspace]'
            cand --tenant 'The tenant [env: TGW_TENANT] [default: local]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;init'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;trust'= {
            cand --workspace 'The workspace [env: TGW_WORKSPACE] [default: as for `tgw run`]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --list 'List what is trusted, and whether it is still what was trusted'
            cand --revoke 'Stop trusting the files'
            cand -y 'Trust without showing the content and asking: read it first'
            cand --yes 'Trust without showing the content and asking: read it first'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;explain'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --markdown 'Print every code with its explanation as one Markdown page'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;schema'= {
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'tgw;doctor'= {
            cand --tools 'A manifest; may be given several times [env: TGW_TOOLS, joined by `:`] [default: tools.yaml of the workspace where trusted, else of the user''s folder, else the embedded one]'
            cand --policy 'A policy; may be given several times, and the strictest verdict wins [env: TGW_POLICY, joined by `:`] [default: policy.yaml, as for --tools; the user''s own counts besides, wherever the others come from]'
            cand --workspace 'The folder that calls work in [env: TGW_WORKSPACE] [default: the nearest ancestor with tools.yaml, policy.yaml or .git]'
            cand --state 'The state store: a folder, or a file that ends in .db; never inside the workspace [env: TGW_STATE] [default: a folder for this workspace below $XDG_STATE_HOME/tgw]'
            cand --agent 'The agent, as NAME or NAME@VERSION [env: TGW_AGENT] [default: default]'
            cand --user 'The user on whose behalf the agent acts [env: TGW_USER] [default: the operating system''s name for you]'
            cand --tenant 'The tenant, whose records, results and answers are kept apart from those of others [env: TGW_TENANT] [default: local]'
            cand --task 'The task file: id, prompt, step, tools and data [env: TGW_TASK] [default: a new task for each run]'
            cand --step 'The step that the task is in, one of the policy''s [env: TGW_STEP] [default: the task file''s, else the policy''s initial_step]'
            cand --facts 'What the harness states about the world, for rules that read `facts`: a JSON object [default: {}]'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand --json 'Print one JSON object'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;completions'= {
            cand --check 'Fail unless the files of this folder are what would be written'
            cand --write 'Write a file for every shell into this folder'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'tgw;man'= {
            cand --check 'Fail unless the files of this folder are what would be written'
            cand --log-format 'The form of log lines: text, or json with one object a line'
            cand --color 'When what people read is coloured: auto (on a terminal, unless NO_COLOR is set), always or never'
            cand -v 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand --verbose 'Log to stderr: -v info, -vv debug, -vvv trace; TGW_LOG takes a filter such as `tgw=debug` and goes before -v [default: no log]'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
