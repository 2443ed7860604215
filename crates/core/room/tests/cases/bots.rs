//! Room bots: they make up what humans leave free, and play by everybody's rules.

use crate::kit::{A, B, Range, gun, mode};
use fairshot_mode::{
    Ammunition, Bots, Catalogue, Grant, Judge, Mode, Monster, SpawnPoint, Team, Weapon, WeaponKind,
};
use fairshot_room::{Event, HitSource};
use fairshot_units::{EntityId, SlotIndex, WeaponId};
use glam::Vec3;

fn with_bots(fill: u16, weapons: Vec<Weapon>) -> Mode {
    let mut settings = mode(weapons);
    settings.bots = Bots { fill, ..Bots::default() };
    settings.respawn_delay_s = 1.0;
    settings.snapshot_every_ticks = 2;
    settings.spawns = (0..4)
        .map(|n| SpawnPoint {
            position_m: Vec3::new(f32::from(n % 2_u8) * 20.0, 0.0, f32::from(n / 2) * 20.0),
            yaw_rad: 0.0,
            team: None,
        })
        .collect();
    settings
}

fn teams(mut settings: Mode) -> Mode {
    settings.teams = ["red", "blue"].map(|name| Team { name: name.to_owned() }).to_vec();
    settings
}

fn bots(range: &Range) -> Vec<EntityId> {
    let players = range.room.players().map(|(entity, _)| entity);
    players.filter(|entity| range.room.is_bot(*entity)).collect()
}

fn sizes(range: &Range) -> [usize; 2] {
    let players = |team| {
        let of = range.out.entities.iter().filter(|state| state.id.0 < 8 && state.team == team);
        of.count()
    };
    [players(0), players(1)]
}

#[test]
fn bots_play_while_a_human_is_there_and_give_up_their_seats() {
    let mut range = Range::new(with_bots(4, vec![gun(1)]), 1);
    range.run_to(20);
    assert_eq!(bots(&range), [], "no human, no bots");
    range.join(A, |_| Vec3::ZERO);
    range.tick();
    assert_eq!(bots(&range).len(), 3);
    let heartbeat = range.room.heartbeat(&mut Vec::new());
    assert_eq!((heartbeat.players, heartbeat.bots), (1, 3));
    // The second human takes a seat that a bot sits in, the third a free one.
    let taken = bots(&range)[0];
    range.join(taken, |_| Vec3::X * 5.0);
    range.tick();
    assert!(!range.room.is_bot(taken));
    assert_eq!(bots(&range).len(), 2);
    let left = range.out.events.iter().position(|e| *e == Event::Left { entity: taken });
    let joined = range
        .out
        .events
        .iter()
        .position(|e| matches!(e, Event::Joined { entity, .. } if *entity == taken));
    assert!(left.is_some() && left < joined, "clients hear of the one before the other");
    range.join(B, |_| Vec3::X * 9.0);
    range.tick();
    assert_eq!(bots(&range).len(), 1);
    for human in [A, B, taken] {
        range.input(fairshot_room::RoomInput::Leave { entity: human });
    }
    range.tick();
    assert_eq!(range.room.players().count(), 0, "with the last human they go");
}

#[test]
fn bots_even_out_the_teams() {
    let mut range = Range::new(teams(with_bots(6, vec![gun(1)])), 1);
    range.join_team(A, 0, Vec3::ZERO);
    range.tick();
    assert_eq!(sizes(&range), [3, 3]);
    range.join_team(B, 0, Vec3::X);
    range.tick();
    assert_eq!(sizes(&range), [3, 3], "a bot of her team made room");
    range.join_team(EntityId(2), 0, Vec3::X * 2.0);
    range.join_team(EntityId(3), 0, Vec3::X * 3.0);
    range.tick();
    assert_eq!(sizes(&range), [4, 2], "no bot is left that could go");
    range.input(fairshot_room::RoomInput::Leave { entity: A });
    range.tick();
    assert_eq!(sizes(&range), [3, 3]);
}

/// Runs so many ticks; which bots hit whom, and how many of their shots were refused.
fn watch(range: &mut Range, ticks: u32) -> (Vec<(EntityId, EntityId)>, u32, u32) {
    let (mut hit, mut fired, mut refused) = (Vec::new(), 0, 0);
    for _ in 0..ticks {
        range.tick();
        for verdict in range.verdicts() {
            fired += 1;
            refused += u32::from(!verdict.outcome.is_accepted());
        }
        for event in &range.out.events {
            if let Event::Hit(dealt) = event
                && matches!(dealt.weapon, HitSource::Weapon(_))
                && let Some(source) = dealt.source.filter(|source| range.room.is_bot(*source))
            {
                hit.push((source, dealt.target));
            }
        }
    }
    (hit, fired, refused)
}

#[test]
fn bots_hunt_each_other_in_a_free_for_all_and_are_never_refused() {
    let mut range = Range::new(with_bots(4, vec![gun(1)]), 1);
    range.join(A, |_| Vec3::new(90.0, 0.0, 90.0));
    let (hit, fired, refused) = watch(&mut range, 64 * 60);
    assert!(hit.len() > 50, "{} hits of {fired} shots", hit.len());
    assert_eq!(refused, 0, "of {fired}");
    assert!(range.room.counts().deaths > 3);
    assert!(fired as usize > hit.len(), "their aim is off now and then");
}

#[test]
fn bots_spare_their_team_and_go_for_monsters_and_the_other_side() {
    let mut settings = teams(with_bots(5, vec![gun(1)]));
    settings.friendly_fire = true;
    settings.monsters = vec![Monster { count: 3, ..Monster::default() }];
    let mut range = Range::new(settings, 1);
    range.join_team(A, 0, Vec3::new(90.0, 0.0, 90.0));
    let (hit, _, refused) = watch(&mut range, 64 * 30);
    assert_eq!(refused, 0);
    assert!(hit.iter().any(|(_, target)| target.0 >= 8), "monsters");
    assert!(hit.iter().any(|(_, target)| target.0 < 8), "players");
    // With friendly fire on a mate may walk into the line, but nobody takes aim at one.
    let mates = hit.iter().filter(|(from, to)| range.room.scene().are_allies(*from, *to)).count();
    assert!(mates * 10 < hit.len(), "{mates} of {}", hit.len());
}

#[test]
fn a_bot_has_the_loadouts_rounds_and_no_more() {
    let mut settings = with_bots(2, vec![gun(1)]);
    settings.ammunition = Ammunition::Ledger;
    settings.loadout = vec![Grant { weapon: WeaponId(1), rounds: 7, armed: true }];
    settings.body.health = 8000.0;
    let mut range = Range::new(settings, 1);
    range.join(A, |_| Vec3::new(3.0, 0.0, 0.0));
    let (hit, fired, refused) = watch(&mut range, 64 * 20);
    assert_eq!((fired, refused), (7, 0));
    assert!(!hit.is_empty());
    assert!(range.out.orders.iter().all(|(entity, _)| *entity == A), "a bot has no inventory");
}

#[test]
fn bots_use_the_weapons_they_are_told_to_and_every_kind_that_fires() {
    let kinds = [
        gun(1),
        Weapon { kind: WeaponKind::Projectile, speed_m_s: 60.0, ..gun(2) },
        Weapon { kind: WeaponKind::Continuous, ..gun(3) },
        Weapon { judge: Judge::Client, ..gun(4) },
    ];
    for used in 1..=4_u8 {
        let mut settings = with_bots(3, Vec::new());
        settings.weapons =
            Catalogue::new(kinds.to_vec(), [false; SlotIndex::COUNT]).expect("four weapons");
        settings.bots.weapons = vec![WeaponId(used)];
        settings.bots.aim_error_rad = 0.0;
        let mut range = Range::new(settings, 1);
        range.join(A, |_| Vec3::new(90.0, 0.0, 90.0));
        let mut struck = 0;
        for _ in 0..64 * 20 {
            range.tick();
            for event in &range.out.events {
                if let Event::Hit(hit) = event {
                    assert_eq!(hit.weapon, HitSource::Weapon(WeaponId(used)));
                    struck += 1;
                }
            }
            assert!(range.verdicts().iter().all(|verdict| verdict.outcome.is_accepted()));
        }
        assert!(struck > 10, "weapon {used}: {struck}");
    }
}

#[test]
fn a_bot_does_not_fire_through_walls_or_before_it_could_react() {
    let mut settings = with_bots(2, vec![gun(1)]);
    settings.bots.reaction_s = 1.0;
    settings.movement.run_speed_m_s = 0.0;
    settings.movement.gravity_m_s2 = 0.0;
    let wall = crate::kit::wall(Vec3::new(-2.0, 5.0, 10.0), Vec3::new(0.1, 5.0, 40.0));
    settings.arena.blocks = vec![wall];
    let mut range = Range::new(settings, 1);
    range.join(A, |tick| Vec3::new(if tick < 200 { -20.0 } else { 10.0 }, 0.0, 5.0));
    let (_, fired, _) = watch(&mut range, 198);
    assert_eq!(fired, 0, "there is a wall between");
    let (_, fired, _) = watch(&mut range, 64);
    assert_eq!(fired, 0, "it has not seen her for a second");
    let (_, fired, _) = watch(&mut range, 64);
    assert!(fired > 0);
}
