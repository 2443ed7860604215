//! What a tick said, on its way: orders to inventories, events to streams, the snapshot to datagrams,
//! refusals to the log, counts to the metrics.

use super::{RoomActor, Workspace, link::Link};
use crate::inventory::Orders;
use crate::readback::{unix_ms, weapon_name};
use bytes::Bytes;
use fairshot_cluster::control::RefusedShot;
use fairshot_judge::Outcome;
use fairshot_room::{LogRecord, Notice, RoomInput};
use fairshot_units::{EntityId, EntityState, Pose};
use fairshot_wire::snapshot::{Personal, Viewer};
use fairshot_wire::{CloseCode, Down};
use std::sync::Arc;

/// The path's round trip is told to the room this often, in ticks.
const PATH_EVERY_TICKS: u32 = 32;

impl RoomActor {
    /// Sends everything the last tick put out.
    pub(super) fn deliver(&mut self) {
        self.deliver_orders();
        self.take_verdicts();
        self.deliver_events();
        self.deliver_snapshots();
        self.write_log();
        self.tell_paths();
    }

    fn deliver_orders(&mut self) {
        if self.out.orders.is_empty() {
            return;
        }
        for (index, place) in self.links.iter_mut().enumerate() {
            let Some(link) = place else { continue };
            let entity = entity(index);
            let orders: Vec<_> = self
                .out
                .orders
                .iter()
                .filter(|(to, _)| *to == entity)
                .map(|(_, order)| *order)
                .collect();
            if orders.is_empty() {
                continue;
            }
            if link.inventory.try_send(Orders(orders)).is_err() {
                // The client could never follow without them.
                self.gateway.borrow_mut().close(
                    link.session,
                    CloseCode::Slow,
                    "the inventory's mailbox is full",
                );
            } else {
                self.pending.sent();
            }
        }
    }

    /// Counts each verdict, keeps it to be explained, and tells operators of refusals.
    fn take_verdicts(&mut self) {
        let judgement = &self.out.judgement;
        if judgement.verdicts.is_empty() {
            self.stamps.clear();
            return;
        }
        let tick_s = 1.0 / f64::from(self.loaded.mode.tick_hz);
        for verdict in &judgement.verdicts {
            let Some(Some(link)) = self.links.get_mut(usize::from(verdict.shooter.0)) else {
                continue;
            };
            match &verdict.outcome {
                Outcome::Accepted => {
                    let back = verdict.landed.since(verdict.judged.tick).max(0);
                    self.metrics.rewind.record(f64::from(back) * tick_s);
                    link.accepted += 1;
                }
                Outcome::Refused { .. } if verdict.unseen_death => {}
                Outcome::Refused { rule, .. } => *link.refused.entry(*rule).or_default() += 1,
            }
        }
        let unix_ms = unix_ms();
        self.keep_verdicts(unix_ms);
        self.publish_refusals(unix_ms);
    }

    fn publish_refusals(&self, unix_ms: u64) {
        for verdict in &self.out.judgement.verdicts {
            let Outcome::Refused { rule, reason } = &verdict.outcome else { continue };
            let Some(link) = self.link(verdict.shooter) else { continue };
            self.shared.refused(Arc::new(RefusedShot {
                time_unix_ms: unix_ms,
                node: self.node.clone(),
                room: self.id.clone(),
                mode: self.loaded.mode.name.clone(),
                player: link.player.clone(),
                number: verdict.number,
                weapon: verdict.weapon,
                weapon_name: weapon_name(&self.loaded.mode, verdict.weapon),
                rule: rule.label().to_owned(),
                reason: reason.to_string(),
                unseen_death: verdict.unseen_death,
                tick: verdict.landed,
            }));
        }
    }

    fn deliver_events(&mut self) {
        let out = &self.out;
        if out.events.is_empty() && out.notices.is_empty() {
            return;
        }
        let events: Vec<_> = out
            .events
            .iter()
            .filter_map(|event| fairshot_relay::event(event, out, &self.loaded.names))
            .collect();
        let written = self.batches.write(out.tick, &events);
        let mut gateway = self.gateway.borrow_mut();
        for (index, place) in self.links.iter().enumerate() {
            let Some(link) = place else { continue };
            let own = out.notices.iter().filter(|(to, _)| *to == entity(index));
            let mut private = Vec::new();
            for (_, notice) in own {
                private.extend(fairshot_relay::notice(notice));
                if let Notice::CommandAnswered { number, answer } = notice {
                    let reply = fairshot_relay::reply(answer);
                    let reply = Down::GameReply { number: *number, reply }.to_bytes();
                    if let Err(full) = gateway.queue_reply(link.session, reply) {
                        tracing::warn!(player = %link.player, %full, "a command's answer was dropped");
                    }
                }
            }
            if written.is_empty() && private.is_empty() {
                continue;
            }
            let Some(number) = gateway.next_batch(link.session) else { continue };
            if let Err(slow) = gateway.queue_batch(link.session, written.batch(number, &private)) {
                tracing::warn!(player = %link.player, room = %self.id, %slow, "a slow player is disconnected alone");
            }
        }
    }

    fn deliver_snapshots(&mut self) {
        let out = &self.out;
        for state in out.entities.iter().filter(|state| state.teleported) {
            if !self.teleported.contains(&state.id) {
                self.teleported.push(state.id);
            }
        }
        if !out.snapshot_due {
            return;
        }
        let mut workspace = self.shared.workspace.borrow_mut();
        let Workspace { scratch, rows, bytes, .. } = &mut *workspace;
        rows.clear();
        rows.extend(out.entities.iter().map(|state| EntityState {
            teleported: state.teleported || self.teleported.contains(&state.id),
            ..*state
        }));
        self.teleported.clear();
        self.states.record(out.tick, rows);
        let mut gateway = self.gateway.borrow_mut();
        for own in &out.own {
            let Some(Some(link)) = self.links.get_mut(usize::from(own.entity.0)) else { continue };
            // A path that holds the last snapshot back gets no newer one to queue behind it.
            if gateway.is_held(link.session) {
                continue;
            }
            let row = rows.iter().find(|state| state.id == own.entity);
            let pose = row.map_or(Pose::default(), |state| state.pose);
            let traits = row.map_or(0, |state| state.traits);
            let personal = Personal {
                own: fairshot_relay::own_state(own, link.revision, traits),
                acks: link.acks,
                viewer: Viewer { pose },
            };
            let limit_bytes = gateway.datagram_size_max(link.session);
            let Link { writer, session, .. } = link;
            bytes.clear();
            match writer.write(&self.states, &personal, limit_bytes, scratch, bytes) {
                // A copy of a hundred bytes, where the buffer's own size would be 1,200.
                Ok(_) => {
                    gateway.send_snapshot(*session, Bytes::copy_from_slice(bytes));
                }
                Err(error) => tracing::debug!(%error, "no snapshot fits the path"),
            }
        }
    }

    fn write_log(&self) {
        for record in &self.out.log {
            log(record, self);
        }
    }

    /// Empties the inbox of the tick that was run, and starts the next one's with what the paths are
    /// like.
    fn tell_paths(&mut self) {
        self.inbox.clear();
        if !self.tick().0.is_multiple_of(PATH_EVERY_TICKS) {
            return;
        }
        let mut paths = Vec::new();
        let gateway = self.gateway.borrow();
        for (index, place) in self.links.iter_mut().enumerate() {
            let Some(link) = place else { continue };
            if let Some(traffic) = gateway.traffic(link.session) {
                link.traffic = (traffic.bytes_up, traffic.bytes_down);
            }
            if let Some(round_trip) = gateway.round_trip(link.session) {
                let round_trip_ms = u32::try_from(round_trip.as_millis()).unwrap_or(u32::MAX);
                paths.push(RoomInput::Path { entity: entity(index), round_trip_ms });
            }
        }
        drop(gateway);
        for path in paths {
            self.put(path);
        }
    }
}

pub(super) fn log(record: &LogRecord, room: &RoomActor) {
    let mode = &room.loaded.mode;
    match record {
        LogRecord::ShotRefused { player, entity, number, weapon, rule, reason } => {
            let weapon = weapon_name(mode, *weapon);
            tracing::info!(
                target: "fairshot::refusals",
                event = "shotRefused",
                room = %room.id,
                %player,
                entity = entity.0,
                number = number.0,
                weapon,
                rule = rule.label(),
                %reason,
            );
        }
        LogRecord::RefusalsLeftOut { player, entity, left_out } => tracing::info!(
            target: "fairshot::refusals",
            event = "shotsRefusedLeftOut",
            room = %room.id,
            %player,
            entity = entity.0,
            left_out,
        ),
        LogRecord::RulePanicked { rule } => tracing::error!(
            room = %room.id,
            rule = rule.label(),
            "a game's rule panicked; its shot was refused under its name"
        ),
    }
}

fn entity(index: usize) -> EntityId {
    EntityId(u16::try_from(index).unwrap_or(u16::MAX))
}
