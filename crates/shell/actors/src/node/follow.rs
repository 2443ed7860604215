//! Follows the directory: bans and live rule settings count on every node, whichever one was told.

use super::Node;
use crate::readback::unix_ms;
use crate::shard::Expelled;
use fairshot_cluster::control::{BanSubject, RuleKey, RuleValue};
use fairshot_wire::CloseCode;
use std::collections::{BTreeMap, BTreeSet};

impl Node {
    /// Runs as long as the directory's view changes.
    pub async fn follow_directory(&self) {
        let mut changes = self.shared.directory.0.view().changes();
        let mut rules: BTreeMap<String, BTreeMap<RuleKey, RuleValue>> = BTreeMap::new();
        let mut bans: BTreeSet<BanSubject> = BTreeSet::new();
        loop {
            for mode in self.shared.mode_names() {
                let live = self.live_rules(&mode);
                if rules.get(&mode).is_none_or(|known| *known != live) {
                    self.take_rules(&mode, &live).await;
                    rules.insert(mode, live);
                }
            }
            let now_unix_s = unix_ms() / 1000;
            let banned: BTreeMap<BanSubject, String> =
                self.shared.directory.0.view().read(|view| {
                    let held = view.bans.values().filter(|ban| !ban.is_over(now_unix_s));
                    held.map(|ban| (ban.subject.clone(), ban.reason.clone())).collect()
                });
            for (subject, reason) in &banned {
                if bans.contains(subject) {
                    continue;
                }
                let who = Expelled::Banned(subject.clone());
                if let Err(error) = self.expel(&who, CloseCode::Banned, reason, false).await {
                    tracing::warn!(%subject, %error, "a ban could not be enforced at once");
                }
            }
            bans = banned.into_keys().collect();
            if changes.changed().await.is_err() {
                return;
            }
        }
    }
}
