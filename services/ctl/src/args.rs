//! The command line.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Watches and steers Fairshot rooms.
#[derive(Debug, Parser)]
#[command(name = "fairshotctl", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(flatten)]
    pub reach: Reach,
    /// JSON for scripts: one document, or one a line from what streams.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// Where the server is and what is shown to it. A flag goes over the environment, that over the context.
#[derive(Debug, ClapArgs)]
pub(crate) struct Reach {
    /// A context of the configuration file.
    #[arg(long, global = true, env = "FAIRSHOTCTL_CONTEXT", value_name = "NAME")]
    pub context: Option<String>,
    /// The admin API [default: 127.0.0.1:7601].
    #[arg(long, global = true, env = "FAIRSHOTCTL_ADDRESS", value_name = "HOST:PORT")]
    pub address: Option<String>,
    /// File with the bearer token.
    #[arg(long, global = true, env = "FAIRSHOTCTL_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Speaks TLS; implied by --ca-file and --cert-file.
    #[arg(long, global = true)]
    pub tls: bool,
    /// PEM authority the server's certificate is checked with.
    #[arg(long, global = true, env = "FAIRSHOTCTL_CA_FILE", value_name = "FILE")]
    pub ca_file: Option<PathBuf>,
    /// Name in the server's certificate, where it is not the host's.
    #[arg(long, global = true, value_name = "NAME")]
    pub server_name: Option<String>,
    /// PEM client certificate, in a token's place.
    #[arg(long, global = true, value_name = "FILE", requires = "key_file")]
    pub cert_file: Option<PathBuf>,
    /// PEM key of the client certificate.
    #[arg(long, global = true, value_name = "FILE", requires = "cert_file")]
    pub key_file: Option<PathBuf>,
    /// How long a call may take.
    #[arg(long, global = true, default_value = "10s", value_name = "TIME", value_parser = some_time)]
    pub timeout: Duration,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Nodes, their shards and their load; `nodes drain`.
    Nodes(Nodes),
    /// Rooms; `rooms create` and `rooms close`.
    Rooms(Rooms),
    /// Connected players.
    Players {
        #[command(flatten)]
        only: Only,
    },
    /// The weapons of a mode.
    Weapons { mode: String },
    /// A player's inventory, as the server holds it.
    Inventory { player: String },
    /// Gives a player rounds of a weapon.
    Give {
        player: String,
        /// Name or number.
        weapon: String,
        #[arg(value_parser = clap::value_parser!(u16), allow_negative_numbers = true)]
        rounds: u16,
        /// Also puts it into her hand.
        #[arg(long)]
        arm: bool,
        #[command(flatten)]
        how: How,
    },
    /// Takes a weapon and its rounds away.
    Take {
        player: String,
        weapon: String,
        #[command(flatten)]
        how: How,
    },
    /// Sets the rounds of a weapon that the player has.
    Ammo {
        player: String,
        weapon: String,
        #[arg(allow_negative_numbers = true)]
        total: u16,
        /// Rounds in the clip; left to the client without it.
        #[arg(long, allow_negative_numbers = true)]
        clip: Option<i32>,
        #[command(flatten)]
        how: How,
    },
    /// Takes every weapon away.
    Clear {
        player: String,
        #[command(flatten)]
        how: How,
    },
    /// Puts a weapon that the player has, or `fists`, into her hand.
    Arm {
        player: String,
        weapon: String,
        #[command(flatten)]
        how: How,
    },
    /// Sends a player away.
    Kick {
        player: String,
        /// Told to her.
        #[arg(long, default_value = "")]
        reason: String,
        #[command(flatten)]
        how: How,
    },
    /// Keeps a player, an address or a range of addresses out.
    Ban {
        /// A player id, 192.0.2.7 or 192.0.2.0/24.
        subject: String,
        #[arg(long, default_value = "")]
        reason: String,
        /// Such as 30m, 12h or 7d; without it the ban has no end.
        #[arg(long = "for", value_name = "TIME", value_parser = time)]
        lasts: Option<Duration>,
        #[command(flatten)]
        how: How,
    },
    /// Lifts a ban.
    Unban {
        subject: String,
        #[command(flatten)]
        how: How,
    },
    /// Bans that have not run out.
    Bans,
    /// The newest heartbeat of each room, then each as it comes.
    Heartbeats {
        #[command(flatten)]
        only: Only,
        /// End after the newest of each room.
        #[arg(long, conflicts_with = "count")]
        once: bool,
        /// End after so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        count: Option<u64>,
    },
    /// Refused shots as they are refused.
    Refusals {
        #[command(flatten)]
        only: Only,
        #[arg(long)]
        player: Option<String>,
        #[arg(long)]
        rule: Option<String>,
        /// End after so many.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        count: Option<u64>,
    },
    /// A player's last shots, and why one was refused.
    #[command(subcommand)]
    Shots(Shots),
    /// Rule settings of modes; `rules set` and `rules revert`.
    Rules(Rules),
    /// The server's audit log; `audit verify` checks files.
    Audit(Audit),
    /// The same as `nodes drain`.
    Drain(Drain),
    /// A live view of rooms and of what is refused in them.
    Top,
    /// Contexts of the configuration file.
    #[command(subcommand)]
    Context(Context),
    /// Makes a token and the lines that let it in.
    #[command(subcommand)]
    Token(Token),
    /// Prints a completion script.
    Completions { shell: clap_complete::Shell },
}

/// Which rooms.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct Only {
    #[arg(long)]
    pub room: Option<String>,
    #[arg(long)]
    pub mode: Option<String>,
    #[arg(long)]
    pub node: Option<String>,
}

/// How a change is made.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct How {
    /// Says what would happen and changes nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The same id within ten minutes is the same call, done once.
    #[arg(long, default_value = "", value_name = "ID", hide_default_value = true)]
    pub request_id: String,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Nodes {
    #[command(subcommand)]
    pub action: Option<NodesAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum NodesAction {
    /// Stops a node from taking rooms and seats; a cluster's node ends once it is empty.
    Drain(Drain),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Drain {
    pub node: String,
    /// Running rooms are ended after this.
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = time)]
    pub deadline: Duration,
    /// Goes on until the node is empty or gone, and tells how far it is.
    #[arg(long, conflicts_with = "dry_run")]
    pub wait: bool,
    #[command(flatten)]
    pub how: How,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Rooms {
    #[command(subcommand)]
    pub action: Option<RoomsAction>,
    #[arg(long)]
    pub mode: Option<String>,
    #[arg(long)]
    pub node: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RoomsAction {
    /// Opens a room.
    Create {
        mode: String,
        /// Its id; the node names it without.
        #[arg(long)]
        room: Option<String>,
        #[arg(long)]
        node: Option<String>,
        #[arg(long)]
        seed: Option<u64>,
        #[command(flatten)]
        how: How,
    },
    /// Tells a room's players that it ends, and ends it.
    Close {
        room: String,
        #[arg(long, default_value = "")]
        reason: String,
        #[command(flatten)]
        how: How,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Shots {
    /// The shots kept of a player, newest first.
    List {
        player: String,
        /// Only those that were refused.
        #[arg(long)]
        refused: bool,
    },
    /// Everything kept of one shot: what was claimed, and what each rule made of it.
    Explain {
        player: String,
        /// The shot's number, as refusals and `shots list` show it.
        shot: u32,
    },
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Rules {
    #[command(subcommand)]
    pub action: Option<RulesAction>,
    pub mode: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesAction {
    /// Lays a value over the mode's file, such as `rules set arena rate.stall_s 1`.
    Set {
        mode: String,
        key: String,
        /// true, false or a number.
        #[arg(allow_negative_numbers = true)]
        value: String,
        #[command(flatten)]
        how: How,
    },
    /// Goes back to the file's value.
    Revert {
        mode: String,
        key: String,
        #[command(flatten)]
        how: How,
    },
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub action: Option<AuditAction>,
    #[arg(long)]
    pub caller: Option<String>,
    /// Such as GiveWeapon or Ban.
    #[arg(long)]
    pub method: Option<String>,
    #[arg(long, default_value_t = 50)]
    pub limit: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditAction {
    /// Checks the chain of each file: that no line was changed, left out, added or moved.
    Verify {
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Context {
    /// Lists them; the current one is marked.
    List,
    /// Makes one current.
    Use { name: String },
    /// Prints where the file is looked for.
    Path,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Prints a new token, and the lines for the server's file of tokens.
    New {
        name: String,
        #[arg(value_enum)]
        role: Role,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Role {
    Viewer,
    Operator,
    Admin,
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; such as 30s, 15m or 2h"))
}

fn some_time(text: &str) -> Result<Duration, String> {
    match time(text)? {
        Duration::ZERO => Err("no time at all; such as 10s".to_owned()),
        some => Ok(some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_clip_of_minus_one_reaches_the_server_that_refuses_it() {
        let args = Args::try_parse_from(["fairshotctl", "ammo", "p", "30", "90", "--clip", "-1"]);
        assert!(matches!(
            args.expect("parses").command,
            Command::Ammo { clip: Some(-1), total: 90, .. }
        ));
    }

    #[test]
    fn a_node_is_drained_by_either_spelling() {
        let nodes = Args::try_parse_from(["fairshotctl", "nodes", "drain", "n-1", "--wait"]);
        let Command::Nodes(Nodes { action: Some(NodesAction::Drain(drain)) }) =
            nodes.expect("parses").command
        else {
            panic!("nodes drain is a drain");
        };
        assert!(drain.wait && drain.node == "n-1" && drain.deadline.as_secs() == 600);
        let short = Args::try_parse_from(["fairshotctl", "drain", "n-1", "--deadline", "30s"]);
        assert!(matches!(
            short.expect("parses").command,
            Command::Drain(Drain { wait: false, deadline, .. }) if deadline.as_secs() == 30
        ));
    }

    #[test]
    fn rooms_is_a_list_and_has_actions() {
        let list = Args::try_parse_from(["fairshotctl", "rooms", "--mode", "arena"]);
        assert!(matches!(
            list.expect("parses").command,
            Command::Rooms(Rooms { action: None, mode: Some(_), .. })
        ));
        let close = Args::try_parse_from(["fairshotctl", "rooms", "close", "r-1"]);
        assert!(matches!(
            close.expect("parses").command,
            Command::Rooms(Rooms { action: Some(RoomsAction::Close { .. }), .. })
        ));
    }
}
