//! The files an arena names: read where they are what their keys say, and told by key where not.

use crate::common::mode;
use crate::scenery::glb;
use fairshot_mode::{Arena, HeightFieldFile, MeshFile};
use fairshot_world::{HEIGHTS_BYTES_MAX, StaticWorld, Surface};
use glam::Vec3;

fn arena() -> Arena {
    let mut arena = mode(2, 0.4, Vec::new()).arena;
    arena.height_fields.push(HeightFieldFile {
        file: "hill.r16".to_owned(),
        corner_m: Vec3::new(-10.0, 1.0, -10.0),
        cell_m: 20.0,
        columns: 2,
        height_m: 4.0,
    });
    arena.meshes.push(MeshFile {
        file: "maps/wall.glb".to_owned(),
        position_m: Vec3::new(30.0, 0.0, 0.0),
        yaw_rad: std::f32::consts::FRAC_PI_2,
    });
    arena
}

/// Two rows of two numbers: 0 at the least z, 65535 at the most.
fn slope() -> Vec<u8> {
    [0u16, 0, 65535, 65535].iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn read(file: &str, _most: u64) -> Result<Vec<u8>, String> {
    match file {
        "hill.r16" => Ok(slope()),
        "maps/wall.glb" => Ok(glb([0, 1, 2, 0, 2, 3], 12)),
        _ => Err("no such file".to_owned()),
    }
}

#[test]
fn terrain_and_meshes_stand_where_their_keys_put_them() {
    let world = StaticWorld::of_arena(&arena(), read).unwrap();
    for (z, height_m) in [(-9.9, 1.02), (0.0, 3.0), (9.9, 4.98)] {
        assert!((world.ground_m(0.5, z) - height_m).abs() < 0.01, "at z = {z}");
    }
    assert_eq!(world.ground_m(40.0, 40.0), 0.0);
    // The wall of the file stands at z = -5 across x; turned to the left it stands at x = -5 across z.
    let hit = world.cast(Vec3::new(20.0, 1.0, 0.3), Vec3::X, 40.0).unwrap();
    assert!(matches!(hit.surface, Surface::Triangle(_)));
    assert!((hit.distance_m - 5.0).abs() < 1e-3, "{hit:?}");
}

#[test]
fn a_file_that_cannot_be_used_is_told_by_its_key() {
    let told = |arena: &Arena, read: &dyn Fn(&str) -> Result<Vec<u8>, String>| {
        let error = StaticWorld::of_arena(arena, |file, _| read(file)).unwrap_err();
        (error.key, error.file, error.error.label())
    };
    let heights = || "arena.height_fields[0].file".to_owned();
    let meshes = || "arena.meshes[0].file".to_owned();
    let (hill, wall) = (|| "hill.r16".to_owned(), || "maps/wall.glb".to_owned());
    for (file, bytes, expected) in [
        ("hill.r16", Err("gone".to_owned()), (heights(), hill(), "unread")),
        ("hill.r16", Ok(vec![0; 9]), (heights(), hill(), "heights")),
        ("hill.r16", Ok(vec![0; 4]), (heights(), hill(), "heights")),
        ("hill.r16", Ok(vec![0; HEIGHTS_BYTES_MAX as usize + 2]), (heights(), hill(), "size")),
        ("hill.r16", Ok(vec![0; 1 << 20]), (heights(), hill(), "full")),
        ("maps/wall.glb", Ok(b"no scene".to_vec()), (meshes(), wall(), "gltf")),
        ("maps/wall.glb", Err("gone".to_owned()), (meshes(), wall(), "unread")),
    ] {
        let with = |asked: &str| if asked == file { bytes.clone() } else { read(asked, 0) };
        assert_eq!(told(&arena(), &with), expected);
    }
    let mut far = arena();
    far.meshes[0].position_m = Vec3::splat(9000.0);
    assert_eq!(told(&far, &|file| read(file, 0)), (meshes(), wall(), "place"));
}

#[test]
fn the_triangles_of_all_files_together_are_bounded() {
    // 65,537 rows of two numbers are 131,072 triangles; two such fields are a whole arena's.
    let rows: Vec<u8> = vec![0; 65_537 * 4];
    let mut full = Arena { meshes: Vec::new(), ..arena() };
    full.height_fields.push(full.height_fields[0].clone());
    full.height_fields.push(full.height_fields[0].clone());
    let error = StaticWorld::of_arena(&full, |_, _| Ok(rows.clone())).unwrap_err();
    assert_eq!((error.key.as_str(), error.error.label()), ("arena.height_fields[2].file", "full"));
}

#[test]
fn a_gltf_whose_nodes_hang_under_each_other_many_times_over_ends() {
    let nodes: Vec<String> = (1..32).map(|n| format!(r#"{{"children":[{n},{n}]}}"#)).collect();
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{},{{}}]}}"#,
        nodes.join(",")
    );
    let error = fairshot_world::Mesh::from_gltf(text.as_bytes()).unwrap_err();
    assert!(matches!(error.label(), "depth" | "gltf"), "{error}");
}
