use super::*;

fn hidden(kind: PersonalKind, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    find(Personal::default().with(kind), text.as_bytes(), &mut |range, named| {
        assert_eq!(named, kind.as_str());
        all.push(text.get(range).expect("whole characters").to_owned());
    });
    all
}

#[test]
fn mail_addresses_are_found_and_what_only_has_the_sign_is_not() {
    for (text, expected) in [
        ("write to ann.bo+x@mail.example.org.", "ann.bo+x@mail.example.org"),
        ("<ANN@EXAMPLE.ORG>", "ANN@EXAMPLE.ORG"),
        ("mailto:a@b.co?subject=x", "a@b.co"),
        ("\"a_b%c@x-y.museum\"", "a_b%c@x-y.museum"),
        ("andré@exämple.org", "andré@exämple.org"),
    ] {
        assert_eq!(hidden(PersonalKind::Email, text), [expected], "{text}");
    }
    for text in [
        "@decorator.name",
        "a @ b.example",
        "serde@1.0.219",
        "icon@2x.png",
        "git@github.example:org/repo.git",
        "user@localhost",
        "x@-y.org",
        "x@y.1",
        "@@ -1,2 +3,4 @@",
    ] {
        assert_eq!(hidden(PersonalKind::Email, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn card_numbers_are_those_of_a_network_whose_check_digit_holds() {
    for card in [
        "4111111111111111",
        "4111 1111 1111 1111",
        "5555-5555-5555-4444",
        "378282246310005",
        "2223003122003222",
        "6011111111111117",
        "30569309025904",
        "3530111333300000",
    ] {
        assert_eq!(hidden(PersonalKind::Card, &format!("card {card}, thanks")), [card]);
        // Another last digit does not check.
        let (head, last) = card.split_at(card.len() - 1);
        let other = (last.parse::<u32>().unwrap() + 1) % 10;
        assert_eq!(hidden(PersonalKind::Card, &format!("card {head}{other}")), Vec::<String>::new());
    }
    for text in [
        "1764580000000",
        "x4111111111111111",
        "41111111111111110000000000",
        "0.4111111111111111",
        "id-4111111111111111",
        "4111111111111111a",
        "9999999999999995",
        "4111  1111  1111  1111",
    ] {
        assert_eq!(hidden(PersonalKind::Card, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn account_numbers_have_the_length_of_their_country_and_check() {
    for iban in [
        "DE89370400440532013000",
        "DE89 3704 0044 0532 0130 00",
        "GB29NWBK60161331926819",
        "FR1420041010050500013M02606",
        "NO9386011117947",
        "nl91abna0417164300",
    ] {
        assert_eq!(hidden(PersonalKind::Iban, &format!("to {iban}.")), [iban]);
    }
    for text in [
        "DE88370400440532013000",
        "DE8937040044053201300",
        "XDE89370400440532013000",
        "DE893704004405320130001",
        "ZZ89370400440532013000",
        "DE89-3704-0044-0532-0130-00",
    ] {
        assert_eq!(hidden(PersonalKind::Iban, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn telephone_numbers_are_international() {
    for phone in ["+493090182000", "+49 30 9018-2000", "+1 (212) 555-0100", "+44.20.7946.0958"] {
        assert_eq!(hidden(PersonalKind::Phone, &format!("call {phone} now")), [phone]);
    }
    for text in [
        "2026-11-30T10:00:00+01:00",
        "1+23456789",
        "+1234567",
        "+1234567890123456",
        "+0123456789",
        "a+4930901820001",
    ] {
        assert_eq!(hidden(PersonalKind::Phone, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn long_runs_are_read_once() {
    let personal: Personal = PersonalKind::ALL.into_iter().collect();
    for unit in ["1 ", "+1", "a@", "DE89 ", "4", "@a.b"] {
        find(personal, unit.repeat(200_000).as_bytes(), &mut |_, _| {});
    }
}
