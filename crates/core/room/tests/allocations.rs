//! A tick in full swing takes nothing from the allocator: its buffers are used again.

use fairshot_judge::{Claim, LedgerRuling};
use fairshot_mode::{Ammunition, presets};
use fairshot_room::{Frame, PlainGame, Room, RoomInput, RoomSetup, Shot, TickOutput};
use fairshot_units::{EntityId, Input, Life, MessageNumber, PlayerId, RoomId, ViewStep};
use fairshot_world::StaticWorld;
use glam::Vec3;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// The system's allocator, counted thread by thread: the test harness may allocate beside the test.
struct Counted;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is the system allocator's own.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

#[test]
fn a_tick_with_frames_and_accepted_shots_allocates_nothing() {
    let mut settings = presets::arena().with_monsters(40);
    settings.ammunition = Ammunition::Open;
    settings.players_max = 4;
    let weapon = settings.weapons.named("scattergun").expect("the arena has one").id;
    let world = Arc::new(StaticWorld::build(&settings.arena));
    let setup = RoomSetup::new(RoomId::new("r").expect("an id"), Arc::new(settings), world, 3);
    let mut room = Room::new(&setup, Box::new(PlainGame));
    let mut out = TickOutput::default();
    let mut inputs: Vec<RoomInput> = (0..4_u16)
        .map(|who| RoomInput::Join {
            entity: EntityId(who),
            player: PlayerId::new(&format!("p{who}")).expect("an id"),
            team: None,
        })
        .collect();
    let mut counted = 0;
    let mut shots = 0;
    for tick in 0..64 * 30_u32 {
        let before = ALLOCATIONS.get();
        room.tick(&inputs, &mut out);
        // The first seconds fill the buffers.
        if tick > 64 * 10 {
            counted += ALLOCATIONS.get() - before;
            shots += out.judgement.verdicts.len();
            let accepted = |v: &fairshot_judge::Verdict| v.outcome.is_accepted();
            assert!(out.judgement.verdicts.iter().all(accepted));
        }
        inputs.clear();
        for who in 0..4_u16 {
            let entity = EntityId(who);
            let life: Life = room.life(entity).expect("in the room");
            let number = MessageNumber(tick * 2);
            let yaw = (tick as u16).wrapping_mul(97).wrapping_add(who * 9000);
            let input = Input { forward: 127, yaw, ..Input::default() };
            let held = weapon;
            inputs.push(RoomInput::Frame(Frame {
                entity,
                life,
                number,
                input,
                held,
                firing: None,
            }));
            let own = out.own.iter().find(|own| own.entity == entity).expect("in the room");
            if own.alive && (tick + u32::from(who) * 20).is_multiple_of(90) {
                inputs.push(RoomInput::Shot(Shot {
                    entity,
                    life,
                    claim: Claim {
                        number: MessageNumber(tick * 2 + 1),
                        weapon,
                        view: ViewStep::at(out.tick).back(5.5),
                        origin_m: own.position_m + Vec3::Y * 1.5,
                        direction: Vec3::NEG_Z,
                        names: Vec::new(),
                    },
                    ruling: LedgerRuling::Accepted,
                    frame: number,
                }));
            }
        }
    }
    assert!(shots > 20, "{shots} shots");
    assert_eq!(counted, 0, "allocations in 20 s with {shots} shots");
}
