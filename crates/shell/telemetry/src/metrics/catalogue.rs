//! Every metric as data: its name, kind, labels and words. A test holds `docs/metrics.md` and the page
//! a scrape reads to this list.

/// One metric's declaration.
#[derive(Debug)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub labels: &'static [&'static str],
    pub help: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Counter,
    Gauge,
    /// With the upper bounds of its buckets.
    Histogram(&'static [f64]),
}

impl Kind {
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram(_) => "histogram",
        }
    }
}

/// A tick at 64 Hz has 15.6 ms, and a shard with 200 rooms in 8 phases spends single milliseconds in
/// a pass: fine steps below 2 ms, where the aim for the 99th percentile lies, one bound exactly at the
/// tick, and a few above for stalls.
const TICK: &[f64] = &[
    0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.015625, 0.03125, 0.0625, 0.25,
    1.0,
];

/// Latency grades of real networks from wire to bad cellular, up to the second nothing goes beyond.
const REWIND: &[f64] = &[0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0];

pub(super) static SHOTS_REFUSED: Metric = Metric {
    name: "fairshot_shots_refused_total",
    kind: Kind::Counter,
    labels: &["mode", "rule"],
    help: "Shots refused, by the rule that refused them.",
};
pub(super) static SHOTS_JUDGED: Metric = Metric {
    name: "fairshot_shots_judged_total",
    kind: Kind::Counter,
    labels: &["mode"],
    help: "Shots ruled on: accepted and refused.",
};
pub(super) static SHOTS_ACCEPTED: Metric = Metric {
    name: "fairshot_shots_accepted_total",
    kind: Kind::Counter,
    labels: &["mode"],
    help: "Shots accepted.",
};
pub(super) static HITS: Metric = Metric {
    name: "fairshot_hits_total",
    kind: Kind::Counter,
    labels: &["mode"],
    help: "Hits of accepted shots, each pellet and pierced target.",
};
pub(super) static UNSEEN_DEATHS: Metric = Metric {
    name: "fairshot_unseen_deaths_total",
    kind: Kind::Counter,
    labels: &["mode"],
    help: "Honest shots of players who had not yet seen their death: refused as armed, and counted here in its place.",
};
pub(super) static LEDGER_CORRECTIONS: Metric = Metric {
    name: "fairshot_ledger_corrections_total",
    kind: Kind::Counter,
    labels: &["mode"],
    help: "Times an inventory's total was lowered to what its client reported.",
};
pub(super) static WEAPON_COMMANDS: Metric = Metric {
    name: "fairshot_weapon_commands_total",
    kind: Kind::Counter,
    labels: &["mode", "reason"],
    help: "Weapon commands, by what became of them.",
};
pub(super) static SHOT_REWIND: Metric = Metric {
    name: "fairshot_shot_rewind_seconds",
    kind: Kind::Histogram(REWIND),
    labels: &["mode"],
    help: "How far before its landing a shot was judged.",
};
pub(super) static ROOMS: Metric =
    Metric { name: "fairshot_rooms", kind: Kind::Gauge, labels: &["mode"], help: "Open rooms." };
pub(super) static ROOMS_ENDED: Metric = Metric {
    name: "fairshot_rooms_ended_total",
    kind: Kind::Counter,
    labels: &["mode", "reason"],
    help: "Rooms that ended, by why.",
};
pub(super) static PLAYERS: Metric = Metric {
    name: "fairshot_players",
    kind: Kind::Gauge,
    labels: &["mode"],
    help: "Players in rooms.",
};
pub(super) static TICK_DURATION: Metric = Metric {
    name: "fairshot_tick_duration_seconds",
    kind: Kind::Histogram(TICK),
    labels: &["shard"],
    help: "Time one pass of a shard's timer took, all rooms due in it.",
};
pub(super) static TICK_LATENESS: Metric = Metric {
    name: "fairshot_tick_lateness_seconds",
    kind: Kind::Histogram(TICK),
    labels: &["shard"],
    help: "How long after it was due a pass began.",
};
pub(super) static TICK_RECEIVE: Metric = Metric {
    name: "fairshot_tick_receive_seconds",
    kind: Kind::Histogram(TICK),
    labels: &["shard"],
    help: "Stage of a pass: taking datagrams in.",
};
pub(super) static TICK_ROOMS: Metric = Metric {
    name: "fairshot_tick_rooms_seconds",
    kind: Kind::Histogram(TICK),
    labels: &["shard"],
    help: "Stage of a pass: ticking the rooms that are due.",
};
pub(super) static TICK_SEND: Metric = Metric {
    name: "fairshot_tick_send_seconds",
    kind: Kind::Histogram(TICK),
    labels: &["shard"],
    help: "Stage of a pass: sending snapshots and events.",
};
pub(super) static TICKS: Metric = Metric {
    name: "fairshot_ticks_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Room ticks run.",
};
pub(super) static TICKS_LATE: Metric = Metric {
    name: "fairshot_ticks_late_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Room ticks begun over 1 ms after they were due.",
};
pub(super) static TICKS_DROPPED: Metric = Metric {
    name: "fairshot_ticks_dropped_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Room ticks given up after a stall of more than 16.",
};
pub(super) static SESSIONS: Metric = Metric {
    name: "fairshot_sessions",
    kind: Kind::Gauge,
    labels: &["shard"],
    help: "Connected player sessions.",
};
pub(super) static SESSIONS_ENDED: Metric = Metric {
    name: "fairshot_sessions_ended_total",
    kind: Kind::Counter,
    labels: &["shard", "reason"],
    help: "Player sessions that ended, by why.",
};
pub(super) static SLOW_DISCONNECTS: Metric = Metric {
    name: "fairshot_slow_disconnects_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Sessions closed because they read their events too slowly.",
};
pub(super) static BYTES_UP: Metric = Metric {
    name: "fairshot_bytes_up_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Payload bytes from players.",
};
pub(super) static BYTES_DOWN: Metric = Metric {
    name: "fairshot_bytes_down_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Payload bytes to players.",
};
pub(super) static DATAGRAMS_UP: Metric = Metric {
    name: "fairshot_datagrams_up_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Datagrams from players.",
};
pub(super) static DATAGRAMS_DOWN: Metric = Metric {
    name: "fairshot_datagrams_down_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Datagrams to players.",
};
pub(super) static MALFORMED: Metric = Metric {
    name: "fairshot_malformed_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Datagrams and stream messages from players that are none.",
};
pub(super) static HANDSHAKES: Metric = Metric {
    name: "fairshot_handshakes_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Connections begun.",
};
pub(super) static RATE_LIMITED: Metric = Metric {
    name: "fairshot_rate_limited_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Datagrams, handshakes and joins turned away by a rate limit.",
};
pub(super) static INBOX_DEPTH: Metric = Metric {
    name: "fairshot_inbox_depth",
    kind: Kind::Gauge,
    labels: &["shard"],
    help: "Inputs waiting for the next tick, over all rooms of the shard.",
};
pub(super) static INBOX_OVERFLOWS: Metric = Metric {
    name: "fairshot_inbox_overflows_total",
    kind: Kind::Counter,
    labels: &["shard"],
    help: "Inputs dropped because a room's inbox was full.",
};
pub(super) static EVENT_QUEUE_BYTES: Metric = Metric {
    name: "fairshot_event_queue_bytes",
    kind: Kind::Gauge,
    labels: &["shard"],
    help: "Event bytes queued and not acknowledged, over all sessions of the shard.",
};
pub(super) static COMMAND_QUEUE_DEPTH: Metric = Metric {
    name: "fairshot_command_queue_depth",
    kind: Kind::Gauge,
    labels: &["shard"],
    help: "Weapon commands queued and not sent, over all sessions of the shard.",
};
pub(super) static JOINS: Metric = Metric {
    name: "fairshot_joins_total",
    kind: Kind::Counter,
    labels: &["reason"],
    help: "Attempts to take a seat or to connect with a ticket, by outcome.",
};
pub(super) static SEATS_RESERVED: Metric = Metric {
    name: "fairshot_seats_reserved",
    kind: Kind::Gauge,
    labels: &[],
    help: "Seats promised by tickets that have not connected.",
};
pub(super) static ADMIN_CALLS: Metric = Metric {
    name: "fairshot_admin_calls_total",
    kind: Kind::Counter,
    labels: &["reason"],
    help: "Calls to the admin API, by gRPC code.",
};
pub(super) static AUDIT_ENTRIES: Metric = Metric {
    name: "fairshot_audit_entries_total",
    kind: Kind::Counter,
    labels: &[],
    help: "Entries written to the audit log and synced.",
};
pub(super) static AUDIT_FAILURES: Metric = Metric {
    name: "fairshot_audit_failures_total",
    kind: Kind::Counter,
    labels: &[],
    help: "Admin calls refused because their audit entry could not be written.",
};
pub(super) static LOG_LINES_DROPPED: Metric = Metric {
    name: "fairshot_log_lines_dropped_total",
    kind: Kind::Counter,
    labels: &[],
    help: "Log lines left out by the log rate limit.",
};
pub(super) static READY: Metric = Metric {
    name: "fairshot_ready",
    kind: Kind::Gauge,
    labels: &[],
    help: "1 where the process is ready to take players, else 0.",
};
pub(super) static BUILD_INFO: Metric = Metric {
    name: "fairshot_build_info",
    kind: Kind::Gauge,
    labels: &["version"],
    help: "Always 1; the version of the program as a label.",
};
pub(super) static PROCESS_CPU: Metric = Metric {
    name: "process_cpu_seconds_total",
    kind: Kind::Counter,
    labels: &[],
    help: "Total user and system CPU time spent in seconds.",
};
pub(super) static PROCESS_FDS: Metric = Metric {
    name: "process_open_fds",
    kind: Kind::Gauge,
    labels: &[],
    help: "Number of open file descriptors.",
};
pub(super) static PROCESS_FDS_MAX: Metric = Metric {
    name: "process_max_fds",
    kind: Kind::Gauge,
    labels: &[],
    help: "Maximum number of open file descriptors.",
};
pub(super) static PROCESS_VIRTUAL: Metric = Metric {
    name: "process_virtual_memory_bytes",
    kind: Kind::Gauge,
    labels: &[],
    help: "Virtual memory size in bytes.",
};
pub(super) static PROCESS_VIRTUAL_MAX: Metric = Metric {
    name: "process_virtual_memory_max_bytes",
    kind: Kind::Gauge,
    labels: &[],
    help: "Maximum amount of virtual memory available in bytes.",
};
pub(super) static PROCESS_RESIDENT: Metric = Metric {
    name: "process_resident_memory_bytes",
    kind: Kind::Gauge,
    labels: &[],
    help: "Resident memory size in bytes.",
};
pub(super) static PROCESS_START: Metric = Metric {
    name: "process_start_time_seconds",
    kind: Kind::Gauge,
    labels: &[],
    help: "Start time of the process since unix epoch in seconds.",
};
pub(super) static PROCESS_THREADS: Metric = Metric {
    name: "process_threads",
    kind: Kind::Gauge,
    labels: &[],
    help: "Number of OS threads in the process.",
};

/// All of them, in the order of the documentation.
pub static ALL: &[&Metric] = &[
    &SHOTS_REFUSED,
    &SHOTS_JUDGED,
    &SHOTS_ACCEPTED,
    &HITS,
    &UNSEEN_DEATHS,
    &LEDGER_CORRECTIONS,
    &WEAPON_COMMANDS,
    &SHOT_REWIND,
    &ROOMS,
    &ROOMS_ENDED,
    &PLAYERS,
    &TICK_DURATION,
    &TICK_LATENESS,
    &TICK_RECEIVE,
    &TICK_ROOMS,
    &TICK_SEND,
    &TICKS,
    &TICKS_LATE,
    &TICKS_DROPPED,
    &SESSIONS,
    &SESSIONS_ENDED,
    &SLOW_DISCONNECTS,
    &BYTES_UP,
    &BYTES_DOWN,
    &DATAGRAMS_UP,
    &DATAGRAMS_DOWN,
    &MALFORMED,
    &HANDSHAKES,
    &RATE_LIMITED,
    &INBOX_DEPTH,
    &INBOX_OVERFLOWS,
    &EVENT_QUEUE_BYTES,
    &COMMAND_QUEUE_DEPTH,
    &JOINS,
    &SEATS_RESERVED,
    &ADMIN_CALLS,
    &AUDIT_ENTRIES,
    &AUDIT_FAILURES,
    &LOG_LINES_DROPPED,
    &READY,
    &BUILD_INFO,
    &PROCESS_CPU,
    &PROCESS_FDS,
    &PROCESS_FDS_MAX,
    &PROCESS_VIRTUAL,
    &PROCESS_VIRTUAL_MAX,
    &PROCESS_RESIDENT,
    &PROCESS_START,
    &PROCESS_THREADS,
];
