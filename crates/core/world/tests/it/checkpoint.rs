//! A history saved and loaded is the same history; bytes that are none are an error.

use crate::common::{history, mode, player};
use fairshot_mode::Mode;
use fairshot_units::{EntityKind, EntityState, Life, Tick, ViewStep};
use fairshot_world::{History, LoadError, TargetShapes};
use glam::Vec3;
use proptest::prelude::*;
use std::sync::Arc;

fn load(mode: &Mode, bytes: &[u8]) -> Result<History, LoadError> {
    History::load(mode, Arc::new(TargetShapes::new(mode)), bytes)
}

/// The standard room: 4 players who run about, 40 monsters that follow.
fn crowd(tick: u32) -> Vec<EntityState> {
    (0..44u16)
        .map(|id| {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let t = tick as f32 / 64.0;
            let own = f32::from(id);
            let turn = t * (0.3 + own * 0.01) + own;
            let place = Vec3::new(turn.sin() * (5.0 + own), 0.0, turn.cos() * (5.0 + own));
            let mut state = player(id, 1, place);
            if id >= 4 {
                state.kind = EntityKind::Monster(0);
            }
            state.pose.yaw = fairshot_units::quantise_yaw(turn);
            state.health_eighths = if tick.is_multiple_of(16) { 700 } else { 720 };
            state
        })
        .collect()
}

#[test]
fn the_standard_rooms_second_fits_in_24_kib() {
    let mode = mode(2, 0.4, Vec::new());
    let mut history = history(&mode);
    for tick in 0..200 {
        history.record(Tick(tick), &crowd(tick));
    }
    let bytes = history.save();
    assert!(bytes.len() < 24 * 1024, "{} bytes", bytes.len());
    assert!(history.memory_bytes() < 64 * 1024, "{} bytes in memory", history.memory_bytes());
    assert_eq!(load(&mode, &bytes).unwrap().save(), bytes);
}

#[test]
fn bytes_of_another_mode_version_or_length_are_refused_by_name() {
    let sent = mode(2, 0.4, Vec::new());
    let mut history = history(&sent);
    for tick in 0..200 {
        history.record(Tick(tick), &crowd(tick));
    }
    let bytes = history.save();
    let label = |mode: &Mode, bytes: &[u8]| load(mode, bytes).unwrap_err().label();
    assert_eq!(label(&mode(1, 0.4, Vec::new()), &bytes), "mode");
    assert_eq!(label(&sent, &[&bytes[..], &[0]].concat()), "long");
    assert_eq!(label(&sent, &[&[9], &bytes[1..]].concat()), "version");
    for cut in 0..bytes.len() {
        assert!(load(&sent, &bytes[..cut]).is_err());
    }
    assert_eq!(label(&sent, &[]), "short");
}

/// Any row at all: ids that come and go, lives, deaths, teleports, odd poses.
fn row() -> impl Strategy<Value = Vec<EntityState>> {
    type Parts = (u16, u16, [i16; 3], u32, (u16, i16));
    let state = (0..20u16, 0..3u16, any::<[i16; 3]>(), any::<u32>(), any::<(u16, i16)>());
    prop::collection::btree_map(0..20u16, state, 0..12).prop_map(|row| {
        let state = |(id, parts): (u16, Parts)| {
            let (odd, life, place, traits, (yaw, pitch)) = parts;
            let mut state = player(id, life, Vec3::ZERO);
            state.pose.position = place.map(i32::from);
            (state.pose.yaw, state.pose.pitch) = (yaw, pitch);
            state.traits = traits;
            state.alive = odd % 4 != 0;
            state.teleported = odd % 5 == 0;
            if odd % 3 == 0 {
                state.kind = EntityKind::Monster(0);
            }
            state
        };
        row.into_iter().map(state).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_loaded_history_answers_and_goes_on_as_the_saved_one(
        every in 1..6u16, start in any::<u32>(), rows in prop::collection::vec(row(), 1..160),
        more in prop::collection::vec(row(), 1..20),
    ) {
        let mode = mode(every, 0.4, Vec::new());
        let mut history = history(&mode);
        let mut tick = Tick(start);
        for row in &rows {
            history.record(tick, row);
            tick = tick.next();
        }
        let bytes = history.save();
        let mut loaded = load(&mode, &bytes).unwrap();
        prop_assert_eq!(&loaded.save(), &bytes);
        for row in &more {
            for back in 0..70 * 4u32 {
                let at = ViewStep::at(tick - 1).back(f64::from(back) / 4.0);
                for id in 0..20 {
                    let entity = fairshot_units::EntityId(id);
                    prop_assert_eq!(loaded.past(entity, at), history.past(entity, at));
                }
            }
            history.record(tick, row);
            loaded.record(tick, row);
            tick = tick.next();
        }
        prop_assert_eq!(loaded.save(), history.save());
    }

    #[test]
    fn no_bytes_break_the_loader(
        bytes in prop::collection::vec(any::<u8>(), 0..400), flips in prop::collection::vec(any::<(u16, u8)>(), 0..4),
    ) {
        let mode = mode(2, 0.4, Vec::new());
        let _ = load(&mode, &bytes);
        let mut history = history(&mode);
        for tick in 0..20 {
            history.record(Tick(tick), &crowd(tick));
        }
        let mut saved = history.save();
        for (at, flip) in flips {
            let at = usize::from(at) % saved.len();
            saved[at] ^= flip;
        }
        if let Ok(loaded) = load(&mode, &saved) {
            for back in 0..20 {
                let at = ViewStep::at(Tick(19)).back(f64::from(back));
                let _ = loaded.past(fairshot_units::EntityId(3), at).map(|past| past.life == Life(1));
            }
        }
    }
}
