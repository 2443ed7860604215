//! The rewind of a game's own weapon: the same window as a shot's, and the same samples.

use crate::rules::rewound;
use crate::{LatencyWindow, Scene, Shooter, ShooterRecord};
use fairshot_mode::RewindRule;
use fairshot_units::{EntityId, Tick, ViewStep};
use fairshot_world::{PastPose, RewindError};

/// Holds a named step to the player's measured latency and a second back, as the rewind rule holds a
/// shot's.
#[must_use]
pub fn rewind_step(
    scene: &Scene<'_>,
    shooter: &Shooter<'_>,
    rule: RewindRule,
    named: ViewStep,
) -> (ViewStep, LatencyWindow) {
    let mode = scene.mode;
    let delay_s = mode.interpolation_delay_max_s;
    rewound(named, scene.landed, mode.tick_hz, shooter, rule, delay_s)
}

/// Adds a game's own weapon to the player's latency, for a game whose players fire no other.
pub fn measure_latency(landed: Tick, tick_hz: u16, record: &mut ShooterRecord, named: ViewStep) {
    let claimed_s = ViewStep::at(landed).since(named) / f64::from(tick_hz.max(1));
    #[expect(clippy::cast_possible_truncation, reason = "held to a second when added")]
    record.latency.add(claimed_s.clamp(0.0, 1.0) as f32);
}

/// Where many entities stood at one step, found once: cheaper than one read after another.
///
/// # Errors
/// [`RewindError`] where the step itself lies outside the last second.
pub fn read_past_places(
    scene: &Scene<'_>,
    at: ViewStep,
    entities: impl IntoIterator<Item = EntityId>,
    mut read: impl FnMut(EntityId, PastPose),
) -> Result<(), RewindError> {
    let moment = scene.history.moment(at)?;
    for entity in entities {
        if let Ok(past) = moment.place(entity) {
            read(entity, past);
        }
    }
    Ok(())
}
