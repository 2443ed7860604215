//! Nodes, rooms, players, weapons.

use crate::args::{Only, Rooms};
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, by_rule, cell, counted, judged, lasting};
use fairshot_proto::v1;

pub(super) async fn nodes(mut client: Client, out: Out) -> Result<(), Failure> {
    let nodes = client.list_nodes(v1::ListNodesRequest {}).await?.into_inner().nodes;
    if out.json {
        return out.json(&nodes);
    }
    let rows = nodes.into_iter().map(|node| {
        let state = match (&node.unreachable, node.draining) {
            (why, _) if !why.is_empty() => judged(why, false),
            (_, true) => judged(format!("draining, {}", lasting(node.drains_in_s)), false),
            (_, false) => judged("ready", true),
        };
        let headroom = node.shards.iter().map(|shard| shard.tick_headroom).fold(1.0, f32::min);
        let late: u64 = node.shards.iter().map(|shard| shard.late_ticks).sum();
        let dropped: u64 = node.shards.iter().map(|shard| shard.dropped_ticks).sum();
        vec![
            cell(node.node),
            state,
            cell(node.region),
            cell(node.version),
            cell(lasting(node.uptime_s)),
            cell(node.shards.len()),
            cell(format!("{}/{}", node.rooms, node.rooms_max)),
            cell(node.players),
            judged(format!("{:.0} %", headroom * 100.0), headroom > 0.2),
            counted(late),
            counted(dropped),
            cell(node.modes.join(" ")),
        ]
    });
    let names = [
        "node",
        "state",
        "region",
        "version",
        "up",
        "#shards",
        "#rooms",
        "#players",
        "#headroom",
        "#late",
        "#dropped",
        "modes",
    ];
    out.table(&names, rows)
}

pub(super) async fn rooms(mut client: Client, wanted: Rooms, out: Out) -> Result<(), Failure> {
    let mut request = v1::ListRoomsRequest {
        mode: wanted.mode.unwrap_or_default(),
        node: wanted.node.unwrap_or_default(),
        page_size: 1_000,
        page_token: String::new(),
    };
    let (mut rooms, mut missing) = (Vec::new(), Vec::new());
    loop {
        let page = client.list_rooms(request.clone()).await?.into_inner();
        rooms.extend(page.rooms);
        missing = [missing, page.nodes_missing].concat();
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    warn_of(missing);
    if out.json {
        return out.json(&rooms);
    }
    let rows = rooms.into_iter().map(|room| {
        let state = match room.state() {
            v1::RoomState::Open => judged("open", true),
            v1::RoomState::Draining => judged("draining", false),
            v1::RoomState::Closing => judged("closing", false),
            v1::RoomState::Unspecified => cell("?"),
        };
        vec![
            cell(room.room),
            cell(room.mode),
            cell(format!("{}/{}", room.node, room.shard)),
            state,
            cell(format!("{}+{}/{}", room.players, room.seats_reserved, room.seats_max)),
            cell(room.monsters),
            cell(room.tick),
            cell(lasting(room.uptime_s)),
            cell(format!("{}/{}", room.tick_time_us_p50, room.tick_time_us_p99)),
            cell(by_rule(&room.refused_shots_total)),
        ]
    });
    let names = [
        "room",
        "mode",
        "node",
        "state",
        "#players",
        "#monsters",
        "#tick",
        "up",
        "#tick us",
        "refused in all",
    ];
    out.table(&names, rows)
}

pub(super) async fn players(mut client: Client, only: Only, out: Out) -> Result<(), Failure> {
    let mut request = v1::ListPlayersRequest {
        room: only.room.unwrap_or_default(),
        mode: only.mode.unwrap_or_default(),
        node: only.node.unwrap_or_default(),
        player: String::new(),
        page_size: 1_000,
        page_token: String::new(),
    };
    let (mut players, mut missing) = (Vec::new(), Vec::new());
    loop {
        let page = client.list_players(request.clone()).await?.into_inner();
        players.extend(page.players);
        missing = [missing, page.nodes_missing].concat();
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = page.next_page_token;
    }
    warn_of(missing);
    if out.json {
        return out.json(&players);
    }
    let rows = players.into_iter().map(|player| {
        let latency = match (player.latency_ms, player.jitter_ms) {
            (Some(latency), Some(jitter)) => format!("{latency:.0}±{jitter:.0}"),
            _ => "-".into(),
        };
        vec![
            cell(player.player),
            cell(player.room),
            cell(player.mode),
            cell(player.node),
            judged(if player.alive { "alive" } else { "down" }, player.alive),
            cell(player.held_name),
            cell(player.address),
            cell(lasting(player.connected_s)),
            cell(format!("{:.0}", player.round_trip_ms)),
            cell(latency),
            cell(player.shots_accepted),
            cell(by_rule(&player.shots_refused)),
        ]
    });
    let names = [
        "player",
        "room",
        "mode",
        "node",
        "state",
        "held",
        "address",
        "connected",
        "#rtt ms",
        "#latency ms",
        "#accepted",
        "refused",
    ];
    out.table(&names, rows)
}

pub(super) async fn weapons(mut client: Client, mode: String, out: Out) -> Result<(), Failure> {
    let weapons = client.list_weapons(v1::ListWeaponsRequest { mode }).await?.into_inner().weapons;
    if out.json {
        return out.json(&weapons);
    }
    let rows = weapons.into_iter().map(|weapon| {
        vec![cell(weapon.id), cell(weapon.name), cell(weapon.slot), cell(weapon.clip_size)]
    });
    out.table(&["#id", "name", "#slot", "#clip"], rows)
}

fn warn_of(mut missing: Vec<String>) {
    missing.sort();
    missing.dedup();
    if !missing.is_empty() {
        eprintln!("warning: no answer from {}: what is there is missing", missing.join(", "));
    }
}
