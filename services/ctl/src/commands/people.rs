//! Kicks and bans.

use super::would;
use crate::args::Command;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, cell, moment};
use fairshot_proto::v1;
use ipnet::IpNet;
use std::net::IpAddr;

pub(super) async fn act(mut client: Client, command: Command, out: Out) -> Result<(), Failure> {
    match command {
        Command::Kick { player, reason, how } => {
            let request = v1::KickRequest {
                player,
                reason,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.kick(request).await?.into_inner();
            if out.json {
                return out.json(&done);
            }
            let would = would(done.dry_run);
            out.line(&format!("{would}kicked {} from {} on {}", done.player, done.room, done.node))
        }
        Command::Ban { subject, reason, lasts, how } => {
            let request = v1::BanRequest {
                subject: subject_of(&subject)?,
                reason,
                for_s: lasts.map(|lasts| lasts.as_secs()),
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.ban(request).await?.into_inner();
            if out.json {
                return out.json(&done);
            }
            let ban = done.ban.unwrap_or_default();
            let end =
                ban.expires_unix_s.map_or("for good".into(), |end| format!("until {}", ends(end)));
            out.line(&format!("{}banned {} {end}", would(done.dry_run), ban.subject))?;
            match done.players_kicked.as_slice() {
                [] => Ok(()),
                players => out.line(&format!("sent away: {}", players.join(", "))),
            }
        }
        Command::Unban { subject, how } => {
            let request = v1::UnbanRequest {
                subject: subject_of(&subject)?,
                dry_run: how.dry_run,
                request_id: how.request_id,
            };
            let done = client.unban(request).await?.into_inner();
            if out.json {
                return out.json(&done);
            }
            let ban = done.ban.unwrap_or_default();
            out.line(&format!(
                "{}lifted {} (by {}: {})",
                would(done.dry_run),
                ban.subject,
                ban.by,
                ban.reason
            ))
        }
        other => Err(Failure::Local(format!("{other:?} is no command about people"))),
    }
}

pub(super) async fn bans(mut client: Client, out: Out) -> Result<(), Failure> {
    let mut request = v1::ListBansRequest { page_size: 1_000, page_token: String::new() };
    let mut bans = Vec::new();
    loop {
        let page = client.list_bans(request.clone()).await?.into_inner();
        bans.extend(page.bans);
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    if out.json {
        return out.json(&bans);
    }
    let rows = bans.into_iter().map(|ban| {
        vec![
            cell(ban.subject),
            cell(ban.by),
            cell(ends(ban.since_unix_s)),
            cell(ban.expires_unix_s.map_or("never".into(), ends)),
            cell(ban.reason),
        ]
    });
    out.table(&["subject", "by", "since", "ends", "reason"], rows)
}

fn ends(unix_s: u64) -> String {
    moment(unix_s.saturating_mul(1000))
}

/// Addresses and ranges are known by their form; anything else is a player, as is `player/NAME`. What looks
/// like an address and is none is refused: as a player's name it would keep nobody out.
fn subject_of(typed: &str) -> Result<String, Failure> {
    let is_known = typed.starts_with("player/") || typed.starts_with("address/");
    let is_address = typed.parse::<IpNet>().is_ok() || typed.parse::<IpAddr>().is_ok();
    let digits_and_dots =
        typed.contains('.') && typed.chars().all(|c| c == '.' || c.is_ascii_digit());
    if is_known {
        Ok(typed.to_owned())
    } else if is_address {
        Ok(format!("address/{typed}"))
    } else if digits_and_dots || typed.contains('/') || typed.contains("::") {
        Err(Failure::Usage(format!(
            "`{typed}` is no address and no range of them; a player of that name is player/{typed}"
        )))
    } else {
        Ok(format!("player/{typed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_banned_is_known_by_its_form() {
        for (typed, meant) in [
            ("alice", "player/alice"),
            ("v1.alice", "player/v1.alice"),
            ("steam:76561", "player/steam:76561"),
            ("player/10.0.0.1", "player/10.0.0.1"),
            ("192.0.2.7", "address/192.0.2.7"),
            ("192.0.2.0/24", "address/192.0.2.0/24"),
            ("2001:db8::/32", "address/2001:db8::/32"),
        ] {
            assert_eq!(subject_of(typed).expect("is a subject"), meant);
        }
        for slip in ["300.1.1.1", "10.0.0.1/33", "10.0.0", "2001:db8::/129", "fe80::x"] {
            let refused = subject_of(slip).expect_err(slip);
            assert_eq!(refused.exit_code(), 2, "{refused}");
        }
    }
}
