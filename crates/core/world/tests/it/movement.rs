//! Bodies among blocks: they walk, climb, fall, and are never inside anything.

use crate::common::{DT_S, block, mode};
use fairshot_mode::{Block, Mode};
use fairshot_units::{Buttons, Input};
use fairshot_world::{
    BodyState, Footing, Motion, Movers, Present, StaticWorld, WalkerSize, ride, step_body,
    step_walker,
};
use glam::{Vec2, Vec3};
use proptest::prelude::*;

struct Stage {
    mode: Mode,
    world: StaticWorld,
}

impl Stage {
    fn new(blocks: Vec<Block>) -> Self {
        let mode = mode(2, 0.4, blocks);
        Self { world: StaticWorld::build(&mode.arena), mode }
    }

    fn step(&self, state: &mut BodyState, input: &Input) {
        step_body(state, input, &self.mode.movement, &self.mode.body, &self.world, DT_S);
    }

    fn run(&self, state: &mut BodyState, input: Input, ticks: u32) {
        for _ in 0..ticks {
            self.step(state, &input);
        }
    }

    /// How deep an upright capsule at these feet lies in any block, by plain sampling of its axis.
    fn depth(&self, feet: Vec3) -> f32 {
        let body = &self.mode.body;
        let mut deepest = 0.0f32;
        for block in &self.mode.arena.blocks {
            for part in 0..=20u8 {
                let low = body.radius_m;
                let high = body.height_m - body.radius_m;
                let point = feet + Vec3::new(0.0, low + (high - low) * f32::from(part) / 20.0, 0.0);
                let (sin, cos) = block.yaw_rad.sin_cos();
                let off = point - block.centre_m;
                let off = Vec3::new(off.x * cos - off.z * sin, off.y, off.x * sin + off.z * cos);
                let out = off.abs() - block.half_m;
                let distance = if out.max_element() > 0.0 {
                    out.max(Vec3::ZERO).length()
                } else {
                    out.max_element()
                };
                deepest = deepest.max(body.radius_m - distance);
            }
        }
        deepest
    }
}

fn forward() -> Input {
    Input { forward: 127, ..Input::default() }
}

fn jump() -> Input {
    Input { buttons: Buttons::JUMP, ..Input::default() }
}

#[test]
fn a_body_runs_at_its_speed_and_diagonals_are_no_faster() {
    let stage = Stage::new(Vec::new());
    for input in [forward(), Input { right: 127, ..forward() }, Input { right: -128, ..forward() }]
    {
        let mut state = BodyState::at(Vec3::ZERO, 0);
        stage.run(&mut state, input, 64);
        assert!((state.velocity_m_s.length() - 5.0).abs() < 0.01, "{state:?}");
        assert!(state.position_m.length() > 4.7 && state.position_m.length() < 5.0);
        assert!(state.grounded);
    }
}

#[test]
fn a_body_stops_at_a_wall_and_slides_along_it() {
    let stage = Stage::new(vec![block(Vec3::new(0.0, 1.5, -5.0), Vec3::new(10.0, 1.5, 0.5))]);
    let mut state = BodyState::at(Vec3::ZERO, 0);
    stage.run(&mut state, forward(), 128);
    assert!((state.position_m.z + 4.1).abs() < 0.01, "{state:?}");
    stage.run(&mut state, Input { right: 127, ..forward() }, 64);
    assert!(state.position_m.x > 2.5 && (state.position_m.z + 4.1).abs() < 0.01, "{state:?}");
}

#[test]
fn a_body_walks_onto_a_low_ledge_and_down_again_but_not_onto_a_high_one() {
    for (height, climbs) in [(0.3, true), (0.39, true), (0.5, false), (0.75, false)] {
        let ledge = block(Vec3::new(0.0, height / 2.0, -4.0), Vec3::new(3.0, height / 2.0, 2.0));
        let stage = Stage::new(vec![ledge]);
        let mut state = BodyState::at(Vec3::ZERO, 0);
        stage.run(&mut state, forward(), 50);
        assert_eq!((state.position_m.y - height).abs() < 1e-3, climbs, "{height}: {state:?}");
        stage.run(&mut state, forward(), 100);
        if climbs {
            assert!(state.position_m.y.abs() < 1e-3 && state.grounded, "{height}: {state:?}");
        }
    }
}

#[test]
fn stairs_are_walked_up_to_the_top() {
    let stairs = (0..10u8).map(|step| {
        let top = 0.3 * f32::from(step + 1);
        block(Vec3::new(0.0, top / 2.0, -2.0 - f32::from(step)), Vec3::new(2.0, top / 2.0, 0.5))
    });
    let stage = Stage::new(stairs.collect());
    let mut state = BodyState::at(Vec3::ZERO, 0);
    stage.run(&mut state, forward(), 145);
    assert!((state.position_m.y - 3.0).abs() < 1e-3, "{state:?}");
}

#[test]
fn a_jump_rises_as_high_as_its_speed_says_and_lands_on_a_block() {
    let stage = Stage::new(vec![block(Vec3::new(0.0, 0.35, -5.0), Vec3::new(1.0, 0.35, 4.0))]);
    let mut state = BodyState::at(Vec3::new(0.0, 0.0, 5.0), 0);
    stage.step(&mut state, &Input::default());
    let mut top = 0.0f32;
    stage.step(&mut state, &jump());
    for _ in 0..64 {
        stage.step(&mut state, &Input::default());
        top = top.max(state.position_m.y);
    }
    assert!((top - 25.0 / 30.0).abs() < 0.06, "{top}");
    assert!(state.grounded && state.position_m.y == 0.0);

    let mut state = BodyState::at(Vec3::ZERO, 0);
    stage.step(&mut state, &Input::default());
    stage.run(&mut state, Input { buttons: Buttons::JUMP, ..forward() }, 32);
    stage.run(&mut state, Input::default(), 64);
    assert!((state.position_m.y - 0.7).abs() < 1e-3 && state.grounded, "{state:?}");
}

#[test]
fn a_head_stops_at_a_ceiling() {
    let stage = Stage::new(vec![block(Vec3::new(0.0, 2.5, 0.0), Vec3::new(3.0, 0.5, 3.0))]);
    let mut state = BodyState::at(Vec3::ZERO, 0);
    stage.step(&mut state, &Input::default());
    for _ in 0..64 {
        stage.step(&mut state, &jump());
        assert!(state.position_m.y <= 0.205, "{state:?}");
    }
}

#[test]
fn a_lift_carries_what_stands_on_it_up_down_and_along() {
    let stage = Stage::new(Vec::new());
    let mut movers = Movers::new(&[block(Vec3::new(0.0, 0.1, 0.0), Vec3::new(1.0, 0.1, 1.0))]);
    let mut state = BodyState::at(Vec3::new(0.3, 0.2, 0.0), 0);
    let Mode { movement, body, .. } = &stage.mode;
    for (to, feet) in [
        (Vec3::new(0.0, 3.1, 0.0), Vec3::new(0.3, 3.2, 0.0)),
        (Vec3::new(5.0, 3.1, 0.0), Vec3::new(5.3, 3.2, 0.0)),
        (Vec3::new(5.0, 0.1, 2.0), Vec3::new(5.3, 0.2, 2.0)),
    ] {
        movers.set(0, Motion::Towards { centre_m: to, speed_m_s: 2.0 });
        for _ in 0..200 {
            movers.step(DT_S);
            let world = Present::new(&stage.world, &movers);
            ride(&mut state, WalkerSize::of(body, movement), world);
            step_body(&mut state, &Input::default(), movement, body, world, DT_S);
        }
        assert!((state.position_m - feet).length() < 0.02, "{state:?} against {feet}");
        assert!(state.grounded);
    }
}

#[test]
fn a_rider_whose_inputs_are_late_rides_on_and_none_is_carried_twice() {
    let stage = Stage::new(Vec::new());
    let Mode { movement, body, .. } = &stage.mode;
    let size = WalkerSize::of(body, movement);
    for to in [Vec3::new(0.0, 2.1, 0.0), Vec3::new(2.0, 0.1, 0.0), Vec3::new(0.0, 0.1, 2.0)] {
        let mut movers = Movers::new(&[block(Vec3::new(0.0, 0.1, 0.0), Vec3::new(1.0, 0.1, 1.0))]);
        let mut state = BodyState::at(Vec3::new(0.0, 0.2, 0.0), 0);
        state.grounded = true;
        movers.set(0, Motion::Towards { centre_m: to, speed_m_s: 2.0 });
        let on_it = |state: &BodyState, movers: &Movers| {
            let top_m = movers.get(0).unwrap().centre_m + Vec3::Y * 0.1;
            assert!((state.position_m - top_m).length() < 0.02, "{state:?} over {top_m}");
        };
        // Nothing of hers for 42 ticks, then all of it at once, then every tick again.
        for inputs in std::iter::repeat_n(0, 42).chain([43]).chain(std::iter::repeat_n(1, 10)) {
            for _ in 0..inputs {
                let world = Present::new(&stage.world, &movers);
                step_body(&mut state, &Input::default(), movement, body, world, DT_S);
                on_it(&state, &movers);
            }
            movers.step(DT_S);
            ride(&mut state, size, Present::new(&stage.world, &movers));
            on_it(&state, &movers);
        }
    }
}

#[test]
fn a_door_that_closes_on_a_body_pushes_it_aside() {
    let stage = Stage::new(Vec::new());
    let mut movers = Movers::new(&[block(Vec3::new(-3.0, 1.5, 0.0), Vec3::new(1.0, 1.5, 0.2))]);
    let mut state = BodyState::at(Vec3::new(0.0, 0.0, 0.1), 0);
    let to = Vec3::new(0.0, 1.5, 0.0);
    movers.set(0, Motion::Towards { centre_m: to, speed_m_s: 3.0 });
    for _ in 0..128 {
        movers.step(DT_S);
        let world = Present::new(&stage.world, &movers);
        step_body(
            &mut state,
            &Input::default(),
            &stage.mode.movement,
            &stage.mode.body,
            world,
            DT_S,
        );
    }
    let aside = state.position_m.x.abs() >= 1.39 || state.position_m.z.abs() >= 0.59;
    assert!(aside, "{state:?}");
}

#[test]
fn numbers_that_are_none_and_places_outside_come_back_into_the_arena() {
    let stage = Stage::new(Vec::new());
    for odd in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
        let mut state = BodyState::at(Vec3::splat(odd), 0);
        state.velocity_m_s = Vec3::splat(odd);
        stage.step(&mut state, &forward());
        assert!(state.position_m.is_finite(), "{odd}: {state:?}");
        assert!(stage.mode.arena.bounds.contains(state.position_m), "{odd}: {state:?}");
    }
}

#[test]
fn a_walker_goes_as_it_wishes_and_stops_at_walls() {
    let stage = Stage::new(vec![block(Vec3::new(5.0, 1.0, 0.0), Vec3::new(0.1, 1.0, 5.0))]);
    let size = WalkerSize { radius_m: 0.35, height_m: 1.6, step_height_m: 0.4 };
    let mut state = BodyState::at(Vec3::ZERO, 0);
    for _ in 0..192 {
        step_walker(
            &mut state,
            &mut Footing::default(),
            Vec2::new(3.0, 0.0),
            size,
            15.0,
            &stage.world,
            DT_S,
        );
    }
    assert!((state.position_m.x - 4.55).abs() < 0.01, "{state:?}");
}

fn blocks() -> impl Strategy<Value = Vec<Block>> {
    let block = ((-8f32..8.0, 0f32..3.0, -8f32..8.0), (0.05f32..2.0, 0.05f32..1.5, 0.05f32..2.0));
    let block = (block, 0f32..6.3).prop_map(|((centre, half), yaw_rad)| Block {
        centre_m: centre.into(),
        half_m: half.into(),
        yaw_rad,
    });
    prop::collection::vec(block, 0..24)
}

fn inputs() -> impl Strategy<Value = Vec<(Input, u8)>> {
    let input = (any::<(i8, i8)>(), any::<u16>(), any::<bool>(), 1..40u8);
    let input = input.prop_map(|((forward, right), yaw, jumps, ticks)| {
        let buttons = if jumps { Buttons::JUMP } else { Buttons::default() };
        (Input { forward, right, buttons, yaw, pitch: 0 }, ticks)
    });
    prop::collection::vec(input, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_body_is_never_inside_a_block(
        blocks in blocks(), inputs in inputs(), speed in 1f32..40.0,
    ) {
        let mut stage = Stage::new(blocks);
        stage.mode.movement.run_speed_m_s = speed;
        let mut state = BodyState::at(Vec3::new(0.0, 8.0, 0.0), 0);
        prop_assume!(stage.depth(state.position_m) == 0.0);
        for (input, ticks) in inputs {
            for _ in 0..ticks {
                stage.step(&mut state, &input);
                let depth = stage.depth(state.position_m);
                prop_assert!(depth < 0.005, "{depth} deep: {state:?}");
                prop_assert!(state.position_m.y >= 0.0);
            }
        }
    }

    #[test]
    fn nobody_passes_a_thin_wall_at_any_speed(
        speed in 1f32..20_000.0, angle in -1.2f32..1.2, height in 0f32..1.0, thickness in 0.001f32..0.2,
    ) {
        let half = Vec3::new(30.0, 20.0, thickness);
        let stage = Stage::new(vec![block(Vec3::new(0.0, 20.0, -5.0), half)]);
        let mut state = BodyState::at(Vec3::new(0.0, height, 0.0), 0);
        for _ in 0..32 {
            state.velocity_m_s = Vec3::new(angle.sin(), 0.0, -angle.cos()) * speed;
            state.position_m.x = state.position_m.x.clamp(-25.0, 25.0);
            stage.step(&mut state, &Input::default());
            prop_assert!(state.position_m.z > -5.0, "{state:?}");
        }
        // And down: nobody falls through a floor.
        let floor = block(Vec3::new(0.0, 3.0, 0.0), Vec3::new(30.0, thickness, 30.0));
        let stage = Stage::new(vec![floor]);
        let mut state = BodyState::at(Vec3::new(0.0, 10.0, 0.0), 0);
        for _ in 0..32 {
            state.velocity_m_s = Vec3::new(0.0, -speed, 0.0);
            stage.step(&mut state, &Input::default());
            prop_assert!(state.position_m.y > 3.0, "{state:?}");
        }
    }

    #[test]
    fn the_same_inputs_give_the_same_bits(blocks in blocks(), inputs in inputs()) {
        let stage = Stage::new(blocks);
        let run = || {
            let mut state = BodyState::at(Vec3::new(0.0, 8.0, 0.0), 0);
            for (input, ticks) in &inputs {
                stage.run(&mut state, *input, (*ticks).into());
            }
            (state.position_m.to_array().map(f32::to_bits), state.velocity_m_s.to_array().map(f32::to_bits))
        };
        prop_assert_eq!(run(), run());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_walker_goes_where_it_would_without_what_its_last_step_left_behind(
        places in prop::collection::vec((-8f32..8.0, -8f32..8.0, 0.1f32..2.0, -4f32..4.0), 1..24),
        wishes in prop::collection::vec((-4f32..4.0, -4f32..4.0, 0u8..40), 1..30),
        thrown in 0u32..400,
    ) {
        let blocks = places.iter().map(|(x, z, half, yaw_rad)| Block {
            centre_m: Vec3::new(*x, half * 0.5, *z),
            half_m: Vec3::new(*half, half * 0.5, 0.4),
            yaw_rad: if *half < 1.0 { 0.0 } else { *yaw_rad },
        });
        let stage = Stage::new(blocks.collect());
        let size = WalkerSize { radius_m: 0.4, height_m: 1.7, step_height_m: 0.4 };
        let (mut kept, mut footing) = (BodyState::at(Vec3::ZERO, 0), Footing::default());
        let mut forgot = kept;
        let mut step = 0;
        for (x, z, ticks) in wishes {
            for _ in 0..ticks {
                step += 1;
                if step == thrown {
                    // A game may put it anywhere, into a block too.
                    (kept.position_m, forgot.position_m) = (Vec3::Y * 0.1, Vec3::Y * 0.1);
                }
                let wish = Vec2::new(x, z);
                step_walker(&mut kept, &mut footing, wish, size, 15.0, &stage.world, DT_S);
                let mut none = Footing::default();
                step_walker(&mut forgot, &mut none, wish, size, 15.0, &stage.world, DT_S);
                prop_assert_eq!(kept, forgot, "step {}", step);
            }
        }
    }
}

#[test]
fn roomy_cells_change_nothing_but_the_time_a_step_takes() {
    // One tiny block in every cell's reach makes no cell roomy; far below the floor it touches nobody.
    let crowded = (-32..32).flat_map(|x| {
        (-32..32).map(move |z| {
            let (x, z) = (f32::from(i8::try_from(x).unwrap()), f32::from(i8::try_from(z).unwrap()));
            block(Vec3::new(x * 2.0, -3.0, z * 2.0), Vec3::splat(0.1))
        })
    });
    let (open, crowded) = (Stage::new(Vec::new()), Stage::new(crowded.collect()));
    let mut states = [BodyState::at(Vec3::ZERO, 0); 2];
    for tick in 0..600u16 {
        let buttons = if tick % 50 < 3 { Buttons::JUMP } else { Buttons::default() };
        let input = Input { forward: 100, right: 20, buttons, yaw: tick * 97, pitch: 0 };
        open.step(&mut states[0], &input);
        crowded.step(&mut states[1], &input);
        assert!((states[0].position_m - states[1].position_m).length() < 1e-4, "tick {tick}");
    }
}
