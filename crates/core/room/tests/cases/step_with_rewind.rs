//! A game that drives its room itself: explicit shot times, and a query that changes nothing.

use crate::kit::{A, B, Range, V, gun, mode};
use fairshot_mode::Weapon;
use fairshot_room::{Event, QueryError, RejectedShot, ShotTime};
use fairshot_units::{Buttons, EntityId, Input, Tick, WeaponId};
use fairshot_world::RewindError;
use glam::Vec3;

const TRIGGER: Input = Input { forward: 0, right: 0, buttons: Buttons::FIRE, yaw: 0, pitch: 0 };

/// A shooter at the middle and a target that crosses her line of fire at tick `at`.
fn crossing(first: u32, at: u32) -> Range {
    let mut settings = mode(vec![Weapon { shots_per_second: 64.0, ..gun(1) }]);
    settings.body.health = 1000.0;
    settings.rules.rewind =
        Some(fairshot_mode::RewindRule { maximum_s: 0.25, ..Default::default() });
    let mut range = Range::new(settings, first);
    range.join(A, |_| Vec3::ZERO);
    range.join(V, move |tick| {
        let past = tick.wrapping_sub(at).cast_signed() as f32;
        Vec3::new(past, 0.0, -20.0)
    });
    range.tick();
    range.input(fairshot_room::RoomInput::Inventory { entity: A, held: WeaponId(1) });
    range
}

fn times(entity: EntityId, tick: u32) -> ShotTime {
    ShotTime { entity, tick: Tick(tick) }
}

fn hits(range: &Range) -> usize {
    range.out.events.iter().filter(|event| matches!(event, Event::Hit(_))).count()
}

fn drive(range: &mut Range, shots: &[ShotTime]) -> fairshot_room::RewindStep {
    let Range { room, out, .. } = range;
    room.step_with_rewind(&[(A, TRIGGER)], shots, out)
}

#[test]
fn a_moving_victim_is_hit_where_it_stood_at_the_shots_own_tick() {
    let mut range = crossing(80, 100);
    range.run_to(109);
    let step = drive(&mut range, &[times(A, 100)]);
    assert_eq!((step.fired.len(), hits(&range)), (1, 1));
    let step = drive(&mut range, &[times(A, 104)]);
    assert_eq!((step.fired.len(), hits(&range)), (1, 0));
    let step = drive(&mut range, &[]);
    assert_eq!((step.fired.len(), hits(&range)), (1, 0), "without a time, at the present");
}

#[test]
fn an_invalid_time_fires_nothing_and_spends_nothing_while_the_room_goes_on() {
    let mut range = crossing(80, 100);
    range.run_to(109);
    for (back, error) in
        [(-1_i32, RewindError::Future), (17, RewindError::Expired), (200, RewindError::Expired)]
    {
        let landing = range.room.tick_now().0 + 1;
        let time = times(A, landing.wrapping_sub(back.cast_unsigned()));
        let before = range.room.record(A).expect("a player").clone();
        let step = drive(&mut range, &[time]);
        assert_eq!(step.rejected, [RejectedShot { time, error }]);
        assert!(step.fired.is_empty() && range.verdicts().is_empty());
        assert_eq!(range.room.record(A).expect("a player"), &before);
        assert_eq!(range.out.entities.len(), 2, "the room goes on");
    }
    // The oldest readable: a quarter of a second, sixteen ticks.
    let now = range.room.tick_now().0 + 1;
    assert_eq!(drive(&mut range, &[times(A, now - 16)]).fired.len(), 1);
}

#[test]
fn a_time_before_anything_was_recorded_is_unavailable() {
    let mut range = crossing(100, 100);
    range.tick();
    let step = drive(&mut range, &[times(A, 95)]);
    assert_eq!(step.rejected[0].error, RewindError::Unavailable);
}

#[test]
fn the_first_time_of_a_player_wins_and_no_more_are_looked_at_than_there_are_seats() {
    let mut range = crossing(80, 100);
    range.run_to(109);
    drive(&mut range, &[times(A, 100), times(A, 105)]);
    assert_eq!(hits(&range), 1);
    // Eight seats, eight requests of others first: hers is not looked at, she fires at the present.
    let mut crowd = vec![times(B, 100); 8];
    crowd.push(times(A, 100));
    let step = drive(&mut range, &crowd);
    assert_eq!((step.fired.len(), step.rejected.len(), hits(&range)), (1, 0, 0));
}

#[test]
fn shot_times_work_across_the_wrap_of_the_tick() {
    let mut range = crossing(u32::MAX - 30, u32::MAX);
    range.run_to(5);
    drive(&mut range, &[times(A, u32::MAX)]);
    assert_eq!(hits(&range), 1);
}

#[test]
fn a_query_answers_without_changing_anything() {
    let mut range = crossing(80, 100);
    range.run_to(110);
    let before = range.room.save();
    let trace = range.room.rewind_hit_query(A, Tick(100), 0, 0, 90.0).expect("a trace");
    assert_eq!(trace.victim.map(|(entity, _)| entity), Some(V));
    assert_eq!(
        range.room.rewind_hit_query(A, Tick(106), 0, 0, 90.0).expect("a trace").victim,
        None
    );
    let refused = |attacker, tick, pitch| {
        range.room.rewind_hit_query(attacker, Tick(tick), 0, pitch, 90.0).expect_err("no answer")
    };
    assert_eq!(refused(B, 100, 0), QueryError::Attacker);
    assert_eq!(refused(A, 100, 20_000), QueryError::Aim);
    assert_eq!(refused(A, 111, 0), QueryError::Time(RewindError::Future));
    assert_eq!(refused(A, 40, 0), QueryError::Time(RewindError::Expired));
    assert_eq!(range.room.save(), before);
}
