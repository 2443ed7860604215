//! Writes `docs/configuration.md` from the table of settings. Run it from the workspace's root after a
//! change of a setting; a test holds the committed page to it.

fn main() -> std::io::Result<()> {
    std::fs::write("docs/configuration.md", fairshot_settings::configuration_page())
}
