//! Being told to stop.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What told the process to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM, as service managers and containers send it.
    Terminate,
}

/// The signals that stop a process, listened to from the moment this is made.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// # Errors
    /// Where the operating system gives no handler.
    pub fn listen() -> std::io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) -> Told {
        tokio::select! {
            _ = self.interrupt.recv() => Told::Interrupt,
            _ = self.terminate.recv() => Told::Terminate,
        }
    }
}
