use crate::catalog::{Catalog, LimitSource, NamePattern};
use crate::ident::{AgentName, CredentialName, StepName, UserName};
use crate::policy::Policy;
use crate::policy::testing::{Caller, TOOLS, catalog, policy};

fn step(name: &str) -> StepName {
    StepName::parse(name).unwrap()
}

fn caller(agent: &str, version: Option<&str>, user: &str, step: Option<&str>) -> Caller {
    let mut caller = Caller::default();
    caller.principal.agent = AgentName::parse(agent).unwrap();
    caller.principal.agent_version = version.map(str::to_owned);
    caller.principal.user = UserName::parse(user).unwrap();
    caller.step = step.map(|name| StepName::parse(name).unwrap());
    caller
}

/// The names of the visible tools, the gateway's own left out.
fn visible(catalog: &Catalog, policy: &Policy, caller: &Caller) -> Vec<String> {
    let scope = policy.scope(&caller.principal, &caller.task, caller.step.as_ref());
    let tools = catalog.contracts().iter().filter(|c| !c.name.is_reserved() && scope.hides(c).is_none());
    tools.map(|contract| contract.name.as_str().to_owned()).collect()
}

#[test]
fn without_agents_users_and_steps_nothing_is_hidden() {
    let catalog = catalog(TOOLS);
    let policy = policy(&catalog, &["version: 1\n"]);
    assert_eq!(visible(&catalog, &policy, &caller("whoever", None, "anyone", None)).len(), 6);
    assert_eq!(policy.initial_step(), None);
}

#[test]
fn an_agent_sees_what_it_is_listed_for_and_an_unlisted_one_nothing() {
    let catalog = catalog(TOOLS);
    let text = "version: 1\nagents: {reader: {tools: ['read*']}, mailer: {versions: '>=1.2', permissions: []}, all: {}}\n";
    let policy = policy(&catalog, &[text]);
    let cases = [
        ("reader", None, vec!["read_file"]),
        ("all", None, vec!["read_file", "write_file", "move_path", "delete_path", "send_mail", "run_tests"]),
        ("mailer", Some("1.3"), vec!["read_file", "write_file", "move_path", "delete_path", "run_tests"]),
        ("mailer", Some("1.1"), vec![]),
        ("mailer", None, vec![]),
        ("Reader", None, vec![]),
        ("default", None, vec![]),
    ];
    for (agent, version, expected) in cases {
        assert_eq!(
            visible(&catalog, &policy, &caller(agent, version, "ann", None)),
            expected,
            "{agent} {version:?}"
        );
    }
    let unlisted = caller("default", None, "ann", None);
    let scope = policy.scope(&unlisted.principal, &unlisted.task, None);
    let limit = scope.hides(catalog.find("read_file").unwrap()).unwrap();
    assert_eq!(limit.source, LimitSource::UnlistedAgent(unlisted.principal.agent.clone()));
}

#[test]
fn a_user_holds_the_permissions_of_all_roles_and_an_unlisted_one_none() {
    let catalog = catalog(TOOLS);
    let text = "version: 1\nroles: {mailer: {permissions: [mail.send]}, other: {permissions: [x]}}\nusers: {ann: {roles: [other, mailer]}, bo: {roles: [other]}, cy: {roles: []}}\n";
    let policy = policy(&catalog, &[text]);
    for (user, sees) in [("ann", true), ("bo", false), ("cy", false), ("dee", false)] {
        let tools = visible(&catalog, &policy, &caller("default", None, user, None));
        assert_eq!(tools.contains(&"send_mail".to_owned()), sees, "{user}");
        assert!(tools.contains(&"read_file".to_owned()), "{user}");
    }
}

#[test]
fn a_step_shows_what_it_lists_and_no_step_or_an_unknown_one_nothing() {
    let catalog = catalog(TOOLS);
    let text = "version: 1\ninitial_step: draft\nsteps: {draft: {tools: [read_file, send_mail], risks: [read_only]}, send: {risks: [external]}}\n";
    let policy = policy(&catalog, &[text]);
    let cases = [
        (Some("draft"), vec!["read_file"]),
        (Some("send"), vec!["send_mail"]),
        (Some("other"), vec![]),
        (None, vec![]),
    ];
    for (step, expected) in cases {
        assert_eq!(visible(&catalog, &policy, &caller("default", None, "ann", step)), expected, "{step:?}");
    }
    assert_eq!(policy.initial_step(), Some(&step("draft")));
    assert!(policy.has_step(&step("send")) && !policy.has_step(&step("other")));
    assert_eq!(policy.steps(), [&step("draft"), &step("send")]);
}

#[test]
fn a_task_and_every_file_narrow_and_never_widen() {
    let catalog = catalog(TOOLS);
    let one = "version: 1\nsteps: {go: {risks: [read_only, write]}}\n";
    let two = "version: 1\nsteps: {go: {risks: [write, external]}}\nagents: {default: {tools: ['*_file', move_path]}}\n";
    let policy = policy(&catalog, &[one, two]);
    let mut caller = caller("default", None, "ann", Some("go"));
    assert_eq!(visible(&catalog, &policy, &caller), ["write_file", "move_path"]);
    caller.task.tools = Some(vec![NamePattern::new("write*"), NamePattern::new("read_file")]);
    assert_eq!(visible(&catalog, &policy, &caller), ["write_file"]);
    caller.task.tools = Some(Vec::new());
    assert_eq!(visible(&catalog, &policy, &caller), [""; 0]);
}

#[test]
fn a_listed_credential_is_limited_to_its_tools_and_agents_by_every_file() {
    let catalog = catalog(TOOLS);
    let one = "version: 1\ncredentials: [{credential: deploy, tools: ['write*'], agents: [default]}, {credential: deploy, tools: [move_path]}]\n";
    let two = "version: 1\ncredentials: [{credential: deploy, agents: [default, bot]}]\n";
    let policy = policy(&catalog, &[one, two]);
    let cases = [
        ("deploy", "write_file", "default", true),
        ("deploy", "write_file", "bot", false),
        ("deploy", "move_path", "bot", true),
        ("deploy", "move_path", "other", false),
        ("deploy", "read_file", "default", false),
        ("docs", "read_file", "other", true),
    ];
    for (credential, tool, agent, permitted) in cases {
        let credential = CredentialName::parse(credential).unwrap();
        let contract = catalog.find(tool).unwrap();
        let withheld = policy.withheld(
            std::slice::from_ref(&credential),
            contract,
            &caller(agent, None, "ann", None).principal,
        );
        assert_eq!(withheld.is_empty(), permitted, "{credential} {tool} {agent}");
        assert!(withheld.iter().all(|one| one.credential == credential && one.agent.as_str() == agent));
    }
}
