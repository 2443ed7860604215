//! The command line.

use clap::Parser;
use fairshot_bots::Cheat;
use fairshot_client::Grade;

/// Fills rooms with bots, plays, and reports what came of it.
#[derive(Clone, Debug, Parser)]
#[command(name = "fairshot-swarm", version)]
pub(crate) struct Args {
    /// Rooms to open.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub(crate) rooms: u16,
    /// Players in each.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) players: u16,
    /// Seconds of play.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub(crate) seconds: u32,
    /// Monsters in each room; the mode's own number if left out.
    #[arg(long, value_parser = clap::value_parser!(u32).range(0..=512))]
    pub(crate) npcs: Option<u32>,
    /// The mode to open rooms of.
    #[arg(long, default_value = "arena")]
    pub(crate) mode: String,
    /// Starts a server as a child of its own, on the default ports.
    #[arg(long, conflicts_with = "connect")]
    pub(crate) spawn: bool,
    /// A matchmaker's address, `host:port`.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7600")]
    pub(crate) connect: String,
    /// A bearer token for the matchmaker.
    #[arg(long, env = "FAIRSHOT_JOIN_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Where the server's metrics page is, for its lateness; `--spawn` knows it.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7602")]
    pub(crate) metrics: String,
    /// Makes one player of each room a cheat: rapid-fire, teleport-origin, unowned or frozen-ammo.
    #[arg(long, value_name = "NAME")]
    pub(crate) cheat: Option<Cheat>,
    /// Gives every player a cellular line of that grade, `loss_based-good` for instance.
    #[arg(long, value_name = "GRADE", value_parser = grade)]
    pub(crate) network: Option<Grade>,
    /// Keeps the bots connected and silent for so many seconds at the end.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=3600))]
    pub(crate) linger: u32,
    /// Seeds what the bots do by chance.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Ends with one JSON object instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

fn grade(name: &str) -> Result<Grade, String> {
    Grade::named(name).ok_or_else(|| format!("the grades are {}", Grade::names().join(", ")))
}
