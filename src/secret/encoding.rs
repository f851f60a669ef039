//! The forms in which a secret is searched for as it stands. Escapes (percent, backslash, HTML) are not among them: those
//! are undone in the text instead, see [`super::view`], since each encoder escapes other characters.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// Shorter secrets are not searched for: they would be found everywhere.
pub(super) const LEAST_PLAIN: usize = 4;
/// Shorter pieces of base 64 say too little to be recognised.
const LEAST_BASE64: usize = 6;
/// Shorter lines of a secret of several lines are not searched for by themselves.
const LEAST_LINE: usize = 9;

/// One form of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    /// The bytes to find.
    pub(super) bytes: Vec<u8>,
    /// Whether the characters of base 64 just outside hold some of the secret's bits too.
    pub(super) spill: Spill,
}

/// Characters of base 64 beside a match that mix the secret's bits with a neighbour's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spill {
    pub(super) before: bool,
    pub(super) after: bool,
}

impl Spill {
    const NONE: Self = Self { before: false, after: false };
}

/// The forms of a secret that ends soon: as it is and encoded once. Those encoded twice are hundreds, and such a secret is long
/// and one of many.
pub(super) fn forms_of_passing(secret: &[u8]) -> Vec<Form> {
    let mut forms = Vec::new();
    plain(secret, &mut forms);
    encoded(secret, &mut forms);
    forms
}

/// Every form of a secret that is searched for.
pub(super) fn forms(secret: &[u8]) -> Vec<Form> {
    let mut forms = Vec::new();
    let trimmed = secret.trim_ascii();
    for whole in [secret, trimmed] {
        if whole.len() >= LEAST_PLAIN {
            plain(whole, &mut forms);
            let first = forms.len();
            encoded(whole, &mut forms);
            // Encoded twice, as a token that was put into a header that was put into a manifest.
            let once: Vec<Form> = forms.get(first..).unwrap_or_default().to_vec();
            for form in once {
                encoded(&form.bytes, &mut forms);
            }
            for separator in [" ", ":"] {
                let dumped = hex(whole, separator);
                base64(dumped.as_bytes(), &mut forms);
                base64(dumped.to_ascii_uppercase().as_bytes(), &mut forms);
            }
        }
    }
    if trimmed.contains(&b'\n') {
        // The frame of a PEM file is in every such file and no secret.
        for line in trimmed.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
            if line.len() >= LEAST_LINE && !line.starts_with(b"-----") {
                plain(line, &mut forms);
            }
        }
    }
    forms.sort_unstable_by(|one, two| one.bytes.cmp(&two.bytes));
    forms.dedup_by(|one, two| {
        let same = one.bytes == two.bytes;
        if same {
            two.spill.before |= one.spill.before;
            two.spill.after |= one.spill.after;
        }
        same
    });
    forms
}

fn plain(secret: &[u8], forms: &mut Vec<Form>) {
    let mut add = |bytes| forms.push(Form { bytes, spill: Spill::NONE });
    add(secret.to_vec());
    // As a form field writes spaces, and as shells write a quote inside quotes.
    for (from, to) in [(b' ', &b"+"[..]), (b'\'', br"'\''"), (b'\'', br#"'"'"'"#)] {
        if secret.contains(&from) {
            add(replace(secret, from, to));
        }
    }
}

fn replace(bytes: &[u8], from: u8, to: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == from).collect::<Vec<_>>().join(to)
}

/// In hexadecimal and in base 64.
fn encoded(bytes: &[u8], forms: &mut Vec<Form>) {
    hexadecimal(bytes, forms);
    base64(bytes, forms);
}

/// Two digits a byte, with a separator between bytes.
fn hex(bytes: &[u8], separator: &str) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(separator)
}

fn hexadecimal(secret: &[u8], forms: &mut Vec<Form>) {
    let lower = hex(secret, "");
    for bytes in [lower.to_ascii_uppercase().into_bytes(), lower.into_bytes()] {
        forms.push(Form { bytes, spill: Spill::NONE });
    }
}

/// Base 64 of a longer text depends on how many bytes stand before the secret, modulo three. Of each case only the
/// characters that the secret alone decides are searched for.
fn base64(secret: &[u8], forms: &mut Vec<Form>) {
    for before in 0..3_usize {
        let mut text = vec![0; before];
        text.extend_from_slice(secret);
        let bits = text.len() * 8;
        let (first, last) = ((before * 8).div_ceil(6), bits / 6);
        let spill = Spill { before: before > 0, after: !bits.is_multiple_of(6) };
        for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
            if let Some(core) = encoded.as_bytes().get(first..last)
                && core.len() >= LEAST_BASE64
            {
                forms.push(Form { bytes: core.to_vec(), spill });
            }
        }
    }
}
