//! One connection as the gateway knows it: greeting, waiting for the shard's word, or playing.

use crate::counters::Traffic;
use crate::limits::{Bucket, Limits, SecondCount};
use crate::queue::DownQueue;
use bytes::Bytes;
use fairshot_transport::ConnectionKey;
use fairshot_wire::{StreamReader, UpLimits};
use std::time::Instant;

/// A session of one gateway. Never names another session after its own is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub(crate) ConnectionKey);

impl SessionId {
    /// A small number, unique among the sessions of a gateway at one time: fit for a flat array.
    #[must_use]
    pub fn index(self) -> usize {
        self.0.index()
    }
}

/// The session is over; whatever was asked for it did not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session is over")]
pub struct Gone;

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) stage: Stage,
    pub(crate) reader: StreamReader,
    /// The stream gave all it had at the last read.
    pub(crate) unread: bool,
    pub(crate) last_heard: Instant,
    pub(crate) malformed: SecondCount,
}

#[derive(Debug)]
pub(crate) enum Stage {
    /// Its hello has not come.
    Greeting {
        since: Instant,
    },
    /// The shard has its hello.
    Asked {
        since: Instant,
    },
    Playing(Box<Playing>),
}

/// What a session costs once its ticket was good.
#[derive(Debug)]
pub(crate) struct Playing {
    pub(crate) queue: DownQueue,
    pub(crate) limits: UpLimits,
    /// The newest snapshot that has not gone yet.
    pub(crate) snapshot: Option<Bytes>,
    pub(crate) datagrams: Bucket,
    pub(crate) over_rate: SecondCount,
    pub(crate) messages: Bucket,
    pub(crate) traffic: Traffic,
}

impl Session {
    pub(crate) fn new(key: ConnectionKey, now: Instant) -> Self {
        Self {
            id: SessionId(key),
            stage: Stage::Greeting { since: now },
            reader: StreamReader::up(),
            unread: false,
            last_heard: now,
            malformed: SecondCount::new(now),
        }
    }

    pub(crate) fn playing(&mut self) -> Option<&mut Playing> {
        match &mut self.stage {
            Stage::Playing(playing) => Some(playing),
            Stage::Greeting { .. } | Stage::Asked { .. } => None,
        }
    }
}

impl Playing {
    pub(crate) fn new(now: Instant, limits: &Limits, up: UpLimits) -> Self {
        Self {
            queue: DownQueue::default(),
            limits: up,
            snapshot: None,
            datagrams: Bucket::new(now, limits.datagrams_burst),
            over_rate: SecondCount::new(now),
            messages: Bucket::new(now, limits.messages_burst),
            traffic: Traffic::default(),
        }
    }
}
