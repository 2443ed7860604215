//! Every cheat against honest players, and beside an honest player in its place: what it got, it could
//! have had without.

use crate::games::{near, secs};
use fairshot_bots::{Bot, Cheat};
use fairshot_mode::{AmmoUse, Mode};
use fairshot_simulation::{Course, Match, Plan, Takings, play_all};
use fairshot_transport::link::Line;
use std::collections::BTreeMap;
use std::fmt;

const PLAYERS: usize = 2;
const SEEDS: [u64; 3] = [61, 62, 63];
const FIGHT_S: f64 = 20.0;
/// A player in her place with other luck does so much better now and then.
const LUCK: f64 = 1.25;

/// Who sits in the first seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Player {
    Honest,
    Lies(Cheat),
    /// Her clock runs a tenth too fast.
    FastClock,
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Honest => f.write_str("honest"),
            Self::Lies(cheat) => write!(f, "{cheat}"),
            Self::FastClock => f.write_str("fast-clock"),
        }
    }
}

/// What the first seat got, over all seeds.
#[derive(Debug)]
struct Got {
    damage: f64,
    shots: u64,
    launched: u64,
    way_m: f64,
    refused: BTreeMap<String, u64>,
    /// What may not be, whatever luck.
    broken: Vec<String>,
}

/// The arena with its crowd, and the window of rewind that competitive play has.
fn arena(seed: u64) -> Plan {
    let arena = Plan::preset("arena", 40, seed);
    let window = "maximum_s = 0.5\ntolerance_s = 0.2\ntransport_slack_s = 0.2";
    let grenade = "[[loadout]]\nweapon = \"grenade\"\nrounds = 1";
    let mode_text = format!("{}\n[rules.rewind]\n{window}\n{grenade}\n", arena.mode_text);
    let mode = Mode::parse("cheats.toml", &mode_text).expect("a good mode").with_monsters(40);
    Plan { mode_text, mode, seed }
}

fn play(plan: &Plan, player: Player) -> Got {
    let line = Line { loss: 0.01, ..near(35, 10) };
    let seed = plan.seed;
    let mut game = Match::played_by(plan, vec![Course::steady(line); PLAYERS], |n| {
        let cheat = match player {
            Player::Lies(cheat) if n == 0 => Some(cheat),
            _ => None,
        };
        Box::new(Bot::new(seed * 64 + n as u64, cheat))
    });
    if player == Player::FastClock {
        game.players[0].clock_gains_ppm = 100_000;
    }
    game.fight(secs(FIGHT_S));
    game.settle();
    let takings = game.host.takings[0].clone();
    let mut broken = over_the_rules(&plan.mode, &takings, game.host.room.tick_now().0);
    let findings = game.findings();
    let of_others: Vec<_> =
        findings.refused.iter().filter(|refused| refused.entity.0 != 0).collect();
    if !of_others.is_empty() {
        broken.push(format!("honest players were refused: {of_others:?}"));
    }
    for player in &game.players[1..] {
        let unanswered = player.client().stats().shots_unanswered();
        let lost = player.entity().is_none_or(|entity| {
            findings.ended.contains(&entity) || findings.diverged.contains(&entity)
        });
        if unanswered > 0 || lost {
            broken.push(format!("an honest player's {unanswered} shots unanswered, lost {lost}"));
        }
    }
    Got {
        damage: takings.damage,
        shots: takings.shots(),
        launched: takings.launched,
        way_m: takings.way_m,
        refused: game.players[0].client().stats().shots_refused.clone(),
        broken,
    }
}

/// What no player at all can have: more shots than her weapon fires and her lives were given, a longer way
/// than her legs go.
fn over_the_rules(mode: &Mode, takings: &Takings, ticks: u32) -> Vec<String> {
    let mut over = Vec::new();
    let hz = f64::from(mode.tick_hz);
    let seconds = f64::from(ticks) / hz;
    for weapon in mode.weapons.weapons() {
        let of_it = takings.accepted.iter().filter(|((_, id), _)| *id == weapon.id);
        let shots: u64 = of_it.clone().map(|(_, shots)| shots).sum();
        let rate = f64::from(weapon.shots_per_second);
        let most = rate * seconds + (rate * 0.65 + 1.0).max(2.0);
        if shots as f64 > most {
            over.push(format!("{shots} shots of {}, {most} at its rate", weapon.name));
        }
        let given = mode.loadout.iter().find(|given| given.weapon == weapon.id);
        let rounds = given.map_or(0, |given| u64::from(given.rounds));
        let counted = weapon.ammo == AmmoUse::PerShot;
        for ((life, _), shots) in of_it.filter(|(_, shots)| counted && **shots > rounds) {
            let name = &weapon.name;
            over.push(format!("{shots} shots of {name} in life {}, given {rounds}", life.0));
        }
    }
    // Her input credit is 0.65 s.
    let most_m = f64::from(mode.movement.run_speed_m_s) * (seconds + 0.65) * 1.001;
    if takings.way_m > most_m {
        over.push(format!("{} m, {most_m} at a run", takings.way_m));
    }
    over
}

/// The allowance is a weapon's, so an honest hand may fire each of them in turn as well: what holds here is
/// every weapon's own rate.
fn fires_everything(player: Player) -> bool {
    player == Player::Lies(Cheat::SwappedRapidFire)
}

fn play_seeds(player: Player) -> Got {
    let mut all: Option<Got> = None;
    for got in SEEDS.iter().map(|seed| play(&arena(*seed), player)) {
        match &mut all {
            None => all = Some(got),
            Some(all) => {
                all.damage += got.damage;
                all.shots += got.shots;
                all.launched += got.launched;
                all.way_m += got.way_m;
                all.broken.extend(got.broken);
                for (rule, count) in got.refused {
                    *all.refused.entry(rule).or_default() += count;
                }
            }
        }
    }
    all.expect("there are seeds")
}

#[test]
fn no_cheat_gains_over_an_honest_player_in_its_place_and_nobody_else_pays_for_it() {
    let lies = Cheat::ALL.iter().map(|cheat| Player::Lies(*cheat));
    let players: Vec<Player> =
        [Player::Honest, Player::FastClock].into_iter().chain(lies).collect();
    let got = play_all(&players, |player| play_seeds(*player));
    let honest = &got[0];
    let mut gains = Vec::new();
    println!("player | damage | accepted | launched | way m | refused");
    for (player, got) in players.iter().zip(&got) {
        let Got { damage, shots, launched, way_m, refused, broken } = got;
        println!("{player} | {damage:.0} | {shots} | {launched} | {way_m:.0} | {refused:?}");
        let lucky = *damage <= honest.damage * LUCK || fires_everything(*player);
        if !lucky || !broken.is_empty() {
            gains.push(format!("{player}: damage {damage:.0} to {:.0}; {broken:?}", honest.damage));
        }
    }
    assert!(honest.damage > 500.0 && honest.way_m > 50.0, "{honest:?}");
    assert!(gains.is_empty(), "{}", gains.join("\n"));
}

#[test]
fn where_a_rule_is_off_its_cheat_is_seen_to_gain() {
    let mut plan = arena(SEEDS[0]);
    plan.mode_text = format!("{}\n[rules]\nrate = false\n", plan.mode_text);
    plan.mode = Mode::parse("off.toml", &plan.mode_text).expect("a good mode").with_monsters(40);
    let got = play(&plan, Player::Lies(Cheat::RapidFire));
    assert!(got.broken.iter().any(|broken| broken.contains("at its rate")), "{got:?}");
    let honest = play(&plan, Player::Honest);
    assert!(honest.broken.is_empty() && got.damage > honest.damage * LUCK, "{honest:?} {got:?}");
}
