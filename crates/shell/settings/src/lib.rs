//! A process's settings: file, environment and flags, checked before anything binds.
//!
//! One table ([`SETTINGS`]) names every setting; the flags, the variables of the environment, the keys
//! of the file, the help and `docs/configuration.md` are made from it. A flag goes over a variable, a
//! variable over the file, the file over the default. Whatever is wrong is told in one run, each fault
//! with where it was said, and the process ends with exit code 64.

mod checks;
mod error;
mod file;
mod layers;
mod modes;
mod page;
mod settings;
mod table;
mod value;

pub use error::{EXIT_USAGE, Fault, SettingsError};
pub use layers::{Origin, Program, load, load_from};
pub use page::{configuration_page, settings_table};
pub use settings::{
    Admin, Cluster, ClusterTls, EtcdTls, EtcdUser, Join, JoinAuth, Log, LogFormat, Metrics, Modes,
    Node, Players, Seats, Settings, TlsFiles,
};
pub use table::{SETTINGS, Setting};
pub use value::Kind;
