//! What every shard of a node reads: its modes under the rules in force, its bans, its counters.

use crate::modes::{LoadedMode, Modes};
use crate::readback::unix_ms;
use fairshot_cluster::agent::AgentPoke;
use fairshot_cluster::control::{NodeName, RuleKey, RuleValue, lay_over};
use fairshot_cluster::directory::Directory;
use fairshot_telemetry::metrics::{JoinOutcome, Metrics, ModeMetrics, ProcessMetrics};
use fairshot_units::{NodeId, PlayerId};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

/// See the module's head.
#[derive(Debug)]
pub(crate) struct NodeShared {
    pub(crate) id: NodeId,
    pub(crate) name: NodeName,
    pub(crate) region: String,
    /// As their files say.
    files: Modes,
    /// Under the rules in force.
    modes: RwLock<Modes>,
    pub(crate) directory: DirectoryHandle,
    metrics: Metrics,
    mode_metrics: Mutex<BTreeMap<String, ModeMetrics>>,
    process_metrics: ProcessMetrics,
    seat_lifetime: Duration,
    seat_hold: Duration,
    /// When running rooms must have ended, once the node drains.
    drains: RwLock<Option<Instant>>,
    poke: RwLock<Option<AgentPoke>>,
}

/// The directory, which has no words for itself.
#[derive(Clone)]
pub(crate) struct DirectoryHandle(pub(crate) Arc<dyn Directory>);

impl std::fmt::Debug for DirectoryHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Directory")
    }
}

impl NodeShared {
    #[expect(clippy::too_many_arguments, reason = "one caller, which names each")]
    pub(crate) fn new(
        id: NodeId,
        name: NodeName,
        region: String,
        modes: Modes,
        directory: Arc<dyn Directory>,
        metrics: Metrics,
        process_metrics: ProcessMetrics,
        seat_lifetime: Duration,
        seat_hold: Duration,
    ) -> Self {
        // A mode's series are there from the start, at 0: a rate needs the first step.
        let mode_metrics = modes
            .iter()
            .map(|loaded| {
                let name = loaded.mode.name.clone();
                let handles = ModeMetrics::new(&metrics, &name);
                (name, handles)
            })
            .collect();
        Self {
            id,
            name,
            region,
            files: modes.clone(),
            modes: RwLock::new(modes),
            directory: DirectoryHandle(directory),
            metrics,
            mode_metrics: Mutex::new(mode_metrics),
            process_metrics,
            seat_lifetime,
            seat_hold,
            drains: RwLock::default(),
            poke: RwLock::default(),
        }
    }

    /// A mode under the rules in force.
    pub(crate) fn mode(&self, name: &str) -> Option<LoadedMode> {
        self.modes.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// A mode as its file says.
    pub(crate) fn mode_file(&self, name: &str) -> Option<&LoadedMode> {
        self.files.get(name)
    }

    pub(crate) fn mode_names(&self) -> Vec<String> {
        self.files.names()
    }

    /// Lays live rule settings over a mode's file. Rooms opened from now on have them.
    pub(crate) fn lay_rules(
        &self,
        name: &str,
        live: &BTreeMap<RuleKey, RuleValue>,
    ) -> Result<bool, fairshot_cluster::control::RuleSettingError> {
        let Some(file) = self.files.get(name) else { return Ok(false) };
        let laid = file.with_mode(lay_over(&file.mode, live)?);
        self.modes.write().unwrap_or_else(PoisonError::into_inner).insert(laid);
        Ok(true)
    }

    pub(crate) fn mode_metrics(&self, mode: &str) -> ModeMetrics {
        let mut known = self.mode_metrics.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(mode.to_owned())
            .or_insert_with(|| ModeMetrics::new(&self.metrics, mode))
            .clone()
    }

    pub(crate) fn join_ended(&self, outcome: JoinOutcome) {
        self.process_metrics.join(outcome);
    }

    /// Why a player or an address may not enter, if she may not.
    pub(crate) fn banned(&self, player: &PlayerId, address: Option<IpAddr>) -> Option<String> {
        let now_unix_s = unix_ms() / 1000;
        self.directory
            .0
            .view()
            .read(|view| view.ban_of(player, address, now_unix_s).map(|ban| ban.reason.clone()))
    }

    pub(crate) fn seat_ttl_ms(&self) -> u64 {
        u64::try_from(self.seat_lifetime.as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn hold_ms(&self) -> u32 {
        u32::try_from(self.seat_hold.as_millis()).unwrap_or(u32::MAX)
    }

    /// Seconds until running rooms must have ended; `None` where the node does not drain.
    pub(crate) fn drains_in_s(&self) -> Option<u64> {
        let until = *self.drains.read().unwrap_or_else(PoisonError::into_inner);
        until.map(|until| until.saturating_duration_since(Instant::now()).as_secs())
    }

    /// Takes nobody new from now on; running rooms still have that long.
    pub(crate) fn drain(&self, deadline: Duration) {
        *self.drains.write().unwrap_or_else(PoisonError::into_inner) =
            Some(Instant::now() + deadline);
        self.poke();
    }

    /// Whether the time of running rooms is over.
    pub(crate) fn drained(&self) -> bool {
        let until = *self.drains.read().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() >= until)
    }

    pub(crate) fn set_poke(&self, poke: AgentPoke) {
        *self.poke.write().unwrap_or_else(PoisonError::into_inner) = Some(poke);
    }

    /// Something the directory should hear of soon has changed.
    pub(crate) fn poke(&self) {
        if let Some(poke) = &*self.poke.read().unwrap_or_else(PoisonError::into_inner) {
            poke.poke();
        }
    }
}
