//! What other processes put in the directory and this node must do: end banned players' sessions, and
//! lay live rule settings over its modes.

use fairshot_actors::Node;
use fairshot_cluster::agent::NodeSource;
use fairshot_cluster::control::{Ban, BanSubject, RuleKey, RuleValue};
use fairshot_cluster::directory::Directory;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Changes in between are taken together.
const ROUND_MIN: Duration = Duration::from_millis(100);

type Bans = BTreeMap<BanSubject, Ban>;
type Rules = BTreeMap<String, BTreeMap<RuleKey, RuleValue>>;

pub(super) async fn follow(
    directory: Arc<dyn Directory>,
    node: Node,
    mut stop: watch::Receiver<bool>,
) {
    let mut changes = directory.view().changes();
    let (mut bans, mut rules) = (Bans::new(), Rules::new());
    loop {
        let modes = node.record().offer.modes;
        let (bans_now, rules_now) = directory.view().read(|view| {
            let of_mode = |mode: &String| (mode.clone(), view.rules_of(mode));
            (view.bans.clone(), modes.iter().map(of_mode).collect::<Rules>())
        });
        for ban in bans_now.values().filter(|ban| bans.get(&ban.subject) != Some(*ban)) {
            node.take_ban(ban).await;
        }
        for (mode, live) in &rules_now {
            if rules.get(mode).cloned().unwrap_or_default() != *live {
                node.take_rules(mode, live).await;
            }
        }
        (bans, rules) = (bans_now, rules_now);
        tokio::select! {
            _ = tokio::time::sleep(ROUND_MIN) => {}
            _ = stop.wait_for(|stop| *stop) => return,
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            _ = stop.wait_for(|stop| *stop) => return,
        }
    }
}
