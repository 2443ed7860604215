//! From the command line to a running process, and its exit code.

use crate::signals::Signals;
use crate::standalone::{Standalone, StartError};
use fairshot_actors::{LoadedMode, Modes, Node};
use fairshot_cluster::control::NodeControl as _;
use fairshot_settings::{LogFormat, Program, Settings, SettingsError};
use fairshot_telemetry::{InstallError, Installed, LogLimit, LogSettings, TraceSettings};
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The exit code of a process that could not start for a reason outside its settings.
pub const PROCESS_FAILED: u8 = 70;

/// Runs a whole node in this process until it is told to stop.
#[must_use]
pub fn main(program: &Program) -> ExitCode {
    run_with(program, fairshot_settings::load(program))
}

/// As [`main`], with these arguments (the program's name first) and no environment.
#[must_use]
pub fn main_from(program: &Program, arguments: Vec<OsString>) -> ExitCode {
    run_with(program, fairshot_settings::load_from(program, arguments, &BTreeMap::new()))
}

fn run_with(program: &Program, settings: Result<Settings, SettingsError>) -> ExitCode {
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return exit_with(&error),
    };
    let installed = match install(&settings, program) {
        Ok(installed) => installed,
        Err(error) => {
            eprintln!("{}: {}", program.name, chain(&error));
            return ExitCode::from(PROCESS_FAILED);
        }
    };
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    tracing::info!(version = program.version, "starting\n{settings}");
    actix::System::new().block_on(run(settings, installed.log_limit()))
}

/// Starts logs and traces as the settings say.
///
/// # Errors
/// [`InstallError`].
pub fn install(settings: &Settings, program: &Program) -> Result<Installed, InstallError> {
    let log = LogSettings {
        filter: settings.log.level.clone(),
        json: settings.log.format == LogFormat::Json,
    };
    let traces = TraceSettings {
        otlp_endpoint: settings.traces_otlp_endpoint.clone(),
        service: program.name.to_owned(),
        version: program.version.to_owned(),
        instance: settings.cluster.as_ref().and_then(|c| c.node_id.clone()).unwrap_or_default(),
    };
    fairshot_telemetry::install(&log, &traces)
}

/// Prints why a process does not start and gives its exit code: 64 where the settings are to blame.
#[must_use]
pub fn exit_with(error: &SettingsError) -> ExitCode {
    match error {
        SettingsError::Shown(text) => print!("{text}"),
        other => eprintln!("{other}"),
    }
    ExitCode::from(error.exit_code())
}

/// The modes of the settings, each with the world built from it.
#[must_use]
pub fn loaded_modes(settings: &Settings) -> Modes {
    let mut modes = Modes::default();
    for mode in &settings.modes.all {
        modes.insert(match settings.modes.worlds.get(&mode.name) {
            Some(world) => LoadedMode::with_world(mode.clone(), world.clone()),
            None => LoadedMode::new(mode.clone()),
        });
    }
    modes
}

async fn run(settings: Settings, log: LogLimit) -> ExitCode {
    let grace = settings.node.grace;
    let started = async {
        let signals = Signals::listen().map_err(|error| Box::new(error) as Box<dyn Error>)?;
        let standalone = Standalone::start(settings, Some(log)).await?;
        Ok::<_, Box<dyn Error>>((signals, standalone))
    };
    let (mut signals, standalone) = match started.await {
        Ok(started) => started,
        Err(error) => {
            eprintln!("fairshot: {}", chain(error.as_ref()));
            let known = error.downcast_ref::<StartError>();
            return ExitCode::from(known.map_or(PROCESS_FAILED, StartError::exit_code));
        }
    };
    println!("{}", standalone.banner());
    let told = signals.next().await;
    tracing::info!(?told, grace_s = grace.as_secs(), "stopping: no new seats");
    standalone.drain(grace);
    tokio::select! {
        () = until_empty(standalone.node(), grace) => {}
        told = signals.next() => tracing::info!(?told, "told again: stopping now"),
    }
    standalone.stop().await;
    tracing::info!("stopped");
    ExitCode::SUCCESS
}

/// Waits until no player is left nor on her way with a ticket, or the grace time is over.
pub(crate) async fn until_empty(node: &Node, grace: Duration) {
    const LOOK_EVERY: Duration = Duration::from_millis(100);
    let until = Instant::now() + grace;
    loop {
        // The shards are asked: what they report by themselves may be older than the last join.
        let nobody = node.players(None).await.is_ok_and(|players| players.is_empty());
        if nobody && node.seats().reserved == 0 || Instant::now() >= until {
            return;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// An error with what caused it, on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        words.push_str(": ");
        words.push_str(&cause.to_string());
        source = cause.source();
    }
    words
}
