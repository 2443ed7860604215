//! What other threads ask of a shard. Each is answered on the shard's thread; whoever asks waits with a
//! deadline of its own.

use super::phases;
use super::pump::Pump;
use super::shared::{RoomEntry, Shared};
use crate::inventory;
use crate::node::random_bytes;
use crate::room::{
    Close, ReadRoom, ReadShots, RoomActor, RoomInbox, RoomParts, RoomReading, SetRules,
};
use actix::{Actor, Addr};
use fairshot_cluster::control::{
    ControlError, InventoryView, PlayerInfo, RoomInfo, ShotRecord, WeaponOutcome,
};
use fairshot_cluster::host::{HostError, Promised, RoomSpec};
use fairshot_matchmaking::{Nonce, SeatRules};
use fairshot_room::TickSchedule;
use fairshot_telemetry::metrics::RoomEnd;
use fairshot_units::{MessageNumber, PlayerId, RoomId, WeaponCommand};
use fairshot_wire::CloseCode;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;

pub(crate) type Reply<T> = oneshot::Sender<T>;

/// One question with the way back.
#[derive(Debug)]
pub(crate) enum Ask {
    OpenRoom {
        spec: Box<RoomSpec>,
        members: Vec<PlayerId>,
        reply: Reply<Result<Promised, HostError>>,
    },
    Reserve {
        room: RoomId,
        members: Vec<PlayerId>,
        reply: Reply<Result<Promised, HostError>>,
    },
    Release {
        ticket: Vec<u8>,
        reply: Reply<bool>,
    },
    Rooms {
        reply: Reply<Vec<RoomInfo>>,
    },
    /// Whether a room of that name is here.
    Runs {
        room: RoomId,
        reply: Reply<bool>,
    },
    Players {
        room: Option<RoomId>,
        reply: Reply<Vec<PlayerInfo>>,
    },
    /// The room a player is in, if she is on this shard.
    Find {
        player: PlayerId,
        reply: Reply<Option<RoomId>>,
    },
    Inventory {
        player: PlayerId,
        reply: Reply<Result<InventoryView, ControlError>>,
    },
    Weapon {
        player: PlayerId,
        command: WeaponCommand,
        dry_run: bool,
        reply: Reply<Result<WeaponOutcome, ControlError>>,
    },
    /// Ends the sessions of a player or of addresses, and takes their seats.
    Expel {
        who: Expelled,
        code: CloseCode,
        reason: String,
        dry_run: bool,
        reply: Reply<Vec<(PlayerId, RoomId)>>,
    },
    CloseRoom {
        room: RoomId,
        code: CloseCode,
        reason: String,
        end: RoomEnd,
        reply: Reply<Option<u32>>,
    },
    Shots {
        player: PlayerId,
        number: Option<MessageNumber>,
        reply: Reply<Vec<ShotRecord>>,
    },
    /// A mode's rules changed: its rooms take them at their next tick.
    RulesChanged {
        mode: String,
        live_rules: Vec<String>,
    },
    Stop {
        done: Reply<()>,
    },
}

/// Whose sessions are to end.
#[derive(Clone, Debug)]
pub(crate) enum Expelled {
    Player(PlayerId),
    Banned(fairshot_cluster::control::BanSubject),
}

/// A room or an inventory that has not answered by then is taken for gone.
const ACTOR_MAX: Duration = Duration::from_secs(2);

/// Answers at once, or on the shard's thread as soon as the actor asked has answered.
pub(super) fn answer(pump: &mut Pump, ask: Ask) {
    let shared = pump.shared.clone();
    let now_ms = pump.clock.now_ms();
    // Whoever asked may have stopped waiting: a reply that goes nowhere is no failure.
    match ask {
        Ask::OpenRoom { spec, members, reply } => {
            let _ = reply.send(open_room(pump, *spec, &members));
        }
        Ask::Reserve { room, members, reply } => {
            let _ = reply.send(reserve(&shared, &room, &members, now_ms));
        }
        Ask::Release { ticket, reply } => {
            let _ = reply.send(shared.seats.borrow_mut().release(&ticket, now_ms));
        }
        Ask::Runs { room, reply } => {
            let _ = reply.send(shared.room(&room).is_some());
        }
        Ask::Rooms { reply } => {
            actix::spawn(async move {
                let readings = read_rooms(&shared, None).await;
                let _ = reply.send(readings.into_iter().map(|reading| reading.info).collect());
            });
        }
        Ask::Players { room, reply } => {
            actix::spawn(async move {
                let readings = read_rooms(&shared, room.as_ref()).await;
                let players = readings.into_iter().flat_map(|reading| reading.players);
                let _ = reply.send(players.collect());
            });
        }
        Ask::Find { player, reply } => {
            let route = shared.routes_where(|route| route.player == player).pop();
            let _ = reply.send(route.map(|route| route.room_id));
        }
        Ask::Inventory { player, reply } => {
            let route = shared.routes_where(|route| route.player == player).pop();
            actix::spawn(async move {
                let read = match route {
                    None => Err(ControlError::not_found("player", &player)),
                    Some(route) => flat(ask_actor(&route.inventory, inventory::Read).await),
                };
                let _ = reply.send(read);
            });
        }
        Ask::Weapon { player, command, dry_run, reply } => {
            let route = shared.routes_where(|route| route.player == player).pop();
            actix::spawn(async move {
                let outcome = match route {
                    None => Err(ControlError::not_found("player", &player)),
                    Some(route) => {
                        let asked = inventory::Command { command, dry_run };
                        flat(ask_actor(&route.inventory, asked).await)
                    }
                };
                let _ = reply.send(outcome);
            });
        }
        Ask::Expel { who, code, reason, dry_run, reply } => {
            let _ = reply.send(expel(pump, &who, code, &reason, dry_run));
        }
        Ask::CloseRoom { room, code, reason, end, reply } => {
            let actor = shared.room(&room);
            actix::spawn(async move {
                let closed = match actor {
                    None => None,
                    Some(actor) => ask_actor(&actor, Close { code, reason, end }).await.ok(),
                };
                let _ = reply.send(closed);
            });
        }
        Ask::Shots { player, number, reply } => {
            let rooms: Vec<_> = shared.rooms.borrow().values().map(|e| e.actor.clone()).collect();
            actix::spawn(async move {
                let mut records = Vec::new();
                for room in rooms {
                    let asked = ReadShots { player: player.clone(), number };
                    records.extend(ask_actor(&room, asked).await.unwrap_or_default());
                }
                let _ = reply.send(records);
            });
        }
        Ask::RulesChanged { mode, live_rules } => rules_changed(&shared, &mode, &live_rules),
        // The pump itself takes this one.
        Ask::Stop { done } => drop(done),
    }
}

fn open_room(pump: &Pump, spec: RoomSpec, members: &[PlayerId]) -> Result<Promised, HostError> {
    let shared = &pump.shared;
    let now_ms = pump.clock.now_ms();
    let known = shared.rooms.borrow().get(&spec.room).map(|entry| entry.epoch);
    match known {
        // Asked again: the room is there already, its seats may not be.
        Some(epoch) if epoch == spec.epoch => {
            return reserve(shared, &spec.room, members, now_ms);
        }
        Some(_) => return Err(HostError::RoomExists),
        None => {}
    }
    let Some(loaded) = shared.node.mode(&spec.mode) else {
        return Err(HostError::NoMode(spec.mode));
    };
    let seats_max =
        spec.seats_max.map_or(loaded.mode.players_max, |max| max.clamp(1, loaded.mode.players_max));
    let teams = u8::try_from(loaded.mode.teams.len()).unwrap_or(u8::MAX);
    let rules = SeatRules {
        seat_ttl_ms: shared.node.seat_ttl_ms(),
        hold_ms: shared.node.hold_ms().into(),
        ..SeatRules::new(seats_max, teams)
    };
    shared.seats.borrow_mut().open(&spec.room, rules, spec.empty_ttl_ms, now_ms)?;
    if spec.locked {
        shared.seats.borrow_mut().set_locked(&spec.room, true);
    }
    let promised = match members {
        [] => Ok(Promised {
            seats: Vec::new(),
            counts: shared.seats.borrow().counts(&spec.room).unwrap_or_default(),
        }),
        _ => reserve(shared, &spec.room, members, now_ms),
    };
    let promised = match promised {
        Ok(promised) => promised,
        Err(error) => {
            shared.seats.borrow_mut().close(&spec.room);
            return Err(error);
        }
    };
    let seed = spec.seed.unwrap_or_else(|| u64::from_le_bytes(random_bytes()));
    let tick_hz = loaded.mode.tick_hz;
    let metrics = shared.node.mode_metrics(&spec.mode);
    let inbox = Rc::<RoomInbox>::default();
    let actor = RoomActor::new(RoomParts {
        id: spec.room.clone(),
        node: shared.node.name.clone(),
        shard: shared.index,
        loaded: loaded.with_monsters(spec.monsters),
        seed,
        arrivals: inbox.clone(),
        gateway: pump.gateway.clone(),
        shared: shared.clone(),
        pending: pump.pending.clone(),
        metrics,
        clock: pump.clock,
    })
    .start();
    let rooms = shared.rooms.borrow();
    let taken = rooms.values().map(|entry| (entry.phase, entry.seats_max));
    let phase = phases::choose(taken, seats_max, shared.index);
    drop(rooms);
    let schedule = TickSchedule::new(tick_hz, phases::start_ns(phase, pump.clock.now_ns()));
    tracing::info!(room = %spec.room, mode = spec.mode, shard = shared.index, "a room opens");
    let entry = RoomEntry {
        actor,
        inbox,
        mode: spec.mode,
        due_ns: schedule.next_ns(),
        schedule,
        phase,
        seats_max,
        epoch: spec.epoch,
        code: spec.code,
        labels: spec.labels,
        monsters: spec.monsters,
    };
    shared.rooms.borrow_mut().insert(spec.room, entry);
    shared.node.poke();
    Ok(promised)
}

fn reserve(
    shared: &Shared,
    room: &RoomId,
    members: &[PlayerId],
    now_ms: u64,
) -> Result<Promised, HostError> {
    let members: Vec<_> =
        members.iter().map(|member| (member.clone(), Nonce(random_bytes()))).collect();
    let mut seats = shared.seats.borrow_mut();
    let issued = seats.reserve(room, &members, now_ms)?;
    let counts = seats.counts(room).unwrap_or_default();
    Ok(Promised { seats: issued, counts })
}

fn expel(
    pump: &Pump,
    who: &Expelled,
    code: CloseCode,
    reason: &str,
    dry_run: bool,
) -> Vec<(PlayerId, RoomId)> {
    let now_ms = pump.clock.now_ms();
    let shared = &pump.shared;
    let routes = shared.routes_where(|route| match who {
        Expelled::Player(player) => route.player == *player,
        Expelled::Banned(subject) => match (subject, route.address) {
            (fairshot_cluster::control::BanSubject::Player(player), _) => route.player == *player,
            (subject, Some(address)) => subject.covers(&route.player, address),
            (_, None) => false,
        },
    });
    let mut expelled = Vec::new();
    for route in routes {
        expelled.push((route.player.clone(), route.room_id.clone()));
        if dry_run {
            continue;
        }
        // First the seat, so that her rejoin ticket opens nothing any more.
        shared.seats.borrow_mut().evict(&route.room_id, &route.player, now_ms);
        pump.gateway.borrow_mut().close(route.session, code, reason);
    }
    expelled
}

fn rules_changed(shared: &Shared, mode: &str, live_rules: &[String]) {
    let Some(loaded) = shared.node.mode(mode) else { return };
    for entry in shared.rooms.borrow().values().filter(|entry| entry.mode == mode) {
        let loaded = loaded.with_monsters(entry.monsters);
        entry.actor.do_send(SetRules { loaded, live_rules: live_rules.to_vec() });
    }
}

async fn read_rooms(shared: &Shared, only: Option<&RoomId>) -> Vec<RoomReading> {
    let rooms: Vec<_> = shared
        .rooms
        .borrow()
        .iter()
        .filter(|(id, _)| only.is_none_or(|only| only == *id))
        .map(|(id, entry)| (id.clone(), entry.actor.clone()))
        .collect();
    let mut readings = Vec::with_capacity(rooms.len());
    for (id, room) in rooms {
        let Ok(mut reading) = ask_actor(&room, ReadRoom).await else { continue };
        if let Some(counts) = shared.seats.borrow().counts(&id) {
            reading.info.seats_reserved = counts.reserved.into();
            reading.info.seats_max = counts.seats_max.into();
        }
        readings.push(reading);
    }
    readings
}

/// Asks an actor of this shard. An actor that is gone, or silent for two seconds, is unavailable.
async fn ask_actor<A, M>(actor: &Addr<A>, message: M) -> Result<M::Result, ControlError>
where
    A: Actor<Context = actix::Context<A>> + actix::Handler<M>,
    M: actix::Message + Send + 'static,
    M::Result: Send,
{
    match actor.send(message).timeout(ACTOR_MAX).await {
        Ok(answer) => Ok(answer),
        Err(error) => Err(ControlError::Unavailable(error.to_string())),
    }
}

fn flat<T>(nested: Result<Result<T, ControlError>, ControlError>) -> Result<T, ControlError> {
    nested.and_then(|inner| inner)
}
