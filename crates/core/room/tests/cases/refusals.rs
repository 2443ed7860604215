//! A game's own rules, and what a refusal leaves behind.

use fairshot_judge::{GameRule, Reason, ShotCheck};
use fairshot_mode::{Mode, Rules, Setting, Weapon};
use fairshot_room::{Game, LogRecord, PlainGame, Room, RoomInput, RoomSetup, Shot, TickOutput};
use fairshot_units::{EntityId, MessageNumber, PlayerId, RoomId, Rule, WeaponId};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::borrow::Cow;
use std::sync::Arc;

use crate::kit::{at, gun, mode};

type Check = fn(&mut ShotCheck<'_>) -> Option<Cow<'static, str>>;

struct Ruled(&'static [(&'static str, Check)]);

impl Game for Ruled {
    fn rules(&self) -> Vec<GameRule> {
        self.0.iter().map(|(name, check)| GameRule::new(name, *check)).collect()
    }
}

/// One shot in a room with these rules; every tick's output after it.
fn shoot(settings: Mode, game: Box<dyn Game>, origin_m: Vec3) -> (Room, TickOutput) {
    let world = Arc::new(StaticWorld::build(&settings.arena));
    let setup = RoomSetup::new(RoomId::new("r").expect("an id"), Arc::new(settings), world, 1);
    let mut room = Room::new(&setup, game);
    let mut out = TickOutput::default();
    let entity = EntityId(0);
    let player = PlayerId::new("p").expect("an id");
    room.tick(&[RoomInput::Join { entity, player, team: None }], &mut out);
    let shot = RoomInput::Shot(Shot {
        entity,
        life: room.life(entity).expect("in the room"),
        claim: fairshot_judge::Claim {
            number: MessageNumber(1),
            weapon: WeaponId(1),
            view: at(1),
            origin_m,
            direction: Vec3::NEG_Z,
            names: Vec::new(),
        },
        ruling: fairshot_judge::LedgerRuling::Accepted,
        frame: MessageNumber(0),
    });
    room.tick(&[shot], &mut out);
    (room, out)
}

const MUZZLE: Vec3 = Vec3::new(0.0, 1.0, 0.0);
const FAR: Vec3 = Vec3::new(4.0, 0.9, 0.0);

fn refused_by(out: &TickOutput) -> Option<Rule> {
    out.judgement.verdicts[0].outcome.refused_by()
}

#[test]
fn a_games_own_rule_refuses_under_its_own_name_and_in_its_own_words() {
    let game = Ruled(&[("safe_zone", |check| {
        (check.shooter.feet_m.length() < 10.0).then_some("fired from the safe zone".into())
    })]);
    let (_, out) = shoot(mode(vec![gun(1)]), Box::new(game), MUZZLE);
    assert_eq!(refused_by(&out), Some(Rule::Game("safe_zone")));
    assert!(out.log.iter().any(|line| matches!(
        line,
        LogRecord::ShotRefused { reason: Reason::Game(words), .. } if words == "fired from the safe zone"
    )));
}

#[test]
fn a_rule_that_panics_refuses_its_one_shot_and_is_reported() {
    let game = Ruled(&[("shaky", |_| panic!("a game's fault"))]);
    let (mut room, out) = shoot(mode(vec![gun(1)]), Box::new(game), MUZZLE);
    assert_eq!(refused_by(&out), Some(Rule::Game("shaky")));
    assert!(out.log.contains(&LogRecord::RulePanicked { rule: Rule::Game("shaky") }));
    let mut out = out;
    room.tick(&[], &mut out);
    assert_eq!(out.own.len(), 1, "the room goes on");
}

#[test]
fn a_rule_under_a_built_in_name_replaces_it_in_its_place() {
    let game = || Ruled(&[("origin", |_| None)]);
    let (_, out) = shoot(mode(vec![gun(1)]), Box::new(game()), FAR);
    assert_eq!(refused_by(&out), None);
    let (_, out) = shoot(mode(vec![gun(1)]), Box::new(PlainGame), FAR);
    assert_eq!(refused_by(&out), Some(Rule::Origin));
}

#[test]
fn a_weapon_may_turn_rules_off_a_games_own_among_them() {
    let mut rules = Rules { origin: None, ..Rules::default() };
    rules.game.insert("never".to_owned(), false);
    let lance = Weapon { rules, ..gun(1) };
    let game = Ruled(&[("never", |_| Some("never".into()))]);
    let (_, out) = shoot(mode(vec![lance]), Box::new(game), FAR);
    assert_eq!(refused_by(&out), None);
}

#[test]
fn a_refusal_tells_what_every_rule_measured() {
    let (_, out) = shoot(mode(vec![gun(1)]), Box::new(PlainGame), FAR);
    assert_eq!(refused_by(&out), Some(Rule::Origin));
    let measures: Vec<_> = out.judgement.verdicts[0].measures.iter().collect();
    let measured: Vec<(&str, bool)> =
        measures.iter().map(|measure| (measure.rule.label(), measure.passed)).collect();
    let passed = [("armed", true), ("late", true), ("held", true), ("ammo", true), ("rate", true)];
    assert_eq!(measured[..5], passed);
    assert_eq!(measured[5..], [("origin", false)]);
    let origin = measures.last().expect("a measure");
    assert!((origin.value - 4.0).abs() < 1e-5 && origin.limit == 2.5);
}

#[test]
fn a_game_rule_may_move_the_step_but_not_out_of_the_last_second() {
    let game = Ruled(&[("late_riser", |check| {
        check.step = check.step.back(-500.0);
        None
    })]);
    let (_, out) = shoot(mode(vec![gun(1)]), Box::new(game), MUZZLE);
    let verdict = &out.judgement.verdicts[0];
    assert_eq!(verdict.judged.tick, verdict.landed);
}

struct Reloading;

impl Game for Reloading {
    fn rules(&self) -> Vec<GameRule> {
        vec![GameRule::reload(fairshot_judge::ReloadRule { reload_s: 2.0, stall_s: 0.65 })]
    }
}

#[test]
fn a_game_that_times_reloads_holds_a_clip_until_one_could_have_ended() {
    let settings = mode(vec![Weapon { clip_size: 5, ..gun(1) }, gun(2)]);
    let (mut room, mut out) = shoot(settings, Box::new(Reloading), MUZZLE);
    let mut number = 1;
    let mut fire = |weapon: u8, after_ticks: u32, room: &mut Room| {
        (1..after_ticks).for_each(|_| room.tick(&[], &mut out));
        number += 1;
        let entity = EntityId(0);
        let shot = RoomInput::Shot(Shot {
            entity,
            life: room.life(entity).expect("in the room"),
            claim: fairshot_judge::Claim {
                number: MessageNumber(number),
                weapon: WeaponId(weapon),
                view: at(room.tick_now().0),
                origin_m: MUZZLE,
                direction: Vec3::NEG_Z,
                names: Vec::new(),
            },
            ruling: fairshot_judge::LedgerRuling::Accepted,
            frame: MessageNumber(0),
        });
        room.tick(&[shot], &mut out);
        refused_by(&out)
    };
    // One of the clip went before; four more, and it is empty.
    for _ in 0..4 {
        assert_eq!(fire(1, 10, &mut room), None);
    }
    assert_eq!(fire(1, 10, &mut room), Some(Rule::Reload));
    assert_eq!(fire(2, 10, &mut room), None, "another weapon has another clip");
    // 1.35 s of pause may have been 2 s on a line that held back the shot before it.
    assert_eq!(fire(1, 88, &mut room), None);
    for _ in 0..4 {
        assert_eq!(fire(1, 10, &mut room), None);
    }
    assert_eq!(fire(1, 10, &mut room), Some(Rule::Reload));
}

/// Fires a clip of five and one more, ten ticks apart: what refused the sixth.
fn sixth_of_a_clip_of_five(settings: Mode, game: Box<dyn Game>) -> Option<Rule> {
    let (mut room, mut out) = shoot(settings, game, MUZZLE);
    for number in 2..=6 {
        assert_eq!(refused_by(&out), None);
        (1..10).for_each(|_| room.tick(&[], &mut out));
        let entity = EntityId(0);
        let shot = RoomInput::Shot(Shot {
            entity,
            life: room.life(entity).expect("in the room"),
            claim: fairshot_judge::Claim {
                number: MessageNumber(number),
                weapon: WeaponId(1),
                view: at(room.tick_now().0),
                origin_m: MUZZLE,
                direction: Vec3::NEG_Z,
                names: Vec::new(),
            },
            ruling: fairshot_judge::LedgerRuling::Accepted,
            frame: MessageNumber(0),
        });
        room.tick(&[shot], &mut out);
    }
    refused_by(&out)
}

#[test]
fn reloads_are_timed_where_a_mode_or_a_weapon_says_so_over_what_the_game_registers() {
    let timed = Some(Setting::On(fairshot_mode::ReloadRule::default()));
    for (rule, game, refused) in [
        (timed, Box::new(PlainGame) as Box<dyn Game>, true),
        (None, Box::new(PlainGame), false),
        (None, Box::new(Reloading), true),
        (Some(Setting::Off), Box::new(Reloading), false),
    ] {
        let rules = Rules { reload: rule, ..Rules::default() };
        let settings = mode(vec![Weapon { clip_size: 5, rules, ..gun(1) }]);
        let refused_by = sixth_of_a_clip_of_five(settings, game);
        assert_eq!(refused_by, refused.then_some(Rule::Reload), "{rule:?}");
    }
    let rules = Rules { reload: timed, ..Rules::default() };
    let without_a_clip = mode(vec![Weapon { rules, ..gun(1) }]);
    assert_eq!(sixth_of_a_clip_of_five(without_a_clip, Box::new(PlainGame)), None);
}
