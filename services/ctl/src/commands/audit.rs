//! The audit log: the server's newest entries, and the check of files.

use crate::args::{Audit, AuditAction};
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, cell, judged, moment};
use fairshot_audit::verify;
use fairshot_proto::v1;
use serde_json::json;

pub(super) async fn list(mut client: Client, wanted: Audit, out: Out) -> Result<(), Failure> {
    let request = v1::ListAuditRequest {
        caller: wanted.caller.unwrap_or_default(),
        method: wanted.method.unwrap_or_default(),
        page_size: wanted.limit.clamp(1, 1_000),
        page_token: String::new(),
    };
    let entries = client.list_audit(request).await?.into_inner().entries;
    if out.json {
        return out.json(&entries);
    }
    let rows = entries.into_iter().map(|entry| {
        let well = matches!(entry.outcome.as_str(), "ok" | "begun" | "opened");
        vec![
            cell(entry.sequence),
            cell(moment(entry.time_unix_ms)),
            cell(entry.caller),
            cell(entry.role),
            cell(entry.method),
            judged(entry.outcome, well),
            cell(if entry.dry_run { "dry" } else { "" }),
            cell(if entry.request == "null" { String::new() } else { entry.request }),
            cell(entry.detail),
        ]
    });
    let names = ["#entry", "time", "caller", "role", "method", "outcome", "", "request", "detail"];
    out.table(&names, rows)
}

/// Checks every file, and fails at the end where one of them is broken.
pub(super) fn verify_files(audit: Audit, out: Out) -> Result<(), Failure> {
    let Some(AuditAction::Verify { files }) = audit.action else {
        return Err(Failure::Local("no files to check".into()));
    };
    let mut broken = 0;
    for path in &files {
        match verify(path) {
            Ok(verified) if out.json => out.json(&json!({
                "path": path.display().to_string(),
                "ok": true,
                "entries": verified.entries,
                "firstUnixMs": verified.first_unix_ms,
                "lastUnixMs": verified.last_unix_ms,
                "lastHash": verified.last_hash,
                "tornBytes": verified.torn_bytes,
            }))?,
            Ok(verified) => {
                let torn = match verified.torn_bytes {
                    0 => String::new(),
                    bytes => format!(", {bytes} bytes of an unfinished line"),
                };
                out.line(&format!(
                    "{}: ok, {} entries from {} to {}{torn}, last {}",
                    path.display(),
                    verified.entries,
                    moment(verified.first_unix_ms),
                    moment(verified.last_unix_ms),
                    verified.last_hash
                ))?;
            }
            Err(error) => {
                broken += 1;
                if out.json {
                    let path = path.display().to_string();
                    out.json(&json!({ "path": path, "ok": false, "error": error.to_string() }))?;
                } else {
                    out.line(&format!("BROKEN {error}"))?;
                }
            }
        }
    }
    match broken {
        0 => Ok(()),
        _ => Err(Failure::Local(format!("{broken} of {} files are broken", files.len()))),
    }
}
