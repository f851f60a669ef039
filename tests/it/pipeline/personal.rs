//! Personal data that a contract or the policy hides, and shapes of secrets that a contract shows.

use serde_json::{Value, json};

use crate::harness::{ALLOW, Space, content, status};

const JWT: &str =
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

/// `tell` prints what it is given as JSON; `result` is what its contract adds.
fn space(result: &str, policy: &str) -> Space {
    let tools = format!(
        "version: 1\ntools:\n  - name: tell\n    version: 1.0.0\n    description: Says it again.\n    risk: read_only\n    \
         input_schema: {{type: object, required: [value], properties: {{value: {{}}}}}}\n    \
         run: {{command: {{argv: [cat], stdin: '{{{{json(arguments.value)}}}}', output: json}}}}\n    \
         result: {{trust: untrusted{result}}}\n"
    );
    Space::with(&tools, policy)
}

fn tell(space: &Space, value: &Value) -> Value {
    let answer = space.tgw(["call", "tell", &json!({ "value": value }).to_string()]).with_files().answers();
    assert_eq!(status(&answer[0]), "succeeded", "{answer:?}");
    answer[0].clone()
}

fn contact() -> Value {
    json!({
        "mail": "Ann <ann@example.org>, again ann@example.org, and bo@example.org",
        "card": 4111111111111111_i64,
        "iban": "DE89 3704 0044 0532 0130 00",
        "phone": "+49 30 901820",
        "id": "4111111111111112",
    })
}

#[test]
fn personal_data_is_hidden_from_the_model_the_display_and_the_store_where_a_contract_says_so() {
    let space = space(", hide: [email, card, iban, phone]", ALLOW);
    let answer = tell(&space, &contact());
    let told: Value = serde_json::from_str(content(&answer)).unwrap();
    assert_eq!(
        told,
        json!({
            "mail": "Ann <[secret:email#1]>, again [secret:email#1], and [secret:email#2]",
            "card": "[secret:card#1]",
            "iban": "[secret:iban#1]",
            "phone": "[secret:phone#1]",
            "id": "4111111111111112",
        })
    );
    let kept = space.tgw(["results", answer["result"].as_str().unwrap()]).text();
    assert!(kept.contains("[secret:email#2]") && !kept.contains("example.org"), "{kept}");
}

#[test]
fn without_a_word_about_it_personal_data_is_shown() {
    let told = tell(&space("", ALLOW), &contact());
    assert!(content(&told).contains("ann@example.org") && content(&told).contains("4111111111111111"));
}

#[test]
fn the_policy_hides_from_every_tool_but_its_exceptions() {
    let hides = |except: &str| format!("{ALLOW}personal: {{hide: [email, phone]{except}}}\n");
    let told = tell(&space("", &hides("")), &contact());
    assert!(content(&told).contains("[secret:email#1]") && content(&told).contains("DE89 3704"));
    let except = ", except: [{tools: [tell], kinds: [email], reason: it looks up addresses}]";
    let told = tell(&space("", &hides(except)), &contact());
    assert!(content(&told).contains("ann@example.org") && content(&told).contains("[secret:phone#1]"));
    // What the contract itself hides, the policy does not show.
    let told = tell(&space(", hide: [email]", &hides(except)), &contact());
    assert!(content(&told).contains("[secret:email#1]"));
}

#[test]
fn a_shape_that_a_contract_waives_is_shown_and_a_resolved_secret_never_is() {
    let value = json!({"id": JWT, "key": "ghp_16C7e42F292c6912E7710c838347Ae178B4a"});
    let waiving = space(", show: [{kind: jwt, reason: its ids are signed}]", ALLOW);
    let told = tell(&waiving, &value);
    assert!(content(&told).contains(JWT) && content(&told).contains("[secret:github#1]"), "{told}");
    let found = waiving.tgw(["doctor"]).with_files().text();
    assert!(found.contains("tell: `jwt` is shown: its ids are signed"), "{found}");

    let tools = format!(
        "version: 1\ncredentials: {{session: {{source: {{env: SESSION}}}}}}\ntools:\n  - name: tell\n    version: 1.0.0\n    \
         description: Says it.\n    risk: read_only\n    input_schema: {{type: object}}\n    \
         run: {{command: {{argv: [printenv, SESSION], credentials: {{SESSION: session}}}}}}\n    \
         result: {{trust: untrusted, show: [{{kind: jwt, reason: its ids are signed}}]}}\n"
    );
    let resolved = Space::with(&tools, ALLOW);
    let told = resolved.tgw(["call", "tell", "{}"]).with_files().variable("SESSION", JWT).answers();
    assert_eq!(content(&told[0]).trim(), "[secret:session]");
}

#[test]
fn a_kind_that_does_not_exist_is_refused_with_its_place_and_the_nearest() {
    for (result, policy, said) in [
        (", hide: [mail]", ALLOW.to_owned(), "there is no kind `mail`"),
        (", show: [{kind: git, reason: x}]", ALLOW.to_owned(), "there is no kind `git`"),
        (", show: [{kind: jwt}]", ALLOW.to_owned(), "`reason`"),
        ("", format!("{ALLOW}personal: {{hide: [emails]}}\n"), "did you mean `email`?"),
        (
            "",
            format!("{ALLOW}personal: {{hide: [email], except: [{{kinds: [email], reason: x}}]}}\n"),
            "this exception names no tools",
        ),
    ] {
        let space = space(result, &policy);
        let ended = space.tgw(["call", "tell", r#"{"value":1}"#]).with_files().status(2).ended();
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
}
