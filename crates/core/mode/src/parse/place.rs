//! Boxes and spawns, and whether a body has room where it enters.

use super::section::Section;
use super::words::nearest;
use crate::{Arena, Block, Bounds, HeightFieldFile, MeshFile, Mover, MoverWay, SpawnPoint, Team};
use glam::Vec3;
use std::ops::Range;
use toml::Spanned;
use toml::de::DeTable;

pub(super) fn blocks(arena: &Section<'_>, bounds: &Bounds) -> Vec<Block> {
    let sections = arena.tables("blocks");
    sections.iter().map(|section| block(section, bounds)).collect()
}

fn block(section: &Section<'_>, bounds: &Bounds) -> Block {
    let size_m = section.point_if_any("size_m");
    if let Some(size_m) = size_m
        && !size_m.cmpgt(Vec3::ZERO).all()
    {
        section.fault("size_m", "each size over 0 m", size_m.to_string());
    }
    let centre_m = section.point_if_any("centre_m");
    within(section, "centre_m", centre_m, bounds);
    Block {
        centre_m: centre_m.unwrap_or_default(),
        half_m: size_m.unwrap_or(Vec3::ONE) / 2.0,
        yaw_rad: section.radians("yaw_deg"),
    }
}

pub(super) fn height_fields(arena: &Section<'_>) -> Vec<HeightFieldFile> {
    let read = |section: &Section<'_>| HeightFieldFile {
        file: section.file("file"),
        corner_m: section.point("corner_m"),
        cell_m: section.number("cell_m"),
        columns: section.count_u16("columns"),
        height_m: section.number("height_m"),
    };
    arena.tables("height_fields").iter().map(read).collect()
}

pub(super) fn meshes(arena: &Section<'_>) -> Vec<MeshFile> {
    let read = |section: &Section<'_>| MeshFile {
        file: section.file("file"),
        position_m: section.point("position_m"),
        yaw_rad: section.radians("yaw_deg"),
    };
    arena.tables("meshes").iter().map(read).collect()
}

pub(super) fn movers(arena: &Section<'_>, bounds: &Bounds) -> Vec<Mover> {
    let sections = arena.tables("movers");
    super::bodies::unique_names(&sections);
    sections.iter().map(|section| mover(section, bounds)).collect()
}

fn mover(section: &Section<'_>, bounds: &Bounds) -> Mover {
    let block = block(section, bounds);
    let to_m = section.point_if_any("to_m");
    within(section, "to_m", to_m, bounds);
    if to_m == Some(block.centre_m) {
        section.fault("to_m", "another place than centre_m", block.centre_m.to_string());
    }
    for needs_a_way in ["speed_m_s", "wait_s", "opens_within_m"] {
        if section.has(needs_a_way) && !section.has("to_m") {
            section.fault(needs_a_way, "to_m beside it", "none");
        }
    }
    let way = to_m.map(|to_m| MoverWay {
        to_m,
        speed_m_s: section.number("speed_m_s"),
        wait_s: section.number("wait_s"),
        opens_within_m: section.number_if_any("opens_within_m"),
    });
    Mover { name: section.text("name"), block, way }
}

pub(super) fn spawns(root: &Section<'_>, arena: &Arena, teams: &[Team]) -> Vec<SpawnPoint> {
    let radius_m = root.table("body").map_or(0.4, |body| body.number("radius_m"));
    let height_m = root.table("body").map_or(1.8, |body| body.number("height_m"));
    let sections = root.tables("spawns");
    let spawns: Vec<SpawnPoint> = sections
        .iter()
        .map(|section| {
            let position_m = section.point_if_any("position_m");
            within(section, "position_m", position_m, &arena.bounds);
            if let Some(feet_m) = position_m
                && let Some(index) = arena
                    .blocks
                    .iter()
                    .position(|block| overlaps(block, feet_m, radius_m, height_m))
            {
                let found = format!("{feet_m} inside arena.blocks[{index}]");
                section.fault("position_m", "room for a body", found);
            }
            let position_m = position_m.unwrap_or_default();
            SpawnPoint {
                position_m,
                yaw_rad: section.radians("yaw_deg"),
                team: team(section, teams),
            }
        })
        .collect();
    for (index, team) in teams.iter().enumerate() {
        let serves = |spawn: &SpawnPoint| spawn.team.is_none_or(|t| usize::from(t) == index);
        if !spawns.is_empty() && !spawns.iter().any(serves) {
            let expected = format!("a spawn of team {:?}, or one for everybody", team.name);
            root.fault("spawns", expected, "none");
        }
    }
    spawns
}

/// Where a key stands in a text, or the nearest table above it that does.
pub(super) fn of_key(text: &Spanned<DeTable<'_>>, key: &str) -> Range<usize> {
    let mut at = 0..0;
    let mut table = Some(text.get_ref());
    for part in key.split('.') {
        let (name, index) = match part.split_once('[') {
            Some((name, index)) => (name, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let Some(found) = table.and_then(|table| table.get(name)) else { break };
        let item = index.and_then(|index| found.get_ref().as_array()?.get(index));
        let value = item.unwrap_or(found);
        at = value.span();
        table = value.get_ref().as_table();
    }
    at
}

fn team(section: &Section<'_>, teams: &[Team]) -> Option<u8> {
    let (name, _) = section.text_if_any("team")?;
    let index = teams.iter().position(|team| team.name == name);
    if index.is_none() {
        let names = teams.iter().map(|team| team.name.as_str());
        let expected = match nearest(&name, names.clone()) {
            Some(near) => format!("a team of this mode (did you mean {near:?}?)"),
            None if teams.is_empty() => "no team, since the mode has none".to_owned(),
            None => format!("one of {}", names.collect::<Vec<_>>().join(", ")),
        };
        section.fault("team", expected, format!("{name:?}"));
    }
    index.and_then(|index| u8::try_from(index).ok())
}

fn within(section: &Section<'_>, name: &str, point_m: Option<Vec3>, bounds: &Bounds) {
    if let Some(point_m) = point_m
        && !bounds.contains(point_m)
    {
        let expected = format!("a point within the bounds {} to {}", bounds.min_m, bounds.max_m);
        section.fault(name, expected, point_m.to_string());
    }
}

/// Whether an upright cylinder round the body meets the box.
fn overlaps(block: &Block, feet_m: Vec3, radius_m: f32, height_m: f32) -> bool {
    let away_m = feet_m - block.centre_m;
    // The box's own x and z axes after a turn to the left by its yaw.
    let (sin, cos) = block.yaw_rad.sin_cos();
    let x_m = away_m.x * cos - away_m.z * sin;
    let z_m = away_m.x * sin + away_m.z * cos;
    let gap_x_m = (x_m.abs() - block.half_m.x).max(0.0);
    let gap_z_m = (z_m.abs() - block.half_m.z).max(0.0);
    let beside = gap_x_m.hypot(gap_z_m) < radius_m;
    // A body that stands on the box touches it and does not overlap it.
    let above = away_m.y >= block.half_m.y - 0.001;
    let below = away_m.y + height_m <= -block.half_m.y;
    beside && !above && !below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_beside_on_or_under_a_box_has_room_and_one_inside_has_none() {
        let block = Block {
            centre_m: Vec3::new(0.0, 1.0, 0.0),
            half_m: Vec3::new(3.0, 1.0, 0.5),
            yaw_rad: std::f32::consts::FRAC_PI_2,
        };
        let overlaps = |x, y, z| overlaps(&block, Vec3::new(x, y, z), 0.4, 1.8);
        assert!(overlaps(0.0, 0.0, 2.9), "turned, its long side lies along z");
        assert!(!overlaps(2.9, 0.0, 0.0));
        assert!(overlaps(0.8, 0.0, 0.0), "closer than the body's radius");
        assert!(!overlaps(0.0, 2.0, 0.0), "on top of it");
        assert!(overlaps(0.0, 1.9, 0.0));
    }
}
