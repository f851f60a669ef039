//! Numbers are exact from end to end, or refused.

use crate::harness::{ALLOW, Space, code, content};

const ECHO: &str = "version: 1
tools:
  - name: echo
    description: Returns its arguments.
    risk: read_only
    execution_mode: parallel
    input_schema: {type: object, additionalProperties: true, properties: {}}
    run: {command: {argv: [cat], stdin: '{{json(arguments)}}', output: json}}
    result: {trust: trusted}
";

fn echo(number: &str) -> serde_json::Value {
    Space::with(ECHO, ALLOW).answer(&format!(r#"{{"id":"c","name":"echo","arguments":{{"n":{number}}}}}"#))
}

#[test]
fn sixty_four_bit_integers_are_exact_from_end_to_end() {
    let space = Space::with(ECHO, ALLOW);
    let arguments = r#"{"a":9223372036854775807,"b":-9223372036854775808,"c":18446744073709551615,"d":9007199254740993,"e":0.1,"f":1e-7,"g":-0.0}"#;
    let answer = space.answer(&format!(r#"{{"id":"c","name":"echo","arguments":{arguments}}}"#));
    assert_eq!(content(&answer), arguments);
    let reference = answer["result"].as_str().unwrap();
    assert_eq!(space.tgw(["results", reference, "--json"]).text(), format!("{arguments}\n"));
}

#[test]
fn a_number_beyond_what_can_be_held_is_refused_with_its_place() {
    for number in
        ["1e400", "-1e400", "18446744073709551616", "-9223372036854775809", "0.1234567890123456789012345"]
    {
        let answer = echo(number);
        assert_eq!(code(&answer), "MALFORMED_CALL", "{number}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("`/arguments/n`"), "{answer}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("string"), "{answer}");
    }
}
