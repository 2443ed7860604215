//! The directory of a process that is its own cluster: a table, with the same rules as etcd's.

use super::{
    Directory, DirectoryError, NodeLease, NodeRecord, NodeStanding, RoomEpoch, RoomRecord,
    RoomStatus, View, ViewCell, ViewState,
};
use crate::control::{Ban, BanSubject, RuleKey, RuleValue};
use async_trait::async_trait;
use fairshot_matchmaking::RoomSummary;
use fairshot_units::{NodeId, RoomId};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One process's handle on a table. Handles made by [`LocalDirectory::sibling`] share the table, as
/// processes share etcd; a handle that is dropped takes its node with it, as a process that dies does.
#[derive(Debug)]
pub struct LocalDirectory {
    table: Arc<Table>,
    /// The node that this handle announced, and its lease.
    own: Mutex<Option<(NodeId, NodeLease)>>,
}

#[derive(Debug)]
struct Table {
    view: ViewCell,
    revision: AtomicU64,
}

impl Default for LocalDirectory {
    fn default() -> Self {
        Self::new()
    }
}

impl LocalDirectory {
    #[must_use]
    pub fn new() -> Self {
        let table = Table { view: ViewCell::new(ViewState::Live), revision: AtomicU64::new(0) };
        Self { table: Arc::new(table), own: Mutex::default() }
    }

    /// Another handle on the same table.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self { table: Arc::clone(&self.table), own: Mutex::default() }
    }

    fn next_revision(&self) -> u64 {
        self.table.revision.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn own(&self) -> Option<(NodeId, NodeLease)> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn remove_own(&self) {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((node, _)) = own else { return };
        self.table.view.write(|view| {
            view.nodes.remove(&node);
            view.rooms.retain(|_, room| room.summary.node != node);
        });
    }

    fn insert_room(
        &self,
        view: &mut View,
        room: &RoomSummary,
    ) -> Result<RoomEpoch, DirectoryError> {
        if view.rooms.contains_key(&room.room) {
            return Err(DirectoryError::RoomExists(room.room.clone()));
        }
        let Some(node) = view.nodes.get_mut(&room.node) else {
            return Err(DirectoryError::NodeGone);
        };
        node.standing.placements += 1;
        let epoch = RoomEpoch(self.next_revision());
        view.rooms.insert(room.room.clone(), RoomRecord { summary: room.clone(), epoch });
        Ok(epoch)
    }
}

impl Drop for LocalDirectory {
    fn drop(&mut self) {
        self.remove_own();
    }
}

#[async_trait]
impl Directory for LocalDirectory {
    fn view(&self) -> &ViewCell {
        &self.table.view
    }

    async fn announce(&self, node: &NodeRecord) -> Result<NodeLease, DirectoryError> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let id = node.offer.node.clone();
        let lease = match &*own {
            Some((known, lease)) if *known == id => *lease,
            _ => NodeLease(i64::try_from(self.next_revision()).unwrap_or(i64::MAX)),
        };
        *own = Some((id.clone(), lease));
        self.table.view.write(|view| {
            let placements = view.nodes.get(&id).map_or(0, |known| known.standing.placements);
            let standing = NodeStanding { placements, lease };
            view.nodes.insert(id, NodeRecord { standing, ..node.clone() });
        });
        Ok(lease)
    }

    async fn withdraw(&self) -> Result<(), DirectoryError> {
        self.remove_own();
        Ok(())
    }

    async fn place_room(
        &self,
        room: &RoomSummary,
        placements_seen: u64,
    ) -> Result<RoomEpoch, DirectoryError> {
        self.table.view.write(|view| {
            let node = view.nodes.get(&room.node).ok_or(DirectoryError::NodeGone)?;
            if node.standing.placements != placements_seen {
                return Err(DirectoryError::PlacementRaced);
            }
            self.insert_room(view, room)
        })
    }

    async fn claim_room(&self, room: &RoomSummary) -> Result<RoomEpoch, DirectoryError> {
        match self.own() {
            Some((node, _)) if node == room.node => {
                self.table.view.write(|view| match view.rooms.get(&room.room) {
                    Some(record) if record.summary.node == node => Ok(record.epoch),
                    _ => self.insert_room(view, room),
                })
            }
            _ => Err(DirectoryError::NodeGone),
        }
    }

    async fn update_room(
        &self,
        room: &RoomId,
        epoch: RoomEpoch,
        status: &RoomStatus,
    ) -> Result<(), DirectoryError> {
        if self.own().is_none() {
            return Err(DirectoryError::NodeGone);
        }
        self.table.view.write(|view| match view.rooms.get_mut(room) {
            Some(record) if record.epoch == epoch => {
                record.summary.seats = status.seats;
                record.summary.locked = status.locked;
                Ok(())
            }
            _ => Err(DirectoryError::Fenced(room.clone())),
        })
    }

    async fn remove_room(&self, room: &RoomId, epoch: RoomEpoch) -> Result<(), DirectoryError> {
        self.table.view.write(|view| match view.rooms.get(room) {
            Some(record) if record.epoch == epoch => {
                view.rooms.remove(room);
                Ok(())
            }
            _ => Err(DirectoryError::Fenced(room.clone())),
        })
    }

    async fn put_ban(&self, ban: &Ban) -> Result<(), DirectoryError> {
        self.table.view.write(|view| view.bans.insert(ban.subject.clone(), ban.clone()));
        Ok(())
    }

    async fn remove_ban(&self, subject: &BanSubject) -> Result<Ban, DirectoryError> {
        self.table.view.write(|view| view.bans.remove(subject)).ok_or(DirectoryError::NotFound)
    }

    async fn put_rule(
        &self,
        mode: &str,
        key: &RuleKey,
        value: Option<RuleValue>,
    ) -> Result<(), DirectoryError> {
        let name = (mode.to_owned(), key.clone());
        self.table.view.write(|view| match value {
            Some(value) => view.rules.insert(name, value),
            None => view.rules.remove(&name),
        });
        Ok(())
    }
}
