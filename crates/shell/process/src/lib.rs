//! What every Fairshot process does around its work: reads its settings before anything binds, starts
//! its watching, says where it listens, and stops when told.

mod cluster;
mod doors;
mod signals;
mod standalone;
mod startup;

pub use cluster::{matchmaker_main, node_main};
pub use doors::{DoorError, admin_options, player_auth};
pub use signals::{Signals, Told};
pub use standalone::{Standalone, StartError};
pub use startup::{PROCESS_FAILED, exit_with, install, loaded_modes, main, main_from};
