//! Flags over the environment over the file over the defaults.

use crate::checks;
use crate::error::{Fault, SettingsError};
use crate::file::{self, Said, expected_key};
use crate::settings::Settings;
use crate::table::{
    CONFIG_FILE, CONFIG_FLAG, CONFIG_VARIABLE, Preset, SETTINGS, Setting, VARIABLE_PREFIX,
};
use crate::value::Value;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// Which program is asking, for its help.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    pub about: &'static str,
    pub version: &'static str,
}

/// Where a setting's value was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// `FILE:LINE`.
    File(String),
    Variable(String),
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(place) | Self::Variable(place) | Self::Flag(place) => f.write_str(place),
        }
    }
}

/// Every value with its origin, by key; a setting without a value is left out.
pub(crate) type Values = BTreeMap<&'static str, (Value, Origin)>;

/// The settings of this process: its arguments, its environment and its file.
///
/// # Errors
/// [`SettingsError`], to be printed as it is; the process ends with its exit code.
pub fn load(program: &Program) -> Result<Settings, SettingsError> {
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
        .filter(|(name, _)| name.starts_with(VARIABLE_PREFIX))
        .collect();
    load_from(program, std::env::args_os(), &environment)
}

/// The settings that these arguments (the program's name first) and this environment make.
///
/// # Errors
/// As [`load`].
pub fn load_from(
    program: &Program,
    arguments: impl IntoIterator<Item = OsString>,
    environment: &BTreeMap<String, OsString>,
) -> Result<Settings, SettingsError> {
    let matches = command(program).try_get_matches_from(arguments).map_err(|error| {
        if error.use_stderr() {
            SettingsError::CommandLine(error.to_string().trim_end().to_owned())
        } else {
            SettingsError::Shown(error.to_string())
        }
    })?;
    let mut faults = Vec::new();
    let file = read_file(&matches, environment, &mut faults);
    let mut values = Values::new();
    for setting in SETTINGS {
        if let Some(value) = value_of(setting, &matches, environment, &file, &mut faults) {
            values.insert(setting.key, value);
        }
    }
    let settings = checks::build(values, unknown_variables(environment), &mut faults);
    match settings {
        Some(settings) if faults.is_empty() => Ok(settings),
        _ => Err(SettingsError::Wrong(faults)),
    }
}

/// The command line, made from the table.
pub(crate) fn command(program: &Program) -> Command {
    let config =
        Arg::new(CONFIG_FLAG).long(CONFIG_FLAG).value_name("FILE").action(ArgAction::Set).help(
            format!("File of settings [env: {CONFIG_VARIABLE}] [default: {CONFIG_FILE} if any]"),
        );
    let order = "A flag goes over a variable, a variable over the file, the file over the default.";
    let command = Command::new(program.name)
        .about(program.about)
        .version(program.version)
        .after_help(order)
        .arg(config);
    SETTINGS.iter().fold(command, |command, setting| command.arg(argument(setting)))
}

fn argument(setting: &'static Setting) -> Arg {
    let default = match setting.default {
        Preset::Is(text) => text,
        Preset::Absent(meaning) => meaning,
    };
    let help = format!(
        "{} ({}) [env: {}] [default: {default}]",
        setting.what,
        setting.kind.words(),
        setting.variable()
    );
    let action = if setting.kind.is_list() { ArgAction::Append } else { ArgAction::Set };
    Arg::new(setting.key)
        .long(setting.flag())
        .value_name("VALUE")
        .action(action)
        .allow_hyphen_values(true)
        .help(help)
}

/// The one place that decides the precedence.
fn value_of(
    setting: &'static Setting,
    matches: &ArgMatches,
    environment: &BTreeMap<String, OsString>,
    file: &BTreeMap<String, Said>,
    faults: &mut Vec<Fault>,
) -> Option<(Value, Origin)> {
    let flag = matches.get_many::<String>(setting.key).map(|texts| {
        (texts.cloned().collect::<Vec<_>>(), Origin::Flag(format!("--{}", setting.flag())))
    });
    let variable = || {
        let name = setting.variable();
        let text = environment.get(&name)?.to_string_lossy().into_owned();
        Some((vec![text], Origin::Variable(name)))
    };
    let filed = || {
        let said = file.get(setting.key)?;
        Some((said.texts.clone(), Origin::File(said.place.clone())))
    };
    let default = || match setting.default {
        Preset::Is(text) => Some((vec![text.to_owned()], Origin::Default)),
        Preset::Absent(_) => None,
    };
    let (texts, origin) = flag.or_else(variable).or_else(filed).or_else(default)?;
    match setting.kind.read(&texts) {
        Ok(value) => Some((value, origin)),
        Err(found) => {
            let expected = setting.kind.words();
            faults.push(Fault {
                place: origin.to_string(),
                key: setting.key.to_owned(),
                expected,
                found,
            });
            None
        }
    }
}

fn read_file(
    matches: &ArgMatches,
    environment: &BTreeMap<String, OsString>,
    faults: &mut Vec<Fault>,
) -> BTreeMap<String, Said> {
    let flag = matches
        .get_one::<String>(CONFIG_FLAG)
        .map(|path| (path.clone(), format!("--{CONFIG_FLAG}")));
    let variable = || {
        let path = environment.get(CONFIG_VARIABLE)?.to_string_lossy().into_owned();
        Some((path, CONFIG_VARIABLE.to_owned()))
    };
    let default = || {
        Path::new(CONFIG_FILE).is_file().then(|| (CONFIG_FILE.to_owned(), CONFIG_FILE.to_owned()))
    };
    let Some((path, place)) = flag.or_else(variable).or_else(default) else {
        return BTreeMap::new();
    };
    match std::fs::read_to_string(&path) {
        Ok(text) => file::read(&path, &text, faults),
        Err(error) => {
            let expected = "a file of settings that can be read".to_owned();
            let found = format!("{path} ({error})");
            faults.push(Fault { place, key: String::new(), expected, found });
            BTreeMap::new()
        }
    }
}

/// Variables of ours that name no setting: told, not refused, since other tools may use them.
fn unknown_variables(environment: &BTreeMap<String, OsString>) -> Vec<String> {
    let known = |name: &str| {
        name == CONFIG_VARIABLE || SETTINGS.iter().any(|setting| setting.variable() == name)
    };
    let prefixed = environment.keys().filter(|name| name.starts_with(VARIABLE_PREFIX));
    prefixed
        .filter(|name| !known(name))
        .map(|name| {
            let key = name[VARIABLE_PREFIX.len()..].to_ascii_lowercase().replacen('_', ".", 1);
            format!("{name} names no setting: expected {}", expected_key(&key))
        })
        .collect()
}
