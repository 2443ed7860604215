//! A connection brings its ticket: the shard's seats say whether it opens one.

use super::pump::{Pump, leave};
use super::shared::Route;
use crate::inventory::{InventoryActor, InventoryParts};
use crate::node::random_bytes;
use crate::readback::Owner;
use crate::room::Enter;
use actix::Actor;
use bytes::Bytes;
use fairshot_gateway::{SessionId, close_code_of};
use fairshot_matchmaking::{Nonce, TicketKind};
use fairshot_telemetry::metrics::{JoinOutcome, SessionEnd};
use fairshot_telemetry::traces::continue_from;
use fairshot_units::EntityId;
use fairshot_units::EntityState;
use fairshot_wire::{CloseCode, Hello};
use std::rc::Rc;
use std::time::Instant;
use tracing::field::Empty;

/// Lets the bearer of a good ticket into her room; everybody else is told why not.
pub(super) fn admit(pump: &mut Pump, session: SessionId, hello: &Hello, _now: Instant) {
    let span = tracing::info_span!("enter", player = Empty, room = Empty);
    continue_from(&span, hello.traceparent.as_deref().unwrap_or_default());
    let _entered = span.enter();
    let shared = pump.shared.clone();
    let now_ms = pump.clock.now_ms();
    let rejoin = Nonce(random_bytes());
    let admission = match shared.seats.borrow_mut().admit(&hello.ticket, rejoin, now_ms) {
        Ok(admission) => admission,
        Err(error) => {
            let code = close_code_of(&error);
            shared.node.join_ended(join_outcome(code));
            tracing::info!(label = error.label(), %error, "a ticket opened nothing");
            pump.gateway.borrow_mut().close(session, code, &error.to_string());
            return;
        }
    };
    let admitted = admission.admitted;
    span.record("player", admitted.player.as_str());
    span.record("room", admission.room.as_str());
    let entity = EntityId(admitted.seat);
    let path = pump.gateway.borrow_mut().path(session);
    let address = path.map(|path| path.address.ip());
    if let Some(reason) = shared.node.banned(&admitted.player, address) {
        shared.node.join_ended(JoinOutcome::Banned);
        shared.seats.borrow_mut().evict(&admission.room, &admitted.player, now_ms);
        pump.gateway.borrow_mut().close(session, CloseCode::Banned, &reason);
        return;
    }
    // The older connection gives way before the newer one enters: its end must not touch the seat.
    let older = shared
        .routes_where(|route| route.room_id == admission.room && route.player == admitted.player);
    for route in older {
        shared.take_route(route.session);
        shared.metrics.session_ended(SessionEnd::Replaced);
        leave(&route, false);
        pump.gateway.borrow_mut().close(
            route.session,
            CloseCode::Superseded,
            "the player connected again",
        );
    }
    let loaded = shared.rooms.borrow().get(&admission.room).and_then(|entry| {
        let inbox = Rc::downgrade(&entry.inbox);
        Some((entry.actor.clone(), inbox, shared.node.mode(&entry.mode)?))
    });
    let Some((room, inbox, loaded)) = loaded else {
        pump.gateway.borrow_mut().close(session, CloseCode::TicketRoom, "the room is over");
        return;
    };
    let inventory = InventoryActor::new(InventoryParts {
        entity,
        owner: Owner { player: admitted.player.clone(), room: admission.room.clone() },
        session,
        mode: loaded.mode.clone(),
        catalogue: loaded.catalogue.clone(),
        room: inbox,
        gateway: pump.gateway.clone(),
        pending: pump.pending.clone(),
        clock: pump.clock,
    })
    .start();
    shared.put_route(Route {
        session,
        room_id: admission.room.clone(),
        room: room.clone(),
        inventory: inventory.clone(),
        player: admitted.player.clone(),
        address,
        entity,
        generation: admitted.generation,
    });
    tracing::info!("a player joins");
    shared.node.join_ended(match admission.kind {
        TicketKind::Join => JoinOutcome::Joined,
        TicketKind::Rejoin => JoinOutcome::Rejoined,
    });
    let entered = room.try_send(Enter {
        session,
        entity,
        player: admitted.player,
        team: (admitted.team != EntityState::NO_TEAM).then_some(admitted.team),
        generation: admitted.generation,
        rejoin_ticket: Bytes::from(admission.rejoin_ticket),
        rejoin_within_ms: shared.node.hold_ms(),
        inventory,
    });
    if entered.is_err() {
        pump.gateway.borrow_mut().close(session, CloseCode::Internal, "the room does not answer");
    }
}

fn join_outcome(code: CloseCode) -> JoinOutcome {
    match code {
        CloseCode::TicketForged | CloseCode::TicketNode | CloseCode::TicketRevoked => {
            JoinOutcome::TicketForged
        }
        CloseCode::TicketExpired => JoinOutcome::TicketExpired,
        CloseCode::TicketUsed => JoinOutcome::TicketUsed,
        CloseCode::TicketRoom => JoinOutcome::NoRoom,
        CloseCode::Full => JoinOutcome::Full,
        _ => JoinOutcome::BadHello,
    }
}
