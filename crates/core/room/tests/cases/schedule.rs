//! A runner through a stall: she never covers more than her speed times the ticks run.

use crate::kit::{A, Range, gun, mode};
use fairshot_room::{RoomInput, TickSchedule, credit_ticks_max};
use fairshot_units::Input;
use glam::Vec3;

const FORWARD: Input =
    Input { forward: 127, right: 0, buttons: fairshot_units::Buttons(0), yaw: 0, pitch: 0 };

fn runner() -> Range {
    let mut range = Range::new(mode(vec![gun(1)]), 1);
    range.join(A, |_| Vec3::new(0.0, 0.0, 90.0));
    range.tick();
    // From here on she moves by her own frames alone.
    range.script.lock().expect("one thread").paths.clear();
    range
}

fn place(range: &Range) -> Vec3 {
    range.out.own[0].position_m
}

#[test]
fn r24_a_runner_covers_no_more_than_her_speed_times_the_ticks_run() {
    let mut range = runner();
    let mut schedule = TickSchedule::new(64, 0);
    let tick_ns = 15_625_000_u64;
    let start = place(&range);
    let mut ticks_run = 0;
    let mut now_ns = 0;
    for wake in 0..(7 * 64_u64) {
        // A stall of two seconds after the second one.
        now_ns += if wake == 128 { 129 * tick_ns } else { tick_ns };
        let due = schedule.wake(now_ns);
        if due.dropped > 0 {
            range.input(RoomInput::TicksDropped { ticks: due.dropped });
        }
        // Her client ran on through the stall: its frames land together.
        for _ in 0..(due.run + due.dropped) {
            range.frame(A, FORWARD);
        }
        for _ in 0..due.run {
            range.tick();
            ticks_run += 1;
        }
    }
    let dropped = range.room.counts().ticks_dropped;
    assert!(dropped >= 112, "{dropped}");
    let covered = start.distance(place(&range));
    let most = 5.0 * (ticks_run as f32 + credit_ticks_max(64) as f32) / 64.0;
    assert!(covered <= most + 0.01, "{covered} m in {ticks_run} ticks");
}

#[test]
fn frames_that_a_stall_held_back_all_apply_in_the_tick_they_land() {
    let mut range = runner();
    range.run_to(60);
    let start = place(&range);
    for _ in 0..credit_ticks_max(64) {
        range.frame(A, FORWARD);
    }
    range.tick();
    let covered = start.distance(place(&range));
    // 42 ticks at 5 m/s, less the first few of getting up to speed.
    assert!(covered > 5.0 * 0.65 - 0.3 && covered < 5.0 * 0.66, "{covered}");
    assert_eq!(range.room.counts().frames_dropped, 0);
}

#[test]
fn frames_beyond_real_time_are_dropped_the_oldest_first() {
    let mut range = runner();
    range.run_to(100);
    for _ in 0..200 {
        range.frame(A, FORWARD);
    }
    let last = range.frame(A, FORWARD);
    range.tick();
    assert_eq!(range.room.counts().frames_dropped, 201 - u64::from(credit_ticks_max(64)));
    assert_eq!(range.out.own[0].applied, last, "those dropped count as heard");
    // A client at twice the speed gains nothing.
    let start = place(&range);
    for _ in 0..64 {
        range.frame(A, FORWARD);
        range.frame(A, FORWARD);
        range.tick();
    }
    assert!(start.distance(place(&range)) <= 5.01);
}

#[test]
fn frames_that_ride_in_several_datagrams_count_once_against_the_credit() {
    let mut range = runner();
    range.run_to(60);
    let start = place(&range);
    let life = range.room.life(A).expect("in the room");
    let held = fairshot_units::WeaponId::FISTS;
    // Three datagrams of a stall land together; each carries every frame not yet heard.
    for most in [38, 39, 40] {
        for number in 1..=most {
            let number = fairshot_units::MessageNumber(10_000 + number);
            let frame = fairshot_room::Frame {
                entity: A,
                life,
                number,
                input: FORWARD,
                held,
                firing: None,
            };
            range.input(RoomInput::Frame(frame));
        }
    }
    range.tick();
    assert_eq!(range.room.counts().frames_dropped, 0);
    assert!(start.distance(place(&range)) > 2.8);
}

#[test]
fn a_stall_of_0_65_s_is_ridden_out_at_any_tick_rate() {
    for tick_hz in [20, 64, 128] {
        let mut settings = mode(vec![gun(1)]);
        settings.tick_hz = tick_hz;
        let mut range = Range::new(settings, 1);
        range.join(A, |_| Vec3::ZERO);
        range.tick();
        range.script.lock().expect("one thread").paths.clear();
        range.run_to(200);
        for _ in 0..u32::from(tick_hz) * 65 / 100 {
            range.frame(A, FORWARD);
        }
        range.tick();
        assert_eq!(range.room.counts().frames_dropped, 0, "at {tick_hz} Hz");
        assert!(place(&range).length() > 5.0 * 0.65 - 0.4, "at {tick_hz} Hz");
    }
}

#[test]
fn a_repeated_frame_moves_nothing() {
    let mut range = runner();
    range.run_to(10);
    let number = range.frame(A, FORWARD);
    range.tick();
    let there = place(&range);
    let life = range.room.life(A).expect("in the room");
    let held = fairshot_units::WeaponId::FISTS;
    for _ in 0..5 {
        let frame =
            fairshot_room::Frame { entity: A, life, number, input: FORWARD, held, firing: None };
        range.input(RoomInput::Frame(frame));
        range.tick();
    }
    assert_eq!(place(&range), there);
}

#[test]
fn a_silent_player_hangs_in_the_air_no_longer_than_her_credit() {
    let mut range = Range::new(mode(vec![gun(1)]), 1);
    range.join(A, |_| Vec3::new(0.0, 20.0, 0.0));
    range.tick();
    range.script.lock().expect("one thread").paths.clear();
    range.run_to(40);
    assert_eq!(place(&range).y, 20.0);
    range.run_to(400);
    assert!(place(&range).y < 0.01, "{}", place(&range));
}
