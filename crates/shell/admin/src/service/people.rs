//! Kicks and bans.

use super::{AdminService, Answer, change, player_id, reason};
use crate::access::{Caller, Role};
use crate::nodes::{any_node, first_that_knows};
use crate::pages::page;
use fairshot_cluster::control::{Ban, BanSubject, ControlError, Kick};
use fairshot_proto::v1;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// Ten years: longer is meant to have no end.
const BAN_S_MAX: u64 = 10 * 366 * 86_400;

impl AdminService {
    pub(super) async fn kick_player(
        &self,
        caller: Caller,
        request: v1::KickRequest,
    ) -> Answer<v1::KickResponse> {
        let nodes = self.nodes.clone();
        let words = json!({ "player": request.player, "reason": request.reason });
        let dry_run = request.dry_run;
        let change = change(caller, "Kick", Role::Operator, words, dry_run, request.request_id);
        let work =
            async move {
                reason(&request.reason)?;
                let kick = Kick { player: player_id(&request.player)?, reason: request.reason };
                let kick = &kick;
                let outcome = first_that_knows(nodes.as_ref(), |node| async move {
                    node.kick(kick, dry_run).await
                })
                .await?;
                Ok(v1::KickResponse {
                    player: outcome.player.into(),
                    room: outcome.room.into(),
                    node: outcome.node.into(),
                    ..Default::default()
                })
            };
        self.changes.run(change, work).await
    }

    pub(super) async fn ban_subject(
        &self,
        caller: Caller,
        request: v1::BanRequest,
    ) -> Answer<v1::BanResponse> {
        let nodes = self.nodes.clone();
        let words = json!({
            "subject": request.subject,
            "reason": request.reason,
            "forS": request.for_s,
        });
        let by = caller.name.to_string();
        let dry_run = request.dry_run;
        let change = change(caller, "Ban", Role::Admin, words, dry_run, request.request_id);
        let work = async move {
            reason(&request.reason)?;
            let since_unix_s =
                SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            let ban = Ban {
                subject: subject(&request.subject)?,
                reason: request.reason,
                by,
                since_unix_s,
                expires_unix_s: request.for_s.map(|for_s| ends(since_unix_s, for_s)).transpose()?,
            };
            let ban = &ban;
            let outcome =
                any_node(nodes.as_ref(), |node| async move { node.ban(ban, dry_run).await })
                    .await?;
            Ok(v1::BanResponse {
                ban: Some(outcome.ban.into()),
                players_kicked: outcome.players_kicked.into_iter().map(String::from).collect(),
                ..Default::default()
            })
        };
        self.changes.run(change, work).await
    }

    pub(super) async fn unban_subject(
        &self,
        caller: Caller,
        request: v1::UnbanRequest,
    ) -> Answer<v1::UnbanResponse> {
        let nodes = self.nodes.clone();
        let words = json!({ "subject": request.subject });
        let dry_run = request.dry_run;
        let change = change(caller, "Unban", Role::Admin, words, dry_run, request.request_id);
        let work = async move {
            let subject = &subject(&request.subject)?;
            let ban =
                any_node(nodes.as_ref(), |node| async move { node.unban(subject, dry_run).await })
                    .await?;
            Ok(v1::UnbanResponse { ban: Some(ban.into()), ..Default::default() })
        };
        self.changes.run(change, work).await
    }

    pub(super) async fn bans_read(
        &self,
        request: &v1::ListBansRequest,
    ) -> Result<v1::ListBansResponse, ControlError> {
        let bans = any_node(self.nodes.as_ref(), |node| async move { node.bans().await }).await?;
        let page =
            page(bans, |ban| ban.subject.to_string(), request.page_size, &request.page_token);
        Ok(v1::ListBansResponse {
            bans: page.items.into_iter().map(Into::into).collect(),
            next_page_token: page.next,
            total: page.total,
        })
    }
}

fn subject(text: &str) -> Result<BanSubject, ControlError> {
    let subject: BanSubject =
        text.parse().map_err(|error: String| ControlError::invalid("subject", error))?;
    match &subject {
        // One slip of the hand must not lock everybody out.
        BanSubject::Addresses(range) if range.prefix_len() == 0 => {
            Err(ControlError::invalid("subject", "a range of every address there is"))
        }
        _ => Ok(subject),
    }
}

fn ends(since_unix_s: u64, for_s: u64) -> Result<u64, ControlError> {
    if for_s == 0 || for_s > BAN_S_MAX {
        return Err(ControlError::invalid(
            "for_s",
            format!("expected 1 to {BAN_S_MAX}, found {for_s}; leave it out for a ban without end"),
        ));
    }
    Ok(since_unix_s + for_s)
}
