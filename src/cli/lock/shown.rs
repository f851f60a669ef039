//! What differs between what is accepted and what servers offer, as a person reads it.

use crate::catalog::{Lock, LockedServer, LockedTool};
use crate::present::{DisplayBody, DisplayOptions, LongLines, render_body};
use crate::text::escape;

use super::super::arguments::ColourChoice;
use super::super::display::speaks_unicode;
use super::listing::{LeftOut, Offer};

/// Describes every difference; strangers' text is escaped, and none of it is left out.
pub(super) fn differences(
    before: &Lock,
    after: &Lock,
    names: &[&str],
    offers: &[Offer],
    left: &[LeftOut],
    colour: ColourChoice,
) -> String {
    let options = DisplayOptions {
        width: 100,
        colour: colour == ColourChoice::Always,
        unicode: speaks_unicode(),
        lines: usize::MAX,
        long_lines: LongLines::Wrap,
    };
    let nothing = LockedServer::default();
    let mut out = String::new();
    for name in names {
        let Some(offer) = offers.iter().find(|offer| offer.server == *name) else { continue };
        let was = before.servers.get(*name).unwrap_or(&nothing);
        let now = after.servers.get(*name).unwrap_or(&nothing);
        let new = now.tools.keys().filter(|tool| !was.tools.contains_key(*tool)).count();
        let gone = was.tools.keys().filter(|tool| !now.tools.contains_key(*tool)).count();
        let changed = now.tools.values().filter(|tool| is_changed(was, tool)).count();
        out.push_str(&format!(
            "{name}: speaks {}, {} tools; {new} new, {changed} changed, {gone} gone\n",
            offer.protocol,
            now.tools.len()
        ));
        if was.protocol.as_ref().is_some_and(|protocol| *protocol != offer.protocol) {
            out.push_str(&format!(
                "  it spoke {} before\n",
                escape(was.protocol.as_deref().unwrap_or_default())
            ));
        }
        for tool in now.tools.values() {
            match was.tools.get(&tool.name) {
                None => show(&mut out, tool, None, &options),
                Some(other) if other.digest != tool.digest => show(&mut out, tool, Some(other), &options),
                Some(_) => {}
            }
        }
        for tool in was.tools.keys().filter(|tool| !now.tools.contains_key(*tool)) {
            out.push_str(&format!("  gone: {}\n", escape(tool)));
        }
        for problem in &offer.broken {
            out.push_str(&format!("  left out: {}\n", escape(problem)));
        }
        for one in left.iter().filter(|one| one.server == *name) {
            out.push_str(&format!("  left out: {}: {}\n", escape(&one.tool), escape(&one.problem)));
            if let Some(hint) = &one.hint {
                out.push_str(&format!("    {}\n", escape(hint)));
            }
        }
    }
    for name in before.servers.keys().filter(|name| !after.servers.contains_key(*name)) {
        out.push_str(&format!("{}: no manifest declares it any more\n", escape(name)));
    }
    out
}

fn is_changed(was: &LockedServer, tool: &LockedTool) -> bool {
    was.tools.get(&tool.name).is_some_and(|other| other.digest != tool.digest)
}

fn show(out: &mut String, tool: &LockedTool, before: Option<&LockedTool>, options: &DisplayOptions) {
    let body = DisplayBody::Diff {
        path: tool.name.clone(),
        before: before.map(in_lines),
        after: Some(in_lines(tool)),
    };
    for line in render_body(&body, None, options) {
        out.push_str(&format!("  {line}\n"));
    }
}

/// A tool as text: what it says of itself first, then its schemas.
fn in_lines(tool: &LockedTool) -> String {
    let mut text = String::new();
    for (key, value) in tool.pinned.iter().filter(|(key, _)| *key != "name") {
        match value.as_str() {
            Some(words) => text.push_str(&format!("{key}: {words}\n")),
            None => {
                let json = serde_json::to_string_pretty(value).unwrap_or_default();
                text.push_str(&format!("{key}: {json}\n"));
            }
        }
    }
    text
}
