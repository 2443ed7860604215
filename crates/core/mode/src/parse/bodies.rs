//! Bodies of players and monsters, and how they move.

use super::section::Section;
use crate::{Body, HitZone, Monster, Movement, ZoneShape};

pub(super) fn body(root: &Section<'_>) -> Body {
    let Some(section) = root.table("body") else { return Body::default() };
    let height_m = height(&section);
    let eye_height_m = section.number("eye_height_m");
    if eye_height_m > height_m {
        let expected = format!("at most the body's height of {height_m} m");
        section.fault("eye_height_m", expected, eye_height_m.to_string());
    }
    Body {
        radius_m: section.number("radius_m"),
        height_m,
        eye_height_m,
        health: section.number("health"),
        zones: zones(&section),
    }
}

pub(super) fn movement(root: &Section<'_>) -> Movement {
    let Some(section) = root.table("movement") else { return Movement::default() };
    Movement {
        run_speed_m_s: section.number("run_speed_m_s"),
        acceleration_m_s2: section.number("acceleration_m_s2"),
        air_acceleration_m_s2: section.number("air_acceleration_m_s2"),
        jump_speed_m_s: section.number("jump_speed_m_s"),
        gravity_m_s2: section.number("gravity_m_s2"),
        step_height_m: section.number("step_height_m"),
    }
}

pub(super) fn monsters(root: &Section<'_>) -> Vec<Monster> {
    let sections = root.tables("monsters");
    unique_names(&sections);
    sections
        .iter()
        .map(|section| Monster {
            name: section.text("name"),
            count: section.count_u16("count"),
            health: section.number("health"),
            radius_m: section.number("radius_m"),
            height_m: height(section),
            speed_m_s: section.number("speed_m_s"),
            reach_m: section.number("reach_m"),
            damage: section.number("damage"),
            strikes_per_second: section.number("strikes_per_second"),
            respawn_delay_s: section.number("respawn_delay_s"),
            zones: zones(section),
        })
        .collect()
}

/// Tells every name that an earlier table of the list has.
pub(super) fn unique_names(sections: &[Section<'_>]) {
    let mut names: Vec<(String, usize)> = Vec::new();
    for section in sections {
        let Some((name, at)) = section.text_if_any("name") else { continue };
        match names.iter().find(|(known, _)| *known == name) {
            Some((_, line)) => {
                let found = format!("{name:?}, the name of the one in line {line}");
                section.fault("name", "a name of its own", found);
            }
            None => names.push((name, section.source.place(at.start).0)),
        }
    }
}

fn height(section: &Section<'_>) -> f32 {
    let (radius_m, height_m) = (section.number("radius_m"), section.number("height_m"));
    if height_m < 2.0 * radius_m {
        let expected = format!("at least twice the radius of {radius_m} m");
        section.fault("height_m", expected, height_m.to_string());
    }
    height_m
}

fn zones(body: &Section<'_>) -> Vec<HitZone> {
    let sections = body.tables("zones");
    unique_names(&sections);
    sections
        .iter()
        .map(|section| {
            let (at_m, radius_m) = (section.point("at_m"), section.number("radius_m"));
            HitZone {
                name: section.text("name"),
                multiplier: section.number("multiplier"),
                shape: match section.point_if_any("to_m") {
                    Some(to_m) => ZoneShape::Capsule { from_m: at_m, to_m, radius_m },
                    None => ZoneShape::Sphere { at_m, radius_m },
                },
            }
        })
        .collect()
}
