//! A server of the swarm's own: this program started once more as a child that is nothing but a node.

use fairshot_settings::Program;
use std::ffi::OsString;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The first argument of a child that is a server.
const SERVE: &str = "serve-as-child";
/// A server that does not listen by then has failed.
const START_MAX: Duration = Duration::from_secs(20);
/// One that has not ended by then is ended.
const STOP_MAX: Duration = Duration::from_secs(15);

const PROGRAM: Program = Program {
    name: "fairshot-swarm serve-as-child",
    about: "A node for the swarm that started it.",
    version: env!("CARGO_PKG_VERSION"),
};

/// The server's own arguments, where this process is to be one.
pub(crate) fn child_arguments() -> Option<Vec<OsString>> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    if arguments.next()? != SERVE {
        return None;
    }
    Some(std::iter::once(program).chain(arguments).collect())
}

/// Runs as a server until told to stop.
pub(crate) fn serve(arguments: Vec<OsString>) -> ExitCode {
    fairshot_process::main_from(&PROGRAM, arguments)
}

/// A child process, ended with this value.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
}

impl Server {
    /// Starts one on the default ports and waits until it takes joins at `join`.
    pub(crate) fn spawn(join: SocketAddr) -> io::Result<Self> {
        let child = Command::new(std::env::current_exe()?)
            .args([SERVE, "--log-level", "warn"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()?;
        let mut server = Self { child };
        let until = Instant::now() + START_MAX;
        while TcpStream::connect_timeout(&join, Duration::from_millis(200)).is_err() {
            if let Some(status) = server.child.try_wait()? {
                return Err(io::Error::other(format!("the server ended as it started: {status}")));
            }
            if Instant::now() > until {
                return Err(io::Error::other(format!("the server does not listen on {join}")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, and its exit code.
    pub(crate) fn stop(mut self) -> io::Result<Option<i32>> {
        self.terminate();
        let until = Instant::now() + STOP_MAX;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.code());
            }
            if Instant::now() > until {
                self.child.kill()?;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn terminate(&self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            // One that ended already needs no telling.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.terminate();
            let _ = self.child.wait();
        }
    }
}

/// What the operating system says a process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Usage {
    pub(crate) cpu_s: f64,
    pub(crate) rss_bytes: u64,
}

impl Usage {
    /// Of that process; `None` where it is gone or the system has no /proc.
    #[expect(clippy::cast_precision_loss, reason = "seconds of a figure")]
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may hold spaces; what follows its bracket does not.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks: u64 =
            fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
        Some(Self {
            cpu_s: ticks as f64 / rustix::param::clock_ticks_per_second() as f64,
            rss_bytes: pages * rustix::param::page_size() as u64,
        })
    }
}
