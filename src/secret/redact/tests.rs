use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::secret::StreamRedactor;

const SECRET: &str = "pa55/w+rd \"q'ß&<7%\\x";

fn redactor(secret: &[u8]) -> Redactor {
    let mut redactor = Redactor::default();
    redactor.add("db", secret);
    redactor
}

fn clean(text: &str) -> String {
    Redactor::default().text(text).into_owned()
}

/// Texts with `input`, and what is left of them.
fn assert_hidden(cases: &[(&str, &str)]) {
    for (input, expected) in cases {
        assert_eq!(clean(input), *expected, "{input}");
        assert_eq!(clean(expected), *expected, "redacting twice changes nothing");
    }
}

fn percent(bytes: &[u8], keep: fn(u8) -> bool, upper: bool) -> String {
    bytes
        .iter()
        .map(|byte| match byte {
            byte if keep(*byte) => char::from(*byte).to_string(),
            byte if upper => format!("%{byte:02X}"),
            byte => format!("%{byte:02x}"),
        })
        .collect()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

fn json_text(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

fn json_ascii(text: &str) -> String {
    text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// The spellings of a secret that programs produce.
fn spellings(secret: &str) -> Vec<(&'static str, String)> {
    let bytes = secret.as_bytes();
    let lower: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut all = vec![
        ("plain", secret.to_owned()),
        ("hex", lower.clone()),
        ("HEX", lower.to_uppercase()),
        ("base64", STANDARD.encode(bytes)),
        ("base64 url", URL_SAFE.encode(bytes)),
        ("base64 after one", STANDARD.encode([b"u", bytes, b"x"].concat())),
        ("base64 after two", STANDARD.encode([b"u:", bytes, b"xyz"].concat())),
        ("base64 of base64", STANDARD.encode(STANDARD.encode(bytes))),
        ("base64 after a letter, of base64", STANDARD.encode(format!("B {}", STANDARD.encode(bytes)))),
        ("base64 of hex", STANDARD.encode(&lower)),
        (
            "base64 of spaced hex",
            STANDARD.encode(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")),
        ),
        ("hex of base64", STANDARD.encode(bytes).bytes().map(|byte| format!("{byte:02x}")).collect()),
        ("spaced hex", bytes.iter().map(|byte| format!("{byte:02x} ")).collect()),
        ("hex with colons", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")),
        ("hex as a program text", bytes.iter().map(|byte| format!("0x{byte:02x}, ")).collect()),
        ("between NULs", secret.chars().flat_map(|c| [c, '\0']).collect()),
        ("percent", percent(bytes, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte), true)),
        ("percent of a few", percent(bytes, |byte| !b" \"%<>\\^`{|}".contains(&byte) && byte < 128, false)),
        ("percent of all", percent(bytes, |_| false, true)),
        ("form", percent(bytes, |byte| byte.is_ascii_alphanumeric() || byte == b' ', true).replace(' ', "+")),
        ("json", json_text(secret)),
        ("json with slashes", json_text(secret).replace('/', "\\/")),
        ("json in ascii", json_ascii(secret)),
        ("json in json", json_text(&json_text(secret))),
        ("html", html(secret)),
        ("html by number", secret.chars().map(|c| format!("&#x{:x};", u32::from(c))).collect()),
        ("json in html", html(&json_text(secret))),
        ("html in json", json_text(&html(secret))),
        ("percent in json", json_text(&percent(bytes, |byte| byte.is_ascii_alphanumeric(), true))),
        ("rust", secret.escape_default().to_string()),
        ("shell", secret.replace('\'', "'\\''")),
    ];
    if secret.len() >= 20 {
        let wrap = |text: String| {
            text.as_bytes()
                .chunks(19)
                .map(|line| String::from_utf8_lossy(line))
                .collect::<Vec<_>>()
                .join("\n")
        };
        all.push(("base64 in lines", wrap(STANDARD.encode(bytes))));
        all.push(("hex in lines", wrap(lower)));
    }
    all
}

/// What must not be left of a secret.
fn leaks(output: &[u8], secret: &str) -> bool {
    let contains = |needle: &[u8]| output.windows(needle.len()).any(|window| window == needle);
    spellings(secret).iter().any(|(_, spelling)| contains(spelling.as_bytes()))
}

#[test]
fn a_secret_is_found_in_every_spelling() {
    let redactor = redactor(SECRET.as_bytes());
    for (spelling, text) in spellings(SECRET) {
        let redacted = redactor.text(&format!("before {text} after")).into_owned();
        assert!(redacted.contains("[secret:db]"), "{spelling}: {redacted}");
        assert!(!leaks(redacted.as_bytes(), SECRET), "{spelling}: {redacted}");
        assert!(redacted.starts_with("before ") && redacted.ends_with(" after"), "{spelling}: {redacted}");
    }
}

#[test]
fn base64_beside_a_secret_gives_none_of_its_bits_away() {
    let redactor = redactor(b"s3cr3t-value");
    for before in ["", "u", "u:", "us:"] {
        let text = STANDARD.encode(format!("{before}s3cr3t-value"));
        let left = redactor.text(&text).replace("[secret:db]", "");
        // What is left are whole groups that hold nothing but the neighbour, and padding.
        assert!(left.trim_end_matches('=').len() <= before.len() * 8 / 6, "{before}: {left}");
    }
}

#[test]
fn the_longest_of_overlapping_secrets_gives_the_name() {
    let mut redactor = Redactor::default();
    redactor.add("short", b"secret-value");
    redactor.add("long", b"my-secret-value-2");
    assert_eq!(redactor.text("a my-secret-value-2 b secret-value c"), "a [secret:long] b [secret:short] c");
    assert_eq!(redactor.text("my-secret-valuesecret-value"), "my-[secret:short][secret:short]");
}

#[test]
fn lines_and_trimmed_forms_of_a_secret_are_secret_too() {
    let redactor = redactor(b"  first line of it\nsecond-line\nshort\n-----END KEY-----\n");
    assert_eq!(redactor.text("x first line of it y"), "x [secret:db] y");
    assert_eq!(redactor.text("x second-line y short"), "x [secret:db] y short");
    assert_eq!(redactor.text("-----END KEY-----"), "-----END KEY-----");
}

#[test]
fn a_secret_of_three_bytes_is_not_searched_for() {
    assert_eq!(redactor(b"abc").text("abc"), "abc");
    assert_eq!(redactor(b"abcd").text("abcd"), "[secret:db]");
}

#[test]
fn clean_text_is_borrowed() {
    let redactor = redactor(SECRET.as_bytes());
    assert!(matches!(redactor.text("nothing to see, 100% & more \\n"), Cow::Borrowed(_)));
    assert!(matches!(Redactor::default().text(""), Cow::Borrowed("")));
}

#[test]
fn binary_secrets_and_texts_are_redacted_too() {
    let redactor = redactor(&[0xff, 0xfe, 1, 2, 0x80]);
    assert_eq!(redactor.bytes(&[9, 0xff, 0xfe, 1, 2, 0x80, 9]), b"\x09[secret:db]\x09");
    // A secret that ends inside a character hides the whole of it.
    let redactor = self::redactor(&"abcdé".as_bytes()[..5]);
    assert_eq!(redactor.text("xabcdéy"), "x[secret:db]y");
}

#[test]
fn a_cut_drops_what_could_begin_a_secret_in_any_spelling() {
    let secret = "s3cr3t/value-of-it";
    let redactor = redactor(secret.as_bytes());
    for (spelling, text) in spellings(secret) {
        for cut in (1..text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let input = format!("before: {}", &text[..cut]);
            let left = String::from_utf8(redactor.cut_bytes(input.as_bytes())).unwrap();
            let rest = left.strip_prefix("before: ").unwrap_or("").replace("[secret:db]", "");
            // Base 64 of neighbours holds characters that are not the secret's.
            let allowed = match spelling {
                _ if spelling.contains("after") => 8,
                "hex as a program text" => "0x".len(),
                _ => 0,
            };
            assert!(rest.len() <= allowed, "{spelling} cut at {cut}: {left}");
        }
    }
    assert_eq!(redactor.cut_bytes(b"all of s3cr3t/value-of-it"), b"all of [secret:db]");
    assert_eq!(redactor.cut_bytes(b"nothing of it"), b"nothing of it");
}

#[test]
fn a_cut_through_a_token_or_address_hides_what_is_left_of_it() {
    let cut = |text: &str| String::from_utf8(Redactor::default().cut_bytes(text.as_bytes())).unwrap();
    assert_eq!(cut("token is ghp_abc"), "token is [secret:github#1]");
    assert_eq!(cut("see https://ann:hunt"), "see https://ann:[secret:token#1]");
    assert_eq!(cut("-----BEGIN RSA PRIVATE KEY-----\nMIIE"), "[secret:private_key#1]");
    assert_eq!(cut("jwt eyJhbGciOi"), "jwt [secret:jwt#1]");
}

#[test]
fn values_are_redacted_in_strings_keys_and_by_their_keys() {
    let redactor = redactor(b"s3cr3t-value");
    let mut value = json!({
        "a": ["x s3cr3t-value", 1, null, true],
        "s3cr3t-value": "k",
        "password": "hunter2",
        "config": {"apiKey": "abc", "Authorization": "Bearer abc", "next_page_token": "p2k3j4h5"},
        "argv": ["curl", "--token", "abc", "--output", "file"],
        "password_hint": "my dog",
    });
    assert!(redactor.value(&mut value));
    assert_eq!(
        value,
        json!({
            "a": ["x [secret:db]", 1, null, true],
            "[secret:db]": "k",
            "password": "[secret:token#1]",
            "config": {"apiKey": "[secret:token#2]", "Authorization": "Bearer [secret:token#2]", "next_page_token": "p2k3j4h5"},
            "argv": ["curl", "--token", "[secret:token#2]", "--output", "file"],
            "password_hint": "my dog",
        })
    );
    let keys: Vec<_> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["a", "[secret:db]", "password", "config", "argv", "password_hint"]);
    assert!(!redactor.value(&mut json!({"a": [1, "x"]})));
    assert!(!redactor.value(&mut value), "redacting twice changes nothing");
}

#[test]
fn a_secret_of_digits_is_found_in_a_number() {
    let redactor = redactor(b"12345678");
    let mut value = json!({"a": 12345678, "b": [-12345678, 1234567], "c": 1.5});
    assert!(redactor.value(&mut value));
    assert_eq!(value, json!({"a": "[secret:db]", "b": ["-[secret:db]", 1234567], "c": 1.5}));
}

#[test]
fn tokens_of_well_known_providers_are_hidden_under_their_names() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    for (provider, token) in [
        ("github", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("github", "github_pat_11ABCDEFG0123456789_abcdefghijklmnopqrstuvwxyz"),
        ("gitlab", "glpat-ABCdef123456ghiJKL78"),
        ("aws", "AKIAIOSFODNN7EXAMPLE"),
        ("slack", "xoxb-123456789012-abcdefABCDEF"),
        ("stripe", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"),
        ("openai", "sk-proj-abcDEF123456ghiJKL789mno"),
        ("anthropic", "sk-ant-api03-abcdef"),
        ("openai", "sk-0123456789abcdef0123456789abcdef"),
        ("google", "AIzaSyA1234567890abcdefghijklmnopqrstuvw"),
        ("npm", "npm_abcdefghijklmnopqrstuvwxyz0123456789"),
        ("pypi", "pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4"),
        ("jwt", jwt),
    ] {
        let expected = format!("a [secret:{provider}#1], b");
        assert_eq!(clean(&format!("a {token}, b")), expected, "{token}");
    }
}

#[test]
fn each_line_of_the_data_file_hides_a_token_and_leaves_what_only_begins_like_it() {
    for known in shape::known() {
        let (letters, capitals) = ("a1B2c3D4e5".repeat(8), "A1B2C3D4E5".repeat(8));
        let tail = match known.tail {
            shape::Tail::Capitals(least) => &capitals[..least],
            shape::Tail::Alphanumeric(least) | shape::Tail::Word(least) | shape::Tail::Random(least) => {
                &letters[..least]
            }
        };
        let token = format!("{}{tail}", known.prefix);
        assert_eq!(clean(&format!("use {token} here")), format!("use [secret:{}#1] here", known.provider));
        // Too short, in the middle of a word, and (for those that must look random) made of words.
        let short = format!("use {}{} here", known.prefix, &tail[..tail.len().min(9) - 1]);
        let inside = format!("use x{token} here");
        let mut left = vec![short, inside];
        if matches!(known.tail, shape::Tail::Random(_)) {
            left.push(format!("use {}{} here", known.prefix, "plain-words-".repeat(6)));
        }
        for text in left {
            assert_eq!(clean(&text), text);
        }
    }
}

#[test]
fn a_placeholder_says_which_hidden_tokens_are_the_same() {
    let redactor = Redactor::default();
    let token = |letter: &str| format!("ghp_{}", letter.repeat(36));
    let text = format!("{} {} {} password=hunter22", token("a"), token("b"), token("a"));
    assert_eq!(
        redactor.text(&text),
        "[secret:github#1] [secret:github#2] [secret:github#1] password=[secret:token#1]"
    );
    assert_eq!(redactor.text(&token("b")), "[secret:github#2]", "also in another text");
    let mut value = json!({"password": "hunter22", "token": token("c")});
    redactor.value(&mut value);
    assert_eq!(value, json!({"password": "[secret:token#1]", "token": "[secret:github#3]"}));
}

#[test]
fn only_a_placeholder_is_taken_for_one() {
    for text in ["[secret:hunter2x", "[secret: hunter2x]", "(secret:hunter2#1]", "[secret:Hunter2#1]"] {
        assert!(!clean(text).contains("unter2"), "{text}");
    }
}

#[test]
fn private_keys_are_hidden_and_prose_about_them_is_not() {
    let body = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n";
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}{body}-----END RSA PRIVATE KEY-----");
    assert_eq!(clean(&format!("a\n{key}\nb")), "a\n[secret:private_key#1]\nb");
    assert_eq!(clean(&json_text(&format!("a\n{key}\nb"))), "a\\n[secret:private_key#1]\\nb");
    assert_eq!(clean(&format!("-----BEGIN PRIVATE KEY-----\n{body}")), "[secret:private_key#1]");
    let prose = "a file that starts with -----BEGIN PRIVATE KEY----- holds a key";
    assert_eq!(clean(prose), prose);
    let public = format!("-----BEGIN PUBLIC KEY-----\n{body}-----END PUBLIC KEY-----");
    assert_eq!(clean(&public), public);
}

#[test]
fn a_secret_in_a_command_is_hidden_and_the_command_stays_readable() {
    assert_hidden(&[
        ("API_KEY=v cmd", "API_KEY=[secret:token#1] cmd"),
        ("export DB_PASSWORD='hunter two' && run", "export DB_PASSWORD='[secret:token#1]' && run"),
        ("env GH_TOKEN=\"abc\" gh pr list", "env GH_TOKEN=\"[secret:token#1]\" gh pr list"),
        ("login --password hunter2 --user ann", "login --password [secret:token#1] --user ann"),
        ("login --api-key=abc host", "login --api-key=[secret:token#1] host"),
        (
            "curl -H 'Authorization: Bearer abc.def' https://api.example/v1",
            "curl -H 'Authorization: Bearer [secret:token#1]' https://api.example/v1",
        ),
        (
            "curl -H \"X-Api-Key: abc123\" https://api.example/v1",
            "curl -H \"X-Api-Key: [secret:token#1]\" https://api.example/v1",
        ),
        (
            "git clone https://ann:hunter2@git.example/r",
            "git clone https://ann:[secret:token#1]@git.example/r",
        ),
        (
            "psql postgres://app:p@ss@db.example:5432/x",
            "psql postgres://app:[secret:token#1]@db.example:5432/x",
        ),
        (
            "git push https://0123456789abcdef0123@git.example/r",
            "git push https://[secret:token#1]@git.example/r",
        ),
        ("https://[secret:user]:abc@git.example/r", "https://[secret:user]:[secret:token#1]@git.example/r"),
    ]);
}

#[test]
fn a_secret_in_an_exception_or_in_quoted_json_is_hidden() {
    assert_hidden(&[
        (r#"{"user":"ann","password": "hunter2"}"#, r#"{"user":"ann","password": "[secret:token#1]"}"#),
        (r#"{'api_key': 'abc', 'n': 1}"#, r#"{'api_key': '[secret:token#1]', 'n': 1}"#),
        (
            r#"KeyError: "{\"password\": \"hun\\\"ter2\", \"n\": 1}""#,
            r#"KeyError: "{\"password\": \"[secret:token#1]\", \"n\": 1}""#,
        ),
        (
            "AuthError: login failed (user=ann, password=hunter2)",
            "AuthError: login failed (user=ann, password=[secret:token#1])",
        ),
        ("password: hunter\n", "password: [secret:token#1]\n"),
        ("client_secret=abc&grant=x", "client_secret=[secret:token#1]&grant=x"),
        ("GET /?access_token=abc&page=2", "GET /?access_token=[secret:token#1]&page=2"),
        ("<password>hunter</password>", "<password>[secret:token#1]</password>"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = [secret:token#1]"),
        ("{\"pin_password\": 12345678}", "{\"pin_password\": [secret:token#1]}"),
    ]);
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    for text in [
        "LOG_LEVEL=debug",
        "PWD=/home/ann KEYBOARD=de MONKEY=1",
        "API_KEY=$API_KEY cmd",
        "TOKEN=${TOKEN:-} TOKEN=$(get)",
        "API_KEY=os.environ[\"API_KEY\"]",
        "let token = lexer.next();",
        "token = tokens[0]",
        "login(user=user, password=password)",
        "def login(password: str, token: Token) -> None:",
        "struct Login { password: String, api_key: Option<String> }",
        "  password: str\n",
        "if password == \"\" {",
        "self.token = token",
        "getpass(\"password: \")",
        "the password: it must be long",
        "{\"next_page_token\": \"CAUQAA12345678\"}",
        "{\"password\": \"\"}",
        "{\"password\": {\"type\": \"string\"}}",
        "{\"key\": \"a\", \"public_key\": \"ssh-ed25519 AAAA\", \"primary_key\": \"id\"}",
        "{\"token\": \"hello\"}",
        "use --password PASSWORD to log in",
        "Bearer authentication is described in RFC 6750",
        "the Basic authentication scheme",
        "Authorization: required",
        "headers[\"Authorization\"] = f\"Bearer {token}\"",
        "https://example.com:8080/a@b",
        "https://ann@example.com/",
        "https://${USER}:${PASS}@example.com/",
        "task-list-of-the-long-running-things sk-learn-compatible-estimators",
        "npm_config_registry=https://registry.example",
        "AKIA is a prefix",
        "eyJ is how they start",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_stream_shows_nothing_that_the_whole_would_hide() {
    let redactor = redactor(SECRET.as_bytes());
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8Pbn\nAHB7MhgH\n-----END PRIVATE KEY-----";
    let text = format!("one\nAPI_KEY=v cmd\n{SECRET}\n{key}\ntwo {SECRET}");
    let whole = redactor.bytes(text.as_bytes());
    let mut bytewise = StreamRedactor::new(&redactor);
    let mut out: Vec<u8> = text.bytes().flat_map(|byte| bytewise.push(&[byte])).collect();
    out.extend(bytewise.finish());
    assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&whole));
}

#[test]
fn a_stream_passes_lines_on_when_they_end() {
    let redactor = Redactor::default();
    let mut stream = StreamRedactor::new(&redactor);
    assert_eq!(stream.push(b"one\ntwo"), b"one\n");
    assert_eq!(stream.push(b" three\n"), b"two three\n");
    let long = vec![b'x'; 100_000];
    assert!(stream.push(&long).len() > 50_000, "a line without an end is not held for ever");
}

#[test]
fn a_secret_across_the_border_of_two_windows_is_found() {
    let redactor = redactor(b"s3cr3t-value");
    for offset in 0..24 {
        let mut text = vec![b'.'; (64 << 10) - offset];
        text.extend_from_slice(b"s3cr3t-value");
        text.resize(200_000, b'.');
        let redacted = redactor.bytes(&text);
        assert_eq!(redacted.len(), 200_000 - 12 + 11, "{offset}");
    }
}

fn secrets() -> impl Strategy<Value = String> {
    // A secret that the placeholder or an escape holds by itself would be found in the placeholder.
    "[a-zA-Z0-9/+=_ \"'\\\\<>&%é-]{8,40}"
        .prop_filter("white space around it", |secret| secret.trim() == secret)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_secret_survives_in_any_spelling_at_any_chunking(
        secret in secrets(), before in "[a-z .\n]{0,30}", after in "[a-z .\n]{0,30}", sizes in prop::collection::vec(1..40_usize, 1..8),
    ) {
        let redactor = redactor(secret.as_bytes());
        for (spelling, text) in spellings(&secret) {
            let text = format!("{before}{text}{after}");
            let whole = redactor.bytes(text.as_bytes());
            prop_assert!(!leaks(&whole, &secret), "{}: {:?}", spelling, String::from_utf8_lossy(&whole));
            prop_assert!(String::from_utf8(whole).is_ok());
            let mut stream = StreamRedactor::new(&redactor);
            let (mut out, mut rest) = (Vec::new(), text.as_bytes());
            for size in sizes.iter().cycle() {
                let (chunk, left) = rest.split_at((*size).min(rest.len()));
                out.extend(stream.push(chunk));
                rest = left;
                if rest.is_empty() {
                    break;
                }
            }
            out.extend(stream.finish());
            prop_assert!(!leaks(&out, &secret), "{} in chunks: {:?}", spelling, String::from_utf8_lossy(&out));
        }
    }

    #[test]
    fn a_cut_anywhere_shows_no_more_than_the_whole(secret in secrets(), at in 0..400_usize) {
        let redactor = redactor(secret.as_bytes());
        for (spelling, text) in spellings(&secret) {
            let cut = text.floor_char_boundary(at.min(text.len()));
            let left = redactor.cut_bytes(format!("x: {}", &text[..cut]).as_bytes());
            let left = String::from_utf8(left).unwrap();
            let rest = left.strip_prefix("x: ").unwrap_or("").replace("[secret:db]", "").replace("[secret:token#1]", "");
            prop_assert!(rest.len() <= 8, "{} cut at {}: {:?}", spelling, cut, left);
        }
    }

    #[test]
    fn clean_text_is_unchanged(text in "[a-z0-9 .,:;(){}\n%&\\\\-]{0,200}") {
        let redactor = redactor(b"S3CR3T/VALUE");
        prop_assert_eq!(redactor.bytes(text.as_bytes()), text.as_bytes());
        let mut stream = StreamRedactor::new(&redactor);
        let mut out = stream.push(text.as_bytes());
        out.extend(stream.finish());
        prop_assert_eq!(out, text.as_bytes());
    }

    #[test]
    fn any_bytes_are_survived_and_text_stays_text(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,100}") {
        let redactor = redactor(SECRET.as_bytes());
        let _ = (redactor.bytes(&bytes), redactor.cut_bytes(&bytes));
        let redacted = redactor.text(&text).into_owned();
        prop_assert_eq!(redactor.text(&redacted), redacted.as_str());
    }

    #[test]
    fn shapes_survive_anything(text in "((--)?(API_KEY|password|token|Authorization|Bearer|eyJ|-----BEGIN|PRIVATE KEY|https://|[:=\"'\\\\ @,.\n]|[a-z0-9]{1,9})){0,30}") {
        let redactor = Redactor::default();
        let once = redactor.text(&text).into_owned();
        let _ = redactor.cut_bytes(text.as_bytes());
        prop_assert!(once.len() <= text.len() * 15);
    }
}

#[test]
fn a_secret_of_digits_is_found_in_every_number() {
    let redactor = redactor(b"123456789012");
    for text in ["123456789012", "123456789012.0", "1.23456789012e11", "-123456789012.5", "123456789012e0"] {
        let mut value: serde_json::Value = serde_json::from_str(&format!("{{\"a\":[{text}]}}")).unwrap();
        assert!(redactor.value(&mut value), "{text}");
        assert!(!value.to_string().contains("123456789012"), "{text}: {value}");
    }
}

#[test]
fn a_secret_that_ends_is_found_until_then_and_the_latest_are_kept() {
    let mut redactor = Redactor::default();
    let value = |number: usize| format!("passing-secret-{number:04}");
    let at = |redactor: &Redactor, number| redactor.text(&value(number)).into_owned();
    redactor.add("lasting", b"a-secret-that-lasts");
    for number in 0..MOST_PASSING + 2 {
        redactor.add_passing("pass", value(number).as_bytes(), Timestamp(100), Timestamp(1));
        assert_eq!(at(&redactor, number), "[secret:pass]");
    }
    assert_eq!(at(&redactor, 1), value(1));
    assert_eq!(at(&redactor, 2), "[secret:pass]");
    redactor.add_passing("other", value(900).as_bytes(), Timestamp(200), Timestamp(101));
    assert_eq!(at(&redactor, 2), value(2), "it ended");
    assert_eq!(at(&redactor, 900), "[secret:other]");
    assert_eq!(redactor.text("a-secret-that-lasts"), "[secret:lasting]");
    assert!(redactor.secrets.names.len() <= MOST_PASSING + 2, "what ended leaves nothing behind");
}

#[test]
fn a_secret_that_is_resolved_again_is_kept_once() {
    let mut redactor = Redactor::default();
    for _ in 0..3 {
        redactor.add("token", b"s3cr3t-token");
        redactor.add("other", b"s3cr3t-token");
        redactor.add("short", b"abc");
    }
    assert_eq!(redactor.secrets.names, ["token", "other"]);
}
