//! Frames and shots to send, tame ones and wild ones.

use crate::rng::Rng;
use fairshot_units::{
    Buttons, EntityId, Input, Life, MessageNumber, Revision, Tick, ViewStep, WeaponId,
};
use fairshot_wire::{Frame, Named, Shot};
use glam::Vec3;

pub fn frames(rng: &mut Rng, count: u32, wild: bool) -> Vec<Frame> {
    let mut number = 1000;
    let mut frame = Frame {
        life: Life(2),
        revision: Revision(7),
        view: ViewStep { tick: Tick(5000), fraction: 0x4000 },
        held: WeaponId(4),
        total: 120,
        clip: 30,
        input: Input { forward: 127, yaw: 9000, ..Input::default() },
        ..Frame::default()
    };
    (0..count)
        .map(|_| {
            number += 1 + if wild { rng.u32() % 5000 } else { u32::from(rng.chance(2)) };
            frame.number = MessageNumber(number);
            frame.view = frame.view.back(-1.0);
            frame.input.yaw = frame.input.yaw.wrapping_add_signed(rng.below(300) as i16 - 150);
            frame.input.pitch = (frame.input.pitch + rng.below(101) as i16 - 50).clamp(-9000, 9000);
            if wild {
                frame.life = Life(rng.u16());
                frame.revision = Revision(rng.u16());
                frame.view = ViewStep { tick: Tick(rng.u32()), fraction: rng.u16() };
                frame.held = WeaponId(rng.u8());
                frame.total = rng.u16();
                frame.clip = rng.u16();
                frame.firing = rng.chance(50);
                frame.input.forward = rng.u8().cast_signed();
                frame.input.right = rng.u8().cast_signed();
                frame.input.buttons = Buttons(rng.u8());
            }
            frame
        })
        .collect()
}

pub fn shot(rng: &mut Rng, number: u32, names: usize) -> Shot {
    let direction = Vec3::new(rng.unit() - 0.5, rng.unit() - 0.5, -1.0).normalize();
    Shot {
        number: MessageNumber(number),
        life: Life(2),
        revision: Revision(7),
        weapon: WeaponId(4),
        total: rng.u16(),
        frame: MessageNumber(number - 1),
        view: ViewStep { tick: Tick(rng.u32()), fraction: rng.u16() },
        origin_m: Vec3::new(rng.unit() * 60.0, 1.6, rng.unit() * -60.0),
        direction,
        names: (0..names)
            .map(|_| Named { pellet: rng.u8(), target: EntityId(rng.u16()) })
            .collect(),
    }
}
