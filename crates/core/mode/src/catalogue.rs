//! The weapons of a mode, found by id in constant time or by name.

use crate::{Rules, RulesOverlay, Weapon};
use fairshot_units::{SlotIndex, WeaponId};

/// Every weapon of a mode. Ids and names are unique.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalogue {
    weapons: Vec<Weapon>,
    /// What each weapon itself says about the rules, where a file said it; a weapon built in code says
    /// whatever its resolved rules have over the mode's.
    overlays: Vec<Option<RulesOverlay>>,
    /// Index into `weapons` by id; `NONE` where the world does not hold that weapon.
    by_id: Box<[u8; 256]>,
    /// Slots whose weapons share rounds: a give of another weapon carries the total over.
    carries_over: [bool; SlotIndex::COUNT],
}

/// No weapon: a catalogue holds at most 255.
const NONE: u8 = u8::MAX;

/// Why these weapons are no catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    #[error("two weapons are named {0:?}")]
    Name(String),
    #[error("two weapons have id {0}")]
    Id(u8),
    #[error("a catalogue holds at most 255 weapons")]
    Full,
}

impl Catalogue {
    /// # Errors
    /// [`CatalogueError`] where an id or a name stands twice.
    pub fn new(
        weapons: Vec<Weapon>,
        carries_over: [bool; SlotIndex::COUNT],
    ) -> Result<Self, CatalogueError> {
        let mut by_id = Box::new([NONE; 256]);
        for (index, weapon) in weapons.iter().enumerate() {
            let index =
                u8::try_from(index).ok().filter(|i| *i != NONE).ok_or(CatalogueError::Full)?;
            let entry = &mut by_id[usize::from(weapon.id.0)];
            if *entry != NONE {
                return Err(CatalogueError::Id(weapon.id.0));
            }
            if weapons[..usize::from(index)].iter().any(|other| other.name == weapon.name) {
                return Err(CatalogueError::Name(weapon.name.clone()));
            }
            *entry = index;
        }
        let overlays = vec![None; weapons.len()];
        Ok(Self { weapons, overlays, by_id, carries_over })
    }

    /// A catalogue whose weapons' own rules are known apart, one overlay each.
    pub(crate) fn with_overlays(
        weapons: Vec<Weapon>,
        overlays: Vec<RulesOverlay>,
        carries_over: [bool; SlotIndex::COUNT],
    ) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::new(weapons, carries_over)?;
        for (entry, overlay) in catalogue.overlays.iter_mut().zip(overlays) {
            *entry = Some(overlay);
        }
        Ok(catalogue)
    }

    /// What a weapon itself says about the rules, where a file said it.
    pub(crate) fn overlay(&self, index: usize) -> Option<&RulesOverlay> {
        self.overlays.get(index).and_then(Option::as_ref)
    }

    /// The same weapons under other mode rules: each keeps what it says itself.
    pub(crate) fn under(&self, before: &Rules, now: &Rules) -> Self {
        let mut catalogue = self.clone();
        for (weapon, overlay) in catalogue.weapons.iter_mut().zip(&mut catalogue.overlays) {
            let own = overlay.get_or_insert_with(|| RulesOverlay::between(before, &weapon.rules));
            weapon.rules = now.with(own);
        }
        catalogue
    }

    #[must_use]
    pub fn get(&self, id: WeaponId) -> Option<&Weapon> {
        self.weapons.get(usize::from(self.by_id[usize::from(id.0)]))
    }

    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Weapon> {
        self.weapons.iter().find(|weapon| weapon.name == name)
    }

    #[must_use]
    pub fn weapons(&self) -> &[Weapon] {
        &self.weapons
    }

    #[must_use]
    pub fn carries_over(&self, slot: SlotIndex) -> bool {
        self.carries_over[slot.index()]
    }
}
