//! `tgw audit verify`: whether the chain is what it was.

use std::path::Path;

use crate::audit::{self, Checkpoint, LIMITS, VerifyRequest};
use crate::catalog::Digest;
use crate::cli::arguments::StoreArgs;
use crate::cli::discover;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::output::print;
use crate::cli::store::{self, OpenedStore, failure};
use crate::cli::table;
use crate::ident::Tenant;
use crate::state::{Receipt, Store};

use super::checkpoint::signers;

/// Verifies the chain, with what was kept elsewhere.
pub(super) fn verify(
    arguments: &StoreArgs,
    receipts: &[String],
    against: Option<&Path>,
    signer: &[String],
) -> Outcome {
    let wanted: Vec<Digest> = receipts
        .iter()
        .map(|text| {
            Digest::parse(text).ok_or_else(|| {
                Failure::configuration(format!("`{}` is not a receipt", text.escape_debug()))
                    .with_hint("a receipt is `sha256:` and 64 hexadecimal digits")
            })
        })
        .collect::<Result<_, _>>()?;
    let tenant = store::named_tenant(arguments)?;
    let kept = against.map(|file| Kept::read(file, signer, &tenant)).transpose()?;
    let OpenedStore { store, tenant } = store::open(arguments)?;
    let Some(store) = store else {
        // Whoever names a store means one that is there.
        if arguments.state.is_some() && kept.is_none() {
            return Err(Failure::configuration("there is no store at the place that `--state` names")
                .with_hint("`tgw doctor` says where the store of a workspace is"));
        }
        let mut text = "no store: nothing was ever recorded here\n".to_owned();
        let mut missing = !wanted.is_empty();
        if let Some(kept) = kept {
            missing |= kept.is_broken() || !kept.checkpoints.is_empty();
            text.push_str(&kept.broken);
            for checkpoint in &kept.checkpoints {
                text.push_str(&format!(
                    "missing: record {} was signed {}\n",
                    checkpoint.head.seq,
                    when(checkpoint)
                ));
            }
        }
        print(&text)?;
        return Ok(u8::from(missing));
    };
    let noted: Vec<Receipt> = kept.iter().flat_map(|kept| &kept.checkpoints).map(|one| one.head).collect();
    let request = VerifyRequest { receipts: &wanted, checkpoints: &noted };
    let report = audit::verify(&store, &tenant, &request).map_err(|error| failure(&error))?;
    let stray = store.stray_records().map_err(|error| failure(&error))?;
    let misplaced = audit::misplaced(&store).map_err(|error| failure(&error))?;
    let mut text = kept.as_ref().map(|kept| kept.broken.clone()).unwrap_or_default();
    for problem in &report.problems {
        text.push_str(&format!("broken: {problem}\n"));
    }
    if report.more_problems > 0 {
        text.push_str(&format!("broken: {} more problems\n", report.more_problems));
    }
    if stray > 0 {
        text.push_str(&format!("broken: {stray} records belong to no chain\n"));
    }
    for other in &misplaced {
        text.push_str(&format!("broken: the chain of `{other}` begins with a record of another tenant\n"));
    }
    for receipt in &report.receipts {
        match receipt.seq {
            Some(seq) => text.push_str(&format!("found: {} is record {seq}\n", receipt.receipt)),
            None => text.push_str(&format!("missing: {} is not in the chain\n", receipt.receipt)),
        }
    }
    let intact = report.is_intact()
        && stray == 0
        && misplaced.is_empty()
        && !kept.as_ref().is_some_and(Kept::is_broken);
    text.push_str(&format!(
        "{}: {} records of `{tenant}`, {} with erased details\n",
        if intact { "intact" } else { "not intact" },
        report.records,
        report.erased,
    ));
    if let Some(head) = report.head {
        text.push_str(&format!("head: {head}\n"));
    }
    let newest = kept.as_ref().and_then(Kept::newest).filter(|_| intact);
    match newest {
        Some(newest) => {
            text.push_str(&format!(
                "vouched for: records 1 to {}, by a checkpoint signed {} with {}\n",
                newest.head.seq,
                when(newest),
                newest.key
            ));
            let after = report.records.saturating_sub(newest.head.seq);
            text.push_str(&format!("not noticed in the {after} records after it:\n"));
        }
        None => text.push_str("not noticed without a receipt or head kept elsewhere:\n"),
    }
    LIMITS.iter().for_each(|limit| text.push_str(&format!("  - {limit}\n")));
    print(&text)?;
    Ok(u8::from(!intact))
}

fn when(checkpoint: &Checkpoint) -> String {
    format!("at {}", checkpoint.at.rfc3339())
}

/// The checkpoints of a file that are about this chain and believed, and what is wrong with the others.
struct Kept {
    checkpoints: Vec<Checkpoint>,
    broken: String,
}

impl Kept {
    /// Reads a file with a checkpoint a line. Those of other tenants are passed over; one that is not believed is said.
    fn read(file: &Path, signer: &[String], tenant: &Tenant) -> Result<Self, Failure> {
        let signers = signers(signer)?;
        let (text, _) = discover::read(file)?;
        let mut kept = Self { checkpoints: Vec::new(), broken: String::new() };
        let shown = table::visible(&file.display().to_string());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match Checkpoint::read(line, &signers) {
                Ok(checkpoint) if checkpoint.tenant == tenant.as_str() => kept.checkpoints.push(checkpoint),
                Ok(_) => {}
                Err(error) => {
                    let error = table::visible(&error.to_string());
                    kept.broken.push_str(&format!("broken: {shown}:{}: {error}\n", at.saturating_add(1)));
                }
            }
        }
        if kept.checkpoints.is_empty() && kept.broken.is_empty() {
            kept.broken.push_str(&format!("broken: {shown} holds no checkpoint of `{tenant}`\n"));
        }
        Ok(kept)
    }

    fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// The one that reaches furthest.
    fn newest(&self) -> Option<&Checkpoint> {
        self.checkpoints.iter().max_by_key(|checkpoint| checkpoint.head.seq)
    }
}
