//! Each command: a call, and what is printed of its answer.

mod audit;
mod drain;
mod lists;
mod people;
mod rooms;
mod rules;
mod settings;
mod shots;
mod streams;
mod weapons;

use crate::args::{Args, Command, Nodes, NodesAction, Rooms, Rules};
use crate::connect::connect;
use crate::error::Failure;
use crate::out::Out;
use crate::top;

pub(crate) async fn run(args: Args) -> Result<(), Failure> {
    let out = Out::new(args.json);
    let reach = &args.reach;
    match args.command {
        Command::Completions { shell } => settings::completions(shell),
        Command::Context(action) => settings::context(action, out),
        Command::Token(action) => settings::token(action, out),
        Command::Audit(audit) if audit.action.is_some() => audit::verify_files(audit, out),

        Command::Nodes(Nodes { action: None }) => lists::nodes(connect(reach).await?, out).await,
        Command::Drain(drain)
        | Command::Nodes(Nodes { action: Some(NodesAction::Drain(drain)) }) => {
            drain::drain(connect(reach).await?, drain, out).await
        }
        Command::Rooms(Rooms { action: Some(action), .. }) => {
            rooms::act(connect(reach).await?, action, out).await
        }
        Command::Rooms(rooms) => lists::rooms(connect(reach).await?, rooms, out).await,
        Command::Players { only } => lists::players(connect(reach).await?, only, out).await,
        Command::Weapons { mode } => lists::weapons(connect(reach).await?, mode, out).await,
        Command::Inventory { player } => {
            weapons::inventory(connect(reach).await?, player, out).await
        }
        command @ (Command::Give { .. }
        | Command::Take { .. }
        | Command::Ammo { .. }
        | Command::Clear { .. }
        | Command::Arm { .. }) => weapons::act(connect(reach).await?, command, out).await,
        command @ (Command::Kick { .. } | Command::Ban { .. } | Command::Unban { .. }) => {
            people::act(connect(reach).await?, command, out).await
        }
        Command::Bans => people::bans(connect(reach).await?, out).await,
        Command::Heartbeats { only, once, count } => {
            streams::heartbeats(connect(reach).await?, only, once, count, out).await
        }
        Command::Refusals { only, player, rule, count } => {
            let wanted = streams::Wanted { only, player, rule, count };
            streams::refusals(connect(reach).await?, wanted, out).await
        }
        Command::Shots(action) => shots::act(connect(reach).await?, action, out).await,
        Command::Rules(Rules { action: Some(action), .. }) => {
            rules::act(connect(reach).await?, action, out).await
        }
        Command::Rules(rules) => rules::list(connect(reach).await?, rules.mode, out).await,
        Command::Audit(audit) => audit::list(connect(reach).await?, audit, out).await,
        Command::Top => top::run(connect(reach).await?).await,
    }
}

/// "would " before what a dry run only says.
fn would(dry_run: bool) -> &'static str {
    if dry_run { "would: " } else { "" }
}
