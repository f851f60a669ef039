//! Help, version and usage errors.

use crate::harness::Space;

#[test]
fn the_version_goes_to_stdout() {
    Space::new().tgw(["--version"]).stdout(concat!("tgw ", env!("CARGO_PKG_VERSION"), "\n")).holds();
}

#[test]
fn help_names_every_command_on_stdout() {
    let text = Space::new().tgw(["--help"]).text();
    for command in [
        "run",
        "call",
        "check",
        "tools",
        "results",
        "approvals",
        "audit",
        "init",
        "trust",
        "explain",
        "schema",
        "doctor",
        "completions",
        "man",
    ] {
        assert!(text.contains(&format!("\n  {command} ")), "{command} is missing in:\n{text}");
    }
}

#[test]
fn every_command_has_help_that_fits_its_page() {
    let space = Space::new();
    for command in
        ["run", "call", "check", "tools", "results", "init", "trust", "explain", "schema", "doctor", "man"]
    {
        let text = space.tgw([command, "--help"]).text();
        assert!(text.contains("Usage: tgw "), "{text}");
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(110), "{command}: {widest:?}\n{text}");
    }
}

#[test]
fn nothing_typed_is_a_usage_error_that_helps() {
    let ended = Space::new().tgw([]).ended();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("Usage: tgw [OPTIONS] <COMMAND>"), "{}", ended.stderr);
}

#[test]
fn usage_errors_end_with_status_2_and_leave_stdout_empty() {
    let space = Space::new();
    for (arguments, says) in [
        (&["bogus"][..], "unrecognized subcommand 'bogus'"),
        (&["run", "--bogus"], "unexpected argument '--bogus'"),
        (&["run", "--jobs", "0"], "0 is not in 1..=256"),
        (&["run", "--format", "xml"], "invalid value 'xml'"),
        (&["call"], "<NAME>"),
        (&["results", "--limit", "x"], "invalid value 'x'"),
        (&["completions"], "<SHELL>"),
        (&["man"], "<DIR>"),
        (&["schema", "both"], "invalid value 'both'"),
    ] {
        let ended = space.tgw(arguments.iter().copied()).ended();
        assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.stderr.contains(says), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn what_cannot_be_opened_is_named() {
    Space::new()
        .tgw(["run", "nofile"])
        .stderr("error: cannot open `nofile`: No such file or directory (os error 2)\n")
        .status(2)
        .holds();
}

#[test]
fn a_step_that_the_policy_does_not_have_is_refused() {
    Space::new()
        .tgw(["run", "--step", "nope"])
        .stderr("error: the policy has no step `nope`\nhint: it has `analyse`, `work`\n")
        .status(2)
        .holds();
}

#[test]
fn facts_must_be_an_object() {
    Space::new()
        .tgw(["run", "--facts", "[]"])
        .stderr("error: `--facts` is not a JSON object\n")
        .status(2)
        .holds();
}

#[test]
fn the_root_and_the_home_folder_are_no_workspace_unless_named() {
    let space = Space::new();
    space
        .tgw(["tools"])
        .within("/")
        .stderr(
            "error: `/` would be the workspace, and is too wide for one\n\
             hint: change into a project, or name the folder with `--workspace`\n",
        )
        .status(2)
        .holds();
    space
        .tgw(["tools"])
        .within(space.beside("home"))
        .stderr(
            "error: `[SPACE]/home` would be the workspace, and is too wide for one\n\
             hint: change into a project, or name the folder with `--workspace`\n",
        )
        .status(2)
        .holds();
    let home = space.beside("home").display().to_string();
    assert!(space.tgw(["tools", "--workspace", &home]).text().contains("read_file"));
}

#[test]
fn the_nearest_ancestor_with_a_mark_is_the_workspace() {
    let space = Space::new();
    space.write("policy.yaml", include_str!("../../../policy.yaml"));
    space.write("deep/er/note.md", "here\n");
    let answers = space
        .tgw(["call", "read_file", r#"{"path":"deep/er/note.md"}"#])
        .within(space.path("deep/er"))
        .answers();
    assert_eq!(answers[0]["content"], "1\there\n");
}

#[test]
fn variables_stand_in_for_flags_and_flags_win() {
    let space = Space::new();
    let text = space.tgw(["doctor"]).variable("TGW_AGENT", "one").variable("TGW_USER", "ann").text();
    assert!(text.contains("user ann, agent one, tenant local"), "{text}");
    let text = space
        .tgw(["doctor", "--agent", "two"])
        .variable("TGW_AGENT", "one")
        .variable("TGW_TENANT", "t")
        .text();
    assert!(text.contains("agent two, tenant t"), "{text}");
}

#[test]
fn every_problem_of_a_file_is_reported_at_once_with_its_place() {
    let space = Space::with(
        "version: 1\ntools:\n  - name: a\n    description: A.\n    risk: red_only\n    execution_mode: parallel\n    \
         input_schema: {type: object, additionalProperties: false, properties: {}}\n    timeout: 5 s\n    \
         run: {command: [\"true\"]}\n    result: {trust: trusted}\n",
        "version: 1\ndefault_verdict: allow\n",
    );
    let ended = space.tgw(["tools"]).with_files().ended();
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(2), ""));
    for part in ["tools.yaml:5:", "red_only", "read_only", "tools.yaml:8:", "5 s", "^^"] {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
}

#[test]
fn a_task_file_with_an_unknown_key_is_refused() {
    let space = Space::new();
    space.write_beside("task.yaml", "version: 1\nid: t1\nprompt: do it\ntool: [read_file]\n");
    let task = space.beside("task.yaml").display().to_string();
    let ended = space.tgw(["tools", "--task", &task]).ended();
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("task.yaml:4:1"), "{}", ended.stderr);
    assert!(ended.stderr.contains("unknown key `tool`"), "{}", ended.stderr);
}

#[test]
fn help_is_a_command_too() {
    let space = Space::new();
    assert_eq!(space.tgw(["help"]).text(), space.tgw(["--help"]).text());
    assert_eq!(space.tgw(["help", "run"]).text(), space.tgw(["run", "--help"]).text());
}

#[test]
fn a_folder_is_no_stream() {
    Space::new()
        .tgw(["run", "."])
        .stderr("error: `.` is a folder\nhint: name a file with one call a line\n")
        .status(2)
        .holds();
}

#[test]
fn an_unknown_step_or_status_comes_with_those_there_are() {
    let space = Space::new();
    space.write_beside(
        "files/policy.yaml",
        "version: 1\nsteps: {analyse: {risks: [read_only]}, act: {risks: [write]}}\n",
    );
    let ended = space.tgw(["tools", "--step", "analyze"]).with_files().ended();
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("did you mean `analyse`? it has `act`, `analyse`"), "{}", ended.stderr);
    space.write_beside("files/policy.yaml", "version: 1\n");
    let ended = space.tgw(["tools", "--step", "analyse"]).with_files().ended();
    assert!(ended.stderr.contains("the policy has no steps"), "{}", ended.stderr);
    let ended = space.tgw(["audit", "list", "--status", "nope"]).ended();
    assert_eq!(ended.status, Some(2));
    assert!(ended.stderr.contains("succeeded, failed, denied"), "{}", ended.stderr);
}

#[test]
fn a_state_of_effects_is_not_taken_for_a_store() {
    let ended = Space::new().tgw(["effects", "list", "--state", "unknown"]).status(2).ended();
    assert!(ended.stderr.contains("`tgw effects list --status unknown`"), "{ended:?}");
}
