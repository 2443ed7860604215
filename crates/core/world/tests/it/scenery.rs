//! Terrain and meshes: seen, walked on, and never walked into.

use crate::common::{DT_S, mode};
use fairshot_mode::Mode;
use fairshot_units::{Buttons, Input};
use fairshot_world::{
    BodyState, HeightField, Mesh, Scenery, SceneryError, StaticWorld, Surface, TRIANGLES_MAX,
    step_body,
};
use glam::Vec3;
use proptest::prelude::*;

fn world(scenery: &Scenery) -> (Mode, StaticWorld) {
    let mode = mode(2, 0.4, Vec::new());
    let world = StaticWorld::with_scenery(&mode.arena, scenery).unwrap();
    (mode, world)
}

/// A field of 1 m cells over the middle of the arena.
fn field(height: impl Fn(f32, f32) -> f32) -> Scenery {
    let heights_m = (0..41u8)
        .flat_map(|row| {
            (0..41u8).map(move |column| (f32::from(column) - 20.0, f32::from(row) - 20.0))
        })
        .map(|(x, z)| height(x, z))
        .collect();
    let corner_m = Vec3::new(-20.0, 0.0, -20.0);
    let field = HeightField { corner_m, cell_m: 1.0, columns: 41, heights_m };
    Scenery { height_fields: vec![field], ..Scenery::default() }
}

fn run(world: &(Mode, StaticWorld), state: &mut BodyState, input: Input, ticks: u32) {
    for _ in 0..ticks {
        step_body(state, &input, &world.0.movement, &world.0.body, &world.1, DT_S);
    }
}

const FORWARD: Input = Input { forward: 127, right: 0, buttons: Buttons(0), yaw: 0, pitch: 0 };

#[test]
fn a_body_walks_up_and_down_a_hill_and_stays_on_its_ground() {
    // 2 m high round the middle, as steep as 31 degrees.
    let hill = |x: f32, z: f32| (2.0 - 0.3 * (x * x + z * z).sqrt()).max(0.0);
    let world = world(&field(hill));
    let mut state = BodyState::at(Vec3::new(0.0, 0.0, 12.0), 0);
    let mut top = 0.0f32;
    for _ in 0..64 * 5 {
        run(&world, &mut state, FORWARD, 1);
        let ground = hill(state.position_m.x, state.position_m.z);
        assert!((state.position_m.y - ground).abs() < 0.15, "{state:?} over {ground}");
        assert!(state.grounded);
        top = top.max(state.position_m.y);
    }
    assert!(top > 1.8 && state.position_m.z < -10.0, "{state:?}");
}

#[test]
fn a_body_does_not_climb_a_cliff_and_slides_off_when_it_falls_on_one() {
    // Rises 3 m a metre: 72 degrees.
    let world = world(&field(|_, z| ((-z - 2.0) * 3.0).clamp(0.0, 9.0)));
    let mut state = BodyState::at(Vec3::new(0.5, 0.0, 5.0), 0);
    run(&world, &mut state, FORWARD, 128);
    assert!(state.position_m.y < 0.7 && state.position_m.z > -2.3, "{state:?}");
    let mut state = BodyState::at(Vec3::new(0.5, 9.0, -3.5), 0);
    run(&world, &mut state, Input::default(), 256);
    assert!(state.position_m.y < 0.7 && state.grounded, "{state:?}");
}

#[test]
fn a_shot_meets_the_hill_it_flies_into_and_passes_over_its_top() {
    let world = world(&field(|x, z| (4.0 - 0.5 * (x * x + z * z).sqrt()).max(0.0))).1;
    let hit = world.cast(Vec3::new(0.0, 2.0, 15.0), Vec3::NEG_Z, 50.0).unwrap();
    assert!(matches!(hit.surface, Surface::Triangle(_)));
    assert!((hit.distance_m - 11.0).abs() < 0.3, "{hit:?}");
    let over = world.cast(Vec3::new(0.0, 4.1, 15.0), Vec3::NEG_Z, 50.0);
    assert_eq!(over, None);
    assert!(!world.is_clear(Vec3::new(0.0, 1.0, 15.0), Vec3::new(0.0, 1.0, -15.0)));
}

#[test]
fn a_floor_may_lie_under_the_ground_where_terrain_goes_lower() {
    let mut pit = field(|_, _| -2.0);
    pit.floor_m = -3.0;
    let world = world(&pit);
    let mut state = BodyState::at(Vec3::new(0.0, 1.0, 0.0), 0);
    run(&world, &mut state, Input::default(), 128);
    assert!((state.position_m.y + 2.0).abs() < 1e-3 && state.grounded, "{state:?}");
}

/// A binary glTF: two triangles 4 m wide, indexed, under a node that moves them.
pub(crate) fn glb(indices: [u16; 6], positions_stride: u8) -> Vec<u8> {
    let corners: [[f32; 3]; 4] =
        [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 4.0, 0.0], [-2.0, 4.0, 0.0]];
    let mut bin: Vec<u8> = corners.iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
    bin.extend(indices.iter().flat_map(|n| n.to_le_bytes()));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"translation":[0,0,-5],"children":[1]}},{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "buffers":[{{"byteLength":{}}}],
        "bufferViews":[{{"buffer":0,"byteLength":48,"byteStride":{positions_stride}}},
                       {{"buffer":0,"byteOffset":48,"byteLength":12}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3",
                       "min":[-2,0,0],"max":[2,4,0]}},
                     {{"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}}]}}"#,
        bin.len()
    );
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut out = b"glTF".to_vec();
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    out.extend(word(2));
    out.extend(word(12 + 8 + json.len() + 8 + bin.len()));
    out.extend(word(json.len()));
    out.extend(b"JSON");
    out.extend(&json);
    out.extend(word(bin.len()));
    out.extend(b"BIN\0");
    out.extend(&bin);
    out
}

#[test]
fn a_wall_out_of_a_gltf_file_stops_shots_and_bodies() {
    let mesh = Mesh::from_gltf(&glb([0, 1, 2, 0, 2, 3], 12)).unwrap();
    assert_eq!(mesh.triangles_m.len(), 2);
    let world = world(&Scenery { meshes: vec![mesh], ..Scenery::default() });
    let hit = world.1.cast(Vec3::new(0.3, 1.0, 0.0), Vec3::NEG_Z, 50.0).unwrap();
    assert!((hit.distance_m - 5.0).abs() < 1e-4, "{hit:?}");
    assert_eq!(world.1.cast(Vec3::new(2.3, 1.0, 0.0), Vec3::NEG_Z, 50.0), None);
    let mut state = BodyState::at(Vec3::ZERO, 0);
    run(&world, &mut state, FORWARD, 128);
    assert!((state.position_m.z + 4.6).abs() < 0.01, "{state:?}");
}

#[test]
fn a_text_gltf_with_a_data_address_is_read_and_one_with_a_file_is_not() {
    let text = |uri: &str| {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "buffers":[{{"byteLength":36,"uri":"{uri}"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3",
                           "min":[0,0,0],"max":[0,0,0]}}]}}"#
        )
    };
    let inside = format!("data:application/octet-stream;base64,{}", "AAAA".repeat(12));
    assert_eq!(Mesh::from_gltf(text(&inside).as_bytes()).unwrap().triangles_m.len(), 1);
    let outside = Mesh::from_gltf(text("walls.bin").as_bytes()).unwrap_err();
    assert!(matches!(outside, SceneryError::Buffer { buffer: 0 }), "{outside}");
    let short = Mesh::from_gltf(text(&inside[..60]).as_bytes()).unwrap_err();
    assert_eq!(short.label(), "buffer");
}

#[test]
fn a_gltf_whose_numbers_lie_outside_its_buffers_is_refused() {
    let label = |bytes: &[u8]| Mesh::from_gltf(bytes).unwrap_err().label();
    assert_eq!(label(&glb([0, 1, 2, 0, 2, 9], 12)), "range");
    assert_eq!(label(&glb([0, 1, 2, 0, 2, 3], 16)), "range");
    assert_eq!(label(b"no scene at all"), "gltf");
    let nothing = r#"{"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}"#;
    assert_eq!(label(nothing.as_bytes()), "range");
}

#[test]
fn scenery_that_is_not_whole_or_too_big_is_refused() {
    let arena = mode(2, 0.4, Vec::new()).arena;
    let label = |scenery: &Scenery| StaticWorld::with_scenery(&arena, scenery).unwrap_err().label();
    let mut torn = field(|_, _| 0.0);
    torn.height_fields[0].heights_m.pop();
    assert_eq!(label(&torn), "height_field");
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Z];
    let many = Mesh { triangles_m: vec![corners; TRIANGLES_MAX + 1] };
    assert_eq!(label(&Scenery { meshes: vec![many], ..Scenery::default() }), "full");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_bytes_break_the_gltf_reader(flips in prop::collection::vec(any::<(u16, u8)>(), 1..6)) {
        let mut bytes = glb([0, 1, 2, 0, 2, 3], 12);
        for (at, flip) in flips {
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= flip;
        }
        let _ = Mesh::from_gltf(&bytes);
    }

    #[test]
    fn nobody_falls_through_rough_ground_or_walks_through_a_thin_wall(
        seed in any::<u64>(), turns in prop::collection::vec((any::<u16>(), any::<bool>()), 1..24),
        speed in 2f32..25.0,
    ) {
        let noise = move |x: f32, z: f32| {
            let mixed = (x.to_bits() as u64 ^ ((z.to_bits() as u64) << 20) ^ seed)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (mixed >> 48) as f32 / 65536.0 * 1.6
        };
        let mut scenery = field(noise);
        // A box of paper round the middle of it.
        let s = 9.0;
        let corners = [(-s, -s), (s, -s), (s, s), (-s, s), (-s, -s)];
        for pair in corners.windows(2) {
            let wall = |i: usize, y: f32| Vec3::new(pair[i].0, y, pair[i].1);
            let (a, b, c, d) = (wall(0, -1.0), wall(1, -1.0), wall(0, 60.0), wall(1, 60.0));
            scenery.meshes.push(Mesh { triangles_m: vec![[a, b, c], [b, c, d]] });
        }
        let mut world = world(&scenery);
        world.0.movement.run_speed_m_s = speed;
        let mut state = BodyState::at(Vec3::new(0.0, 3.0, 0.0), 0);
        for (yaw, jumps) in turns {
            let buttons = if jumps { Buttons::JUMP } else { Buttons::default() };
            for _ in 0..16 {
                run(&world, &mut state, Input { yaw, buttons, ..FORWARD }, 1);
                let at = state.position_m;
                prop_assert!(at.x.abs() < s && at.z.abs() < s, "{:?}", state);
                let feet = at + Vec3::Y * 0.4;
                let below = world.1.cast(feet, Vec3::NEG_Y, 50.0).unwrap();
                prop_assert!(
                    matches!(below.surface, Surface::Triangle(_)),
                    "under the ground: {:?} {:?}", state, below
                );
            }
        }
    }
}
