//! Which phase of a tick a room begins in, and when the shard wakes next.
//!
//! A wake costs the same whether one room is due or eight, and what the caches hold is gone by the
//! next one. So rooms share a phase until their seats fill it, and only then is another one opened;
//! when all are open, the emptiest takes the room, and the shard works evenly.

use crate::ticks::{PHASE, PHASES};

/// Seats that share a phase before the next one is opened: eight rooms of four, under a millisecond of
/// work, which is what the last of them waits for the first.
const PHASE_SEATS: u32 = 32;

/// Opened in this order, so that the work of few phases is spread over the tick.
const ORDER: [u32; PHASES as usize] = [0, 4, 2, 6, 1, 5, 3, 7];

/// A shard wakes at least this often, rooms or none: handshakes and acknowledgements wait for it.
const PHASES_ASLEEP_MAX: u64 = 4;

const PHASE_NS: u64 = PHASE.as_nanos() as u64;

/// The phase for one more room, from the phases and seats of those there are. Shards begin with
/// different ones, since they share the machine.
pub(super) fn choose(rooms: impl Iterator<Item = (u32, u16)>, seats_max: u16, shard: u16) -> u32 {
    let mut taken = [0; PHASES as usize];
    for (phase, seats) in rooms {
        taken[phase as usize] += u32::from(seats);
    }
    let order = ORDER.map(|phase| (phase + u32::from(shard) * 3) % PHASES);
    let seats_of = |phase: &&u32| taken[**phase as usize];
    let holds = |phase: &&u32| {
        seats_of(phase) == 0 || seats_of(phase) + u32::from(seats_max) <= PHASE_SEATS
    };
    let chosen = order.iter().find(holds).or_else(|| order.iter().min_by_key(seats_of));
    chosen.copied().unwrap_or(0)
}

/// When a tick of that phase began last, on the shard's clock.
pub(super) fn start_ns(phase: u32, now_ns: u64) -> u64 {
    let tick_ns = PHASE_NS * u64::from(PHASES);
    let offset_ns = PHASE_NS * u64::from(phase);
    let since_ns = (now_ns + tick_ns - offset_ns) % tick_ns;
    now_ns.saturating_sub(since_ns)
}

/// When to wake: where the phase ends that something is due in, soon enough for whoever has no room
/// yet, and at once for what is late.
pub(super) fn wake_ns(now_ns: u64, due_ns: Option<u64>) -> u64 {
    let latest_ns = now_ns + PHASE_NS * PHASES_ASLEEP_MAX;
    match due_ns {
        Some(due_ns) if due_ns <= now_ns => now_ns,
        Some(due_ns) if due_ns <= latest_ns => due_ns.div_ceil(PHASE_NS) * PHASE_NS,
        _ => latest_ns.div_ceil(PHASE_NS) * PHASE_NS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_starts_at_the_last_beginning_of_its_phase() {
        let tick_ns = PHASE_NS * 8;
        for phase in 0..PHASES {
            for now_ns in [0, 1, tick_ns * 5, tick_ns * 5 + PHASE_NS * 3 + 17, tick_ns * 7 - 1] {
                let start_ns = start_ns(phase, now_ns);
                assert!(start_ns <= now_ns && now_ns - start_ns < tick_ns, "{phase} {now_ns}");
                let on_grid = start_ns % tick_ns == u64::from(phase) * PHASE_NS;
                assert!(on_grid || now_ns < tick_ns, "{phase} {now_ns}: {start_ns}");
            }
        }
    }

    #[test]
    fn rooms_share_a_phase_until_it_is_full_and_then_the_emptiest_takes_them() {
        let mut rooms: Vec<(u32, u16)> = Vec::new();
        for _ in 0..8 * 8 {
            let phase = choose(rooms.iter().copied(), 4, 0);
            rooms.push((phase, 4));
        }
        let phases: Vec<u32> = rooms.iter().map(|(phase, _)| *phase).collect();
        assert_eq!(phases[..8], [0; 8]);
        assert_eq!(phases[8..16], [4; 8]);
        assert_eq!(phases[56..], [7; 8]);
        rooms.retain(|(phase, _)| *phase != 5);
        assert_eq!(choose(rooms.iter().copied(), 4, 0), 5, "a phase that emptied is filled first");
        rooms.extend([(5, 4); 9]);
        assert_eq!(choose(rooms.iter().copied(), 4, 0), 0, "all are full: the emptiest");
    }

    #[test]
    fn a_room_of_many_seats_has_a_phase_to_itself() {
        assert_eq!(choose([(0, 64)].into_iter(), 64, 0), 4);
        assert_eq!(choose([(0, 4)].into_iter(), 64, 0), 4);
        assert_eq!(choose(std::iter::empty(), 64, 1), 3, "another shard begins elsewhere");
    }

    #[test]
    fn a_shard_wakes_at_the_grid_when_a_room_is_due_and_four_phases_on_when_none_is() {
        let now_ns = PHASE_NS * 100 + 5;
        assert_eq!(wake_ns(now_ns, Some(PHASE_NS * 102)), PHASE_NS * 102);
        assert_eq!(wake_ns(now_ns, Some(PHASE_NS * 102 + 1)), PHASE_NS * 103);
        assert_eq!(wake_ns(now_ns, Some(now_ns - 1)), now_ns, "late: at once");
        assert_eq!(wake_ns(now_ns, Some(PHASE_NS * 200)), PHASE_NS * 105);
        assert_eq!(wake_ns(now_ns, None), PHASE_NS * 105);
    }
}
