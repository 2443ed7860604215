//! What the server's shell does for a room, without sockets: ledgers, acknowledgements, batches,
//! snapshots.

use crate::link::{Link, Path, Rng};
use bytes::Bytes;
use fairshot_judge::{Claim, LedgerRuling, NamedTarget, Outcome as Ruled};
use fairshot_ledger::{FrameReport, Ledger, ShotReport, ShotRuling};
use fairshot_mode::{Ammunition, DataValue, Mode};
use fairshot_room::{
    Event as RoomEvent, Frame, HitData, HitSource, InventoryOrder, Notice, PlainGame, Room,
    RoomInput, RoomSetup, Shot, TickOutput,
};
use fairshot_units::{EntityId, EntityKind, EntityState, Life, PlayerId, RoomId, WeaponCommand};
use fairshot_wire as wire;
use fairshot_wire::snapshot::{OwnState, Personal, Scratch, SentStates, SnapshotWriter, Viewer};
use fairshot_wire::{
    AckWindow, BatchWriter, Down, Event, Hit, HitWeapon, Joined, Outcome, ShotJudged, StreamReader,
    Strike, Up, UpDatagram, UpLimits, Value, Welcome,
};
use fairshot_world::{Motion, StaticWorld};
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Host {
    pub mode: Arc<Mode>,
    pub mode_text: Bytes,
    pub room: Room,
    pub out: TickOutput,
    pub sessions: Vec<Session>,
    pub rng: Rng,
    pub limit_bytes: usize,
    ring: SentStates,
    scratch: Scratch,
    batches: BatchWriter,
    inputs: Vec<RoomInput>,
}

pub struct Session {
    pub entity: EntityId,
    pub up: Link,
    pub up_stream: Link,
    pub down: Link,
    pub down_stream: Link,
    pub ledger: Ledger,
    pub snapshot_bytes: u64,
    pub stream_bytes: u64,
    pub batch_acked: u32,
    pub apply_failed: bool,
    stream: StreamReader,
    acks: AckWindow,
    snapshots: SnapshotWriter,
    batch: u32,
    welcomed: bool,
}

impl Host {
    pub fn new(mode_text: &str, mode: Mode, seed: u64) -> Self {
        let mode = Arc::new(mode);
        let world = Arc::new(StaticWorld::build(&mode.arena));
        let setup = RoomSetup::new(RoomId::new("room").unwrap(), Arc::clone(&mode), world, seed);
        Self {
            room: Room::new(&setup, Box::new(PlainGame)),
            out: TickOutput::default(),
            sessions: Vec::new(),
            rng: Rng(seed),
            limit_bytes: 1162,
            ring: SentStates::new(),
            scratch: Scratch::default(),
            batches: BatchWriter::default(),
            inputs: Vec::new(),
            mode_text: Bytes::copy_from_slice(mode_text.as_bytes()),
            mode,
        }
    }

    /// Adds a session; it is welcomed when its hello comes.
    pub fn connect(&mut self, up: Path, down: Path) -> usize {
        let index = self.sessions.len();
        let entity = EntityId(u16::try_from(index).unwrap());
        self.sessions.push(Session {
            entity,
            up: Link::new(up),
            up_stream: Link::new(up),
            down: Link::new(down),
            down_stream: Link::new(down),
            ledger: Ledger::new(Arc::new(self.mode.weapons.clone())),
            snapshot_bytes: 0,
            stream_bytes: 0,
            batch_acked: 0,
            apply_failed: false,
            stream: StreamReader::up(),
            acks: AckWindow::default(),
            snapshots: SnapshotWriter::new(entity),
            batch: 0,
            welcomed: false,
        });
        index
    }

    pub fn tick(&mut self, now_us: u64) {
        for index in 0..self.sessions.len() {
            self.hear(index, now_us);
        }
        let inputs = std::mem::take(&mut self.inputs);
        self.room.tick(&inputs, &mut self.out);
        self.obey_orders(now_us);
        self.tell_events(now_us);
        if self.out.snapshot_due {
            self.send_snapshots(now_us);
        }
    }

    fn hear(&mut self, index: usize, now_us: u64) {
        let session = &mut self.sessions[index];
        for bytes in session.up_stream.arrived(now_us) {
            session.stream.push(&bytes);
        }
        while let Some(message) = session.stream.next_message().unwrap() {
            match Up::decode(message).unwrap() {
                Up::Hello(_) => {
                    session.welcomed = true;
                    let player = PlayerId::new(&format!("p{index}")).unwrap();
                    let entity = session.entity;
                    let welcome = Welcome {
                        entity,
                        life: Life(0),
                        player: player.clone(),
                        room: self.room.id().clone(),
                        tick: self.room.tick_now(),
                        tick_hz: self.mode.tick_hz,
                        snapshot_every: self.mode.snapshot_every_ticks,
                        rejoin_within_ms: 30_000,
                        rejoin_ticket: Bytes::new(),
                        mode_name: Arc::from(self.mode.name.as_str()),
                        mode: self.mode_text.clone(),
                        table: self.batches.table().clone(),
                    };
                    let bytes = Down::Welcome(Box::new(welcome)).to_bytes();
                    session.stream_bytes += bytes.len() as u64;
                    session.down_stream.send_ordered(now_us, bytes.to_vec(), &mut self.rng);
                    self.inputs.push(RoomInput::Join { entity, player, team: None });
                }
                Up::ApplyFailed { .. } => session.apply_failed = true,
                Up::GameCommand(_) | Up::Goodbye => {}
            }
        }
        let bounds = self.mode.arena.bounds;
        let limits = UpLimits { min_m: bounds.min_m, max_m: bounds.max_m };
        for bytes in session.up.arrived(now_us) {
            let mut malformed = Vec::new();
            let datagram = UpDatagram::decode(&bytes, &limits, &mut malformed).unwrap();
            assert!(malformed.is_empty(), "{malformed:?}");
            if let Some(ack) = datagram.snapshot {
                session.snapshots.handle_ack(ack);
            }
            session.batch_acked = session.batch_acked.max(datagram.batch);
            let open = self.mode.ammunition == Ammunition::Open;
            for frame in &datagram.frames {
                self.inputs.extend(session.join_frame(frame, open, now_us / 1000));
            }
            for shot in datagram.shots {
                self.inputs.extend(session.join_shot(shot, open, now_us / 1000));
            }
        }
    }

    fn obey_orders(&mut self, now_us: u64) {
        for (entity, order) in &self.out.orders {
            let Some(session) = self.sessions.get_mut(usize::from(entity.0)) else { continue };
            match order {
                InventoryOrder::Respawn { life } => {
                    let bytes = Down::RespawnGrant { life: *life }.to_bytes();
                    session.send_stream(now_us, &bytes, &mut self.rng);
                    session.ledger.respawn(*life);
                }
                InventoryOrder::Command(command) => {
                    session.command(command, now_us, &mut self.rng);
                }
            }
        }
    }

    fn tell_events(&mut self, now_us: u64) {
        let events: Vec<Event> =
            self.out.events.iter().filter_map(|event| self.wire_event(event)).collect();
        let shared = self.batches.write(self.out.tick, &events);
        for session in self.sessions.iter_mut().filter(|session| session.welcomed) {
            let private: Vec<Event> = self
                .out
                .notices
                .iter()
                .filter(|(entity, _)| *entity == session.entity)
                .filter_map(|(_, notice)| match notice {
                    Notice::ShotRefused { number, rule, reason, unseen_death, .. } => {
                        Some(Event::ShotRefused {
                            number: *number,
                            rule: (*rule).into(),
                            reason: Arc::from(reason.to_string()),
                            unseen_death: *unseen_death,
                        })
                    }
                    Notice::CommandAnswered { .. } => None,
                })
                .collect();
            if shared.is_empty() && private.is_empty() {
                continue;
            }
            session.batch += 1;
            let bytes = shared.batch(session.batch, &private);
            session.send_stream(now_us, &bytes, &mut self.rng);
        }
    }

    fn send_snapshots(&mut self, now_us: u64) {
        assert_eq!(self.ring.record(self.out.tick, &self.out.entities), 0);
        for own in &self.out.own {
            let session = &mut self.sessions[usize::from(own.entity.0)];
            let row = self.out.entities.iter().find(|row| row.id == own.entity);
            let personal = Personal {
                own: OwnState {
                    applied: own.applied,
                    position_m: own.position_m,
                    velocity_m_s: own.velocity_m_s,
                    grounded: own.grounded,
                    life: own.life,
                    revision: session.ledger.revision(),
                    health_eighths: fairshot_units::health_eighths(own.health),
                    alive: own.alive,
                    traits: row.map_or(0, |row| row.traits),
                },
                acks: session.acks.acks(),
                viewer: Viewer { pose: row.map(|row| row.pose).unwrap_or_default() },
            };
            let mut bytes = Vec::new();
            session
                .snapshots
                .write(&self.ring, &personal, self.limit_bytes, &mut self.scratch, &mut bytes)
                .unwrap();
            session.snapshot_bytes += bytes.len() as u64;
            session.down.send(now_us, bytes, &mut self.rng);
        }
    }

    fn wire_event(&self, event: &RoomEvent) -> Option<Event> {
        let zone_name = |kind: EntityKind, zone: Option<u8>| {
            let zones = match kind {
                EntityKind::Player => &self.mode.body.zones,
                EntityKind::Monster(index) => &self.mode.monsters[usize::from(index)].zones,
                EntityKind::Projectile(_) => return None,
            };
            zone.map(|zone| Arc::from(zones[usize::from(zone)].name.as_str()))
        };
        let kind_of = |id: EntityId| {
            let row = self.out.entities.iter().find(|row| row.id == id);
            row.map_or(EntityKind::Player, |row| row.kind)
        };
        Some(match event {
            RoomEvent::Joined { entity, player, team } => Event::Joined(Joined {
                entity: *entity,
                kind: EntityKind::Player,
                life: Life(0),
                team: team.unwrap_or(EntityState::NO_TEAM),
                name: Arc::from(player.as_str()),
            }),
            RoomEvent::Left { entity } => Event::Left { entity: *entity },
            RoomEvent::Spawned { entity, life, pose } => {
                Event::Respawned { entity: *entity, life: *life, position_m: pose.position_m() }
            }
            RoomEvent::ShotJudged { verdict } => {
                let judgement = &self.out.judgement;
                let verdict = &judgement.verdicts[*verdict as usize];
                let rays = judgement.rays_of(verdict);
                let outcome = match &verdict.outcome {
                    Ruled::Refused { rule, .. } => Outcome::Refused((*rule).into()),
                    Ruled::Accepted => Outcome::Accepted {
                        origin_m: rays.first().map_or(glam::Vec3::ZERO, |ray| ray.end_m),
                        ends_m: rays.iter().map(|ray| ray.end_m).collect(),
                        hits: judgement
                            .hits_of(verdict)
                            .iter()
                            .map(|hit| Strike {
                                target: hit.target,
                                pellet: hit.pellet,
                                zone: zone_name(kind_of(hit.target), hit.zone),
                                at_m: hit.stood.position_m(),
                            })
                            .collect(),
                    },
                };
                Event::ShotJudged(ShotJudged {
                    shooter: verdict.shooter,
                    number: verdict.number,
                    weapon: verdict.weapon,
                    outcome,
                })
            }
            RoomEvent::Hit(hit) => Event::Hit(Hit {
                target: hit.target,
                source: hit.source,
                weapon: hit_weapon(hit.weapon),
                number: None,
                amount: hit.amount,
                zone: zone_name(hit.target_kind, hit.zone),
                data: match &hit.data {
                    HitData::Own(fields) => Some(record(fields)),
                    _ => None,
                },
            }),
            RoomEvent::Died { entity, life, killer, weapon } => Event::Killed {
                target: *entity,
                life: *life,
                source: *killer,
                weapon: Some(hit_weapon(*weapon)),
            },
            RoomEvent::Launched { projectile, shooter, weapon, number } => Event::Launched {
                projectile: *projectile,
                shooter: *shooter,
                weapon: *weapon,
                number: *number,
            },
            RoomEvent::Ended { projectile, weapon, at_m, blast_radius_m } => Event::Ended {
                projectile: *projectile,
                weapon: *weapon,
                at_m: *at_m,
                blast_radius_m: *blast_radius_m,
            },
            RoomEvent::Mover { mover, state } => Event::Mover {
                mover: *mover,
                centre_m: state.centre_m,
                motion: match state.motion {
                    Motion::Rest => wire::Motion::Rest,
                    Motion::Gone => wire::Motion::Gone,
                    Motion::Towards { centre_m, speed_m_s } => {
                        wire::Motion::Towards { to_m: centre_m, speed_m_s }
                    }
                    Motion::Between { from_m, to_m, speed_m_s } => {
                        wire::Motion::Between { from_m, to_m, speed_m_s }
                    }
                },
            },
            RoomEvent::Game { .. } => return None,
        })
    }
}

impl Session {
    pub fn command(&mut self, command: &WeaponCommand, now_us: u64, rng: &mut Rng) {
        let planned = self.ledger.plan(command, now_us / 1000).unwrap();
        let bytes = Down::Command { revision: planned.revision(), command: *command }.to_bytes();
        self.send_stream(now_us, &bytes, rng);
        self.ledger.commit(planned, now_us / 1000);
    }

    pub fn send_stream(&mut self, now_us: u64, bytes: &[u8], rng: &mut Rng) {
        self.stream_bytes += bytes.len() as u64;
        self.down_stream.send_ordered(now_us, bytes.to_vec(), rng);
    }

    /// Batches queued and not yet acknowledged.
    pub fn batches_pending(&self) -> u32 {
        self.batch - self.batch_acked
    }

    fn join_frame(
        &mut self,
        frame: &fairshot_wire::Frame,
        open: bool,
        now_ms: u64,
    ) -> Option<RoomInput> {
        if !self.acks.record(frame.number) {
            return None;
        }
        let report = FrameReport {
            life: frame.life,
            rev: frame.revision,
            number: frame.number,
            held: frame.held,
            total: frame.total,
            clip: frame.clip,
            firing: frame.firing,
        };
        let acts = if open {
            frame.firing.then_some(frame.held)
        } else {
            self.ledger.frame(&report, now_ms).acts
        };
        Some(RoomInput::Frame(Frame {
            entity: self.entity,
            life: frame.life,
            number: frame.number,
            input: frame.input,
            held: frame.held,
            firing: acts,
        }))
    }

    fn join_shot(
        &mut self,
        shot: fairshot_wire::Shot,
        open: bool,
        now_ms: u64,
    ) -> Option<RoomInput> {
        if !self.acks.record(shot.number) {
            return None;
        }
        let report = ShotReport {
            life: shot.life,
            rev: shot.revision,
            number: shot.number,
            weapon: shot.weapon,
            total: shot.total,
        };
        let ruling = if open {
            LedgerRuling::Accepted
        } else {
            match self.ledger.shot(&report, now_ms) {
                ShotRuling::Accepted => LedgerRuling::Accepted,
                ShotRuling::Refused(rule) => LedgerRuling::Refused(rule),
                ShotRuling::Repeat => return None,
                ShotRuling::Malformed => panic!("an honest client's shot is malformed: {shot:?}"),
            }
        };
        let names =
            shot.names.iter().map(|name| NamedTarget { pellet: name.pellet, target: name.target });
        Some(RoomInput::Shot(Shot {
            entity: self.entity,
            life: shot.life,
            claim: Claim {
                number: shot.number,
                weapon: shot.weapon,
                view: shot.view,
                origin_m: shot.origin_m,
                direction: shot.direction,
                names: names.collect(),
            },
            ruling,
            frame: shot.frame,
        }))
    }
}

fn hit_weapon(source: HitSource) -> HitWeapon {
    match source {
        HitSource::Weapon(id) => HitWeapon::Catalogue(id),
        HitSource::Monster(index) => HitWeapon::Monster(index),
        HitSource::Game(name) => HitWeapon::Named(Arc::from(name)),
    }
}

fn record(fields: &[(String, DataValue)]) -> Value {
    let fields: BTreeMap<&str, Value> = fields
        .iter()
        .filter_map(|(key, value)| match value {
            DataValue::Number(number) => Some((key.as_str(), Value::Number(*number))),
            DataValue::Text(text) => Some((key.as_str(), Value::Text(Arc::from(text.as_str())))),
            _ => None,
        })
        .collect();
    Value::Record(fields.into_iter().map(|(key, value)| (Arc::from(key), value)).collect())
}
