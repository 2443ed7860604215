//! Contexts: named servers in a configuration file, so that a command line says only which.
//!
//! ```toml
//! current = "staging"
//!
//! [contexts.staging]
//! address = "admin.staging.example:7601"
//! token_file = "/home/me/.config/fairshot/staging.token"
//! ca_file = "/home/me/.config/fairshot/ca.pem"
//! ```

use crate::error::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The configuration file.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contexts {
    pub current: Option<String>,
    #[serde(default)]
    pub contexts: BTreeMap<String, Context>,
}

/// One server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Context {
    pub address: Option<String>,
    pub token_file: Option<PathBuf>,
    #[serde(default)]
    pub tls: bool,
    pub ca_file: Option<PathBuf>,
    pub server_name: Option<String>,
    pub cert_file: Option<PathBuf>,
    pub key_file: Option<PathBuf>,
}

/// `FAIRSHOTCTL_CONFIG`, or `fairshot/ctl.toml` in the user's configuration folder.
pub(crate) fn path() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("FAIRSHOTCTL_CONFIG").or_else(|| {
        let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")))?;
        Some(folder.join("fairshot").join("ctl.toml"))
    })
}

/// The file's contexts; none where there is no file.
pub(crate) fn load(path: &Path) -> Result<Contexts, Failure> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Contexts::default());
        }
        Err(error) => return Err(Failure::Usage(format!("{}: {error}", path.display()))),
    };
    toml::from_str(&text).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
}

impl Contexts {
    /// The context named, or else the current one, or else an empty one.
    pub(crate) fn pick(&self, named: Option<&str>) -> Result<Context, Failure> {
        let Some(name) = named.or(self.current.as_deref()) else {
            return Ok(Context::default());
        };
        self.contexts.get(name).cloned().ok_or_else(|| self.missing(name))
    }

    pub(crate) fn missing(&self, name: &str) -> Failure {
        let known: Vec<&str> = self.contexts.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        Failure::Usage(format!("no context `{name}`; there are: {known}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_is_picked_by_name_or_is_the_current_one() {
        let text = "current = \"dev\"\n[contexts.dev]\naddress = \"127.0.0.1:1\"\n[contexts.prod]\naddress = \"h:2\"\ntls = true\n";
        let contexts: Contexts = toml::from_str(text).expect("parses");
        let address = |named| contexts.pick(named).expect("is there").address.expect("is set");
        assert_eq!(address(None), "127.0.0.1:1");
        assert_eq!(address(Some("prod")), "h:2");
        let missing = contexts.pick(Some("prd")).expect_err("is none").to_string();
        assert_eq!(missing, "no context `prd`; there are: dev, prod");
        assert_eq!(Contexts::default().pick(None).expect("is empty"), Context::default());
    }

    #[test]
    fn a_file_that_is_not_there_has_no_contexts_and_a_wrong_one_says_where() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ctl.toml");
        assert_eq!(load(&path).expect("is none"), Contexts::default());
        std::fs::write(&path, "curent = \"x\"\n").expect("writes");
        let error = load(&path).expect_err("is wrong");
        assert!(error.to_string().contains("curent"), "{error}");
        assert_eq!(error.exit_code(), 2);
    }
}
