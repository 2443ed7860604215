//! The five weapon commands.

use super::{AdminService, Answer, change, player_id};
use crate::access::{Caller, Role};
use crate::changes::Audited;
use crate::names;
use crate::nodes::{Node, first_that_knows};
use fairshot_cluster::control::{ControlError, WeaponOutcome};
use fairshot_proto::v1::{self, WeaponRef, weapon_ref};
use fairshot_units::{PlayerId, WeaponCommand, WeaponId};
use serde_json::{Value, json};

impl AdminService {
    pub(super) async fn give(
        &self,
        caller: Caller,
        request: v1::GiveWeaponRequest,
    ) -> Answer<v1::GiveWeaponResponse> {
        let words = json!({
            "player": request.player,
            "weapon": words_of(request.weapon.as_ref()),
            "rounds": request.rounds,
            "setAsCurrent": request.set_as_current,
        });
        let how = How::new(caller, "GiveWeapon", words, request.dry_run, request.request_id);
        let (rounds, set_as_current) = (request.rounds, request.set_as_current);
        self.command(how, request.player, request.weapon, move |weapon| {
            Ok(WeaponCommand::Give { weapon, rounds: count("rounds", rounds)?, set_as_current })
        })
        .await
    }

    pub(super) async fn take(
        &self,
        caller: Caller,
        request: v1::TakeWeaponRequest,
    ) -> Answer<v1::TakeWeaponResponse> {
        let words =
            json!({ "player": request.player, "weapon": words_of(request.weapon.as_ref()) });
        let how = How::new(caller, "TakeWeapon", words, request.dry_run, request.request_id);
        self.command(how, request.player, request.weapon, |weapon| {
            Ok(WeaponCommand::Take { weapon })
        })
        .await
    }

    pub(super) async fn ammo(
        &self,
        caller: Caller,
        request: v1::SetAmmoRequest,
    ) -> Answer<v1::SetAmmoResponse> {
        let words = json!({
            "player": request.player,
            "weapon": words_of(request.weapon.as_ref()),
            "total": request.total,
            "clip": request.clip,
        });
        let how = How::new(caller, "SetAmmo", words, request.dry_run, request.request_id);
        let (total, clip) = (request.total, request.clip);
        self.command(how, request.player, request.weapon, move |weapon| {
            let total = count("total", total)?;
            Ok(WeaponCommand::SetAmmo { weapon, total, clip: clip_of(clip, total)? })
        })
        .await
    }

    pub(super) async fn clear(
        &self,
        caller: Caller,
        request: v1::ClearWeaponsRequest,
    ) -> Answer<v1::ClearWeaponsResponse> {
        let words = json!({ "player": request.player });
        let how = How::new(caller, "ClearWeapons", words, request.dry_run, request.request_id);
        let fists = Some(WeaponRef { weapon: Some(weapon_ref::Weapon::Id(0)) });
        self.command(how, request.player, fists, |_| Ok(WeaponCommand::Clear)).await
    }

    pub(super) async fn arm(
        &self,
        caller: Caller,
        request: v1::SetArmedRequest,
    ) -> Answer<v1::SetArmedResponse> {
        let words =
            json!({ "player": request.player, "weapon": words_of(request.weapon.as_ref()) });
        let how = How::new(caller, "SetArmed", words, request.dry_run, request.request_id);
        self.command(how, request.player, request.weapon, |weapon| {
            Ok(WeaponCommand::SetArmed { weapon })
        })
        .await
    }

    async fn command<R: Audited + OfOutcome>(
        &self,
        how: How,
        player: String,
        weapon: Option<WeaponRef>,
        make: impl Fn(WeaponId) -> Result<WeaponCommand, ControlError> + Send + Sync + 'static,
    ) -> Answer<R> {
        let nodes = self.nodes.clone();
        let dry_run = how.dry_run;
        let work = async move {
            let player = player_id(&player)?;
            let outcome = first_that_knows(nodes.as_ref(), |node| {
                command_on(node, &player, weapon.as_ref(), &make, dry_run)
            })
            .await?;
            Ok(R::of_outcome(outcome))
        };
        let change =
            change(how.caller, how.method, Role::Operator, how.words, dry_run, how.request_id);
        self.changes.run(change, work).await
    }
}

/// Who asks for what, apart from the command itself.
struct How {
    caller: Caller,
    method: &'static str,
    words: Value,
    dry_run: bool,
    request_id: String,
}

impl How {
    fn new(
        caller: Caller,
        method: &'static str,
        words: Value,
        dry_run: bool,
        request_id: String,
    ) -> Self {
        Self { caller, method, words, dry_run, request_id }
    }
}

async fn command_on(
    node: Node,
    player: &PlayerId,
    weapon: Option<&WeaponRef>,
    make: &(impl Fn(WeaponId) -> Result<WeaponCommand, ControlError> + Sync),
    dry_run: bool,
) -> Result<WeaponOutcome, ControlError> {
    // The player's mode says which weapons there are.
    let view = node.inventory(player).await?;
    let weapons = node.weapons(&view.mode).await?;
    let command = make(names::weapon(&weapons, weapon)?)?;
    node.weapon_command(player, command, dry_run).await
}

fn count(field: &'static str, wide: u32) -> Result<u16, ControlError> {
    u16::try_from(wide)
        .map_err(|_| ControlError::invalid(field, format!("expected 0 to 65535, found {wide}")))
}

/// A clip that no weapon can hold is refused here: as 16 bits, -1 would read as "not set".
fn clip_of(clip: Option<i32>, total: u16) -> Result<Option<u16>, ControlError> {
    let Some(clip) = clip else {
        return Ok(None);
    };
    let fits = u16::try_from(clip).ok().filter(|clip| *clip <= total && *clip != u16::MAX);
    fits.map(Some).ok_or_else(|| {
        ControlError::invalid("clip", format!("expected 0 to the total of {total}, found {clip}"))
    })
}

fn words_of(weapon: Option<&WeaponRef>) -> Value {
    match weapon.and_then(|weapon| weapon.weapon.as_ref()) {
        Some(weapon_ref::Weapon::Id(id)) => json!(id),
        Some(weapon_ref::Weapon::Name(name)) => json!(name),
        None => Value::Null,
    }
}

/// The five answers differ in nothing but their names.
trait OfOutcome {
    fn of_outcome(outcome: WeaponOutcome) -> Self;
}

macro_rules! of_outcome {
    ($($answer:ty),+ $(,)?) => {
        $(impl OfOutcome for $answer {
            fn of_outcome(outcome: WeaponOutcome) -> Self {
                Self {
                    revision: outcome.revision.0.into(),
                    inventory: Some(outcome.after.into()),
                    ..Default::default()
                }
            }
        })+
    };
}

of_outcome!(
    v1::GiveWeaponResponse,
    v1::TakeWeaponResponse,
    v1::SetAmmoResponse,
    v1::ClearWeaponsResponse,
    v1::SetArmedResponse,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_of_minus_one_or_65535_is_no_clip() {
        for clip in [-1, 65_535, 65_536, 91, i32::MIN, i32::MAX] {
            assert!(clip_of(Some(clip), 90).is_err(), "{clip}");
        }
        assert!(clip_of(Some(65_535), 65_535).is_err());
        assert_eq!(clip_of(Some(30), 90), Ok(Some(30)));
        assert_eq!(clip_of(None, 90), Ok(None));
    }
}
