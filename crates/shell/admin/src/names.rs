//! Names as people type them: upper and lower case are the same, and a near miss is told what it missed.

use fairshot_cluster::control::{ControlError, WeaponEntry};
use fairshot_proto::v1::{WeaponRef, weapon_ref};
use fairshot_units::WeaponId;

/// Likeness below which a name is no help.
const LIKENESS_MIN: f64 = 0.6;

/// The weapon meant; `weapons` are those of the player's mode.
pub(crate) fn weapon(
    weapons: &[WeaponEntry],
    meant: Option<&WeaponRef>,
) -> Result<WeaponId, ControlError> {
    match meant.and_then(|meant| meant.weapon.as_ref()) {
        None => Err(ControlError::invalid("weapon", "neither an id nor a name is given")),
        Some(weapon_ref::Weapon::Id(id)) => {
            let known = u8::try_from(*id)
                .ok()
                .map(WeaponId)
                .filter(|id| *id == WeaponId::FISTS || weapons.iter().any(|w| w.id == *id));
            known.ok_or_else(|| ControlError::invalid("weapon", format!("no weapon has id {id}")))
        }
        Some(weapon_ref::Weapon::Name(name)) => {
            let same = weapons.iter().find(|weapon| weapon.name.eq_ignore_ascii_case(name));
            if let Some(weapon) = same {
                return Ok(weapon.id);
            }
            if name.eq_ignore_ascii_case("fists") {
                return Ok(WeaponId::FISTS);
            }
            let names = weapons.iter().map(|weapon| weapon.name.as_str());
            Err(ControlError::invalid("weapon", missed("weapon", name, names)))
        }
    }
}

/// "no KIND `typed`; did you mean `X`", or without the question where nothing is near.
pub(crate) fn missed<'a>(kind: &str, typed: &str, names: impl Iterator<Item = &'a str>) -> String {
    match closest(typed, names) {
        Some(name) => format!("no {kind} `{typed}`; did you mean `{name}`"),
        None => format!("no {kind} `{typed}`"),
    }
}

/// The name most like what was typed: one it begins or contains wins over one that is spelled alike.
fn closest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = plain(typed);
    if wanted.is_empty() {
        return None;
    }
    let likeness = |name: &str| {
        let name = plain(name);
        let alike = strsim::jaro_winkler(&wanted, &name);
        let contains = if name.starts_with(&wanted) {
            2.0
        } else if name.contains(&wanted) {
            1.0
        } else if abbreviates(&wanted, &name) {
            0.5
        } else {
            0.0
        };
        contains + alike
    };
    names
        .map(|name| (likeness(name), name))
        .filter(|(likeness, _)| *likeness >= LIKENESS_MIN)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// Whether the letters stand in the name in that order, from its first: `deagle` of `deserteagle`.
fn abbreviates(short: &str, name: &str) -> bool {
    let mut rest = name.chars();
    short.len() >= 3
        && name.chars().next() == short.chars().next()
        && short.chars().all(|wanted| rest.any(|c| c == wanted))
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshot_units::SlotIndex;

    fn arsenal() -> Vec<WeaponEntry> {
        [(22, "Colt 45"), (24, "Desert Eagle"), (30, "AK-47"), (31, "M4"), (34, "Sniper Rifle")]
            .into_iter()
            .map(|(id, name)| WeaponEntry {
                id: WeaponId(id),
                name: name.into(),
                slot: SlotIndex::new(5).expect("a slot"),
                clip_size: 30,
            })
            .collect()
    }

    fn named(name: &str) -> Result<WeaponId, String> {
        let meant = WeaponRef { weapon: Some(weapon_ref::Weapon::Name(name.into())) };
        weapon(&arsenal(), Some(&meant)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_weapon_is_found_by_its_name_in_any_case() {
        assert_eq!(named("AK-47"), Ok(WeaponId(30)));
        assert_eq!(named("ak-47"), Ok(WeaponId(30)));
        assert_eq!(named("fists"), Ok(WeaponId(0)));
    }

    #[test]
    fn a_near_miss_is_told_what_it_missed() {
        for (typed, meant) in [
            ("ak", "AK-47"),
            ("ak47", "AK-47"),
            ("deagle", "Desert Eagle"),
            ("sniper", "Sniper Rifle"),
            ("colt", "Colt 45"),
        ] {
            let error = named(typed).expect_err(typed);
            assert_eq!(error, format!("weapon: no weapon `{typed}`; did you mean `{meant}`"));
        }
        assert_eq!(named("zzzz"), Err("weapon: no weapon `zzzz`".into()));
        assert_eq!(named(""), Err("weapon: no weapon ``".into()));
    }

    #[test]
    fn an_id_must_be_one_of_the_mode_s() {
        let by_id = |id| {
            let meant = WeaponRef { weapon: Some(weapon_ref::Weapon::Id(id)) };
            weapon(&arsenal(), Some(&meant)).map_err(|error| error.to_string())
        };
        assert_eq!(by_id(31), Ok(WeaponId(31)));
        assert_eq!(by_id(0), Ok(WeaponId(0)));
        assert_eq!(by_id(200), Err("weapon: no weapon has id 200".into()));
        assert_eq!(by_id(256), Err("weapon: no weapon has id 256".into()));
    }
}
