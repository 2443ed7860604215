//! A mode as the text of a file: to show the mode in force, to hand one on, and to hold a mode that was
//! built in code to everything a file is held to.

mod weapons;

use crate::{
    Ammunition, Block, Body, HitZone, Mode, ModeErrors, Monster, Mover, Rules, RulesOverlay,
    ZoneShape,
};
use glam::Vec3;
use toml::{Table, Value};

impl Mode {
    /// The mode as TOML that [`Mode::parse`] reads back, bit for bit.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut file = Table::new();
        file.insert("name".into(), self.name.as_str().into());
        file.insert("tick_hz".into(), self.tick_hz.into_value());
        file.insert("snapshot_every_ticks".into(), self.snapshot_every_ticks.into_value());
        file.insert("players_max".into(), self.players_max.into_value());
        let ammunition = match self.ammunition {
            Ammunition::Open => "open",
            Ammunition::Ledger => "ledger",
        };
        file.insert("ammunition".into(), ammunition.into());
        file.insert("friendly_fire".into(), self.friendly_fire.into());
        file.insert("respawn_delay_s".into(), number(self.respawn_delay_s));
        file.insert("interpolation_delay_max_s".into(), number(self.interpolation_delay_max_s));
        file.insert("carries_over_slots".into(), weapons::carries_over(&self.weapons));
        file.insert("arena".into(), arena(self));
        let teams = self.teams.iter().map(|team| table([("name", team.name.as_str().into())]));
        file.insert("teams".into(), teams.collect::<Vec<_>>().into());
        file.insert("spawns".into(), spawns(self));
        file.insert("body".into(), body(&self.body));
        file.insert("movement".into(), movement(self));
        file.insert(
            "monsters".into(),
            self.monsters.iter().map(monster).collect::<Vec<_>>().into(),
        );
        file.insert("bots".into(), weapons::bots(self));
        file.insert("weapons".into(), weapons::catalogue(self));
        file.insert("loadout".into(), weapons::loadout(self));
        let overlay = RulesOverlay::between(&Rules::default(), &self.rules);
        file.insert("rules".into(), weapons::rules(&overlay));
        file.to_string()
    }

    /// Holds a mode that was built in code to every range and check of a file.
    ///
    /// # Errors
    /// [`ModeErrors`] under the mode's name, with keys and without lines.
    pub fn check(&self) -> Result<(), ModeErrors> {
        match Self::parse(&self.name, &self.to_toml()) {
            Ok(_) => Ok(()),
            Err(mut errors) => {
                for error in &mut errors.0 {
                    (error.line, error.column) = (0, 0);
                }
                Err(errors)
            }
        }
    }
}

fn arena(mode: &Mode) -> Value {
    let arena = &mode.arena;
    let blocks = arena.blocks.iter().map(|at| Value::from(block(at)));
    let height_fields = arena.height_fields.iter().map(|field| {
        table([
            ("file", field.file.as_str().into()),
            ("corner_m", point(field.corner_m)),
            ("cell_m", number(field.cell_m)),
            ("columns", field.columns.into_value()),
            ("height_m", number(field.height_m)),
        ])
    });
    let meshes = arena.meshes.iter().map(|mesh| {
        table([
            ("file", mesh.file.as_str().into()),
            ("position_m", point(mesh.position_m)),
            ("yaw_deg", degrees(mesh.yaw_rad)),
        ])
    });
    table([
        ("min_m", point(arena.bounds.min_m)),
        ("max_m", point(arena.bounds.max_m)),
        ("blocks", blocks.collect::<Vec<_>>().into()),
        ("floor_m", number(arena.floor_m)),
        ("height_fields", height_fields.collect::<Vec<_>>().into()),
        ("meshes", meshes.collect::<Vec<_>>().into()),
        ("movers", arena.movers.iter().map(mover).collect::<Vec<_>>().into()),
    ])
}

fn block(block: &Block) -> Table {
    [
        ("centre_m", point(block.centre_m)),
        ("size_m", point(block.half_m * 2.0)),
        ("yaw_deg", degrees(block.yaw_rad)),
    ]
    .into_iter()
    .map(|(key, value)| (key.to_owned(), value))
    .collect()
}

fn mover(mover: &Mover) -> Value {
    let mut entry = block(&mover.block);
    entry.insert("name".into(), mover.name.as_str().into());
    if let Some(way) = &mover.way {
        entry.insert("to_m".into(), point(way.to_m));
        entry.insert("speed_m_s".into(), number(way.speed_m_s));
        entry.insert("wait_s".into(), number(way.wait_s));
        entry.extend(way.opens_within_m.map(|m| ("opens_within_m".to_owned(), number(m))));
    }
    entry.into()
}

fn spawns(mode: &Mode) -> Value {
    let spawns = mode.spawns.iter().map(|spawn| {
        let mut entry = Table::new();
        entry.insert("position_m".into(), point(spawn.position_m));
        entry.insert("yaw_deg".into(), degrees(spawn.yaw_rad));
        if let Some(team) = spawn.team {
            let name = mode.teams.get(usize::from(team)).map(|team| team.name.clone());
            entry.insert("team".into(), name.unwrap_or_else(|| format!("team_{team}")).into());
        }
        Value::from(entry)
    });
    spawns.collect::<Vec<_>>().into()
}

fn body(body: &Body) -> Value {
    table([
        ("radius_m", number(body.radius_m)),
        ("height_m", number(body.height_m)),
        ("eye_height_m", number(body.eye_height_m)),
        ("health", number(body.health)),
        ("zones", body.zones.iter().map(zone).collect::<Vec<_>>().into()),
    ])
}

fn movement(mode: &Mode) -> Value {
    let movement = mode.movement;
    table([
        ("run_speed_m_s", number(movement.run_speed_m_s)),
        ("acceleration_m_s2", number(movement.acceleration_m_s2)),
        ("air_acceleration_m_s2", number(movement.air_acceleration_m_s2)),
        ("jump_speed_m_s", number(movement.jump_speed_m_s)),
        ("gravity_m_s2", number(movement.gravity_m_s2)),
        ("step_height_m", number(movement.step_height_m)),
    ])
}

fn monster(monster: &Monster) -> Value {
    table([
        ("name", monster.name.as_str().into()),
        ("count", monster.count.into_value()),
        ("health", number(monster.health)),
        ("radius_m", number(monster.radius_m)),
        ("height_m", number(monster.height_m)),
        ("speed_m_s", number(monster.speed_m_s)),
        ("reach_m", number(monster.reach_m)),
        ("damage", number(monster.damage)),
        ("strikes_per_second", number(monster.strikes_per_second)),
        ("respawn_delay_s", number(monster.respawn_delay_s)),
        ("zones", monster.zones.iter().map(zone).collect::<Vec<_>>().into()),
    ])
}

fn zone(zone: &HitZone) -> Value {
    let mut entry = Table::new();
    entry.insert("name".into(), zone.name.as_str().into());
    entry.insert("multiplier".into(), number(zone.multiplier));
    let radius_m = match zone.shape {
        ZoneShape::Sphere { at_m, radius_m } => {
            entry.insert("at_m".into(), point(at_m));
            radius_m
        }
        ZoneShape::Capsule { from_m, to_m, radius_m } => {
            entry.insert("at_m".into(), point(from_m));
            entry.insert("to_m".into(), point(to_m));
            radius_m
        }
    };
    entry.insert("radius_m".into(), number(radius_m));
    entry.into()
}

fn table<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>().into()
}

fn point(point: Vec3) -> Value {
    point.to_array().map(number).to_vec().into()
}

fn degrees(radians: f32) -> Value {
    Value::Float(f64::from(radians).to_degrees())
}

/// The shortest decimal that reads back to the same 32 bits, rather than 0.10000000149.
fn number(number: f32) -> Value {
    Value::Float(number.to_string().parse().unwrap_or(f64::NAN))
}

/// Whole numbers, which TOML holds as 64 bits.
trait IntoValue {
    fn into_value(self) -> Value;
}

impl<T: Into<i64>> IntoValue for T {
    fn into_value(self) -> Value {
        Value::Integer(self.into())
    }
}
