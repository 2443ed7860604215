//! Writes the files that are generated: `deploy/modes/san_andreas.toml` and the tables of
//! `docs/modes.md`. Run it from the workspace's root after a change of the table or of a key:
//! `cargo run -p fairshot-mode --example generate_modes`. Tests hold the committed files to it.

mod page;
mod san_andreas;

fn main() -> std::io::Result<()> {
    let mode = san_andreas::generate().map_err(std::io::Error::other)?;
    std::fs::write("deploy/modes/san_andreas.toml", mode)?;
    std::fs::write("docs/modes.md", page::generate())
}
