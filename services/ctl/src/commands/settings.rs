//! What needs no server: completion scripts, contexts, tokens.

use crate::args::{Args, Context, Role, Token};
use crate::context;
use crate::error::Failure;
use crate::out::{Out, cell};
use clap::CommandFactory;
use fairshot_audit::sha256_hex;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::json;
use std::fmt::Write as _;

pub(super) fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "fairshotctl", &mut script);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &script)?;
    Ok(())
}

pub(super) fn context(action: Context, out: Out) -> Result<(), Failure> {
    let path = context::path()
        .ok_or_else(|| Failure::Usage("no configuration folder: set FAIRSHOTCTL_CONFIG".into()))?;
    match action {
        Context::Path if out.json => out.json(&json!({ "path": path.display().to_string() })),
        Context::Path => out.line(&path.display().to_string()),
        Context::List => {
            let contexts = context::load(&path)?;
            if out.json {
                return out.json(&contexts);
            }
            let rows = contexts.contexts.iter().map(|(name, context)| {
                let current = contexts.current.as_ref() == Some(name);
                vec![
                    cell(if current { "*" } else { "" }),
                    cell(name),
                    cell(context.address.as_deref().unwrap_or("127.0.0.1:7601")),
                ]
            });
            out.table(&["", "context", "address"], rows)
        }
        Context::Use { name } => {
            let mut contexts = context::load(&path)?;
            if !contexts.contexts.contains_key(&name) {
                return Err(contexts.missing(&name));
            }
            contexts.current = Some(name.clone());
            let text =
                toml::to_string(&contexts).map_err(|error| Failure::Local(error.to_string()))?;
            // In the file's place at once: whoever reads it meanwhile reads the one or the other.
            let new = path.with_extension("toml.new");
            std::fs::write(&new, text)
                .and_then(|()| std::fs::rename(&new, &path))
                .map_err(|error| Failure::Local(format!("{}: {error}", path.display())))?;
            if out.json {
                return out.json(&json!({ "current": name }));
            }
            out.line(&format!("{name} is the current context"))
        }
    }
}

/// As the server's file of tokens takes it.
fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:@".contains(c))
}

/// 256 bits: no guess, and no dictionary, reaches it from its hash.
pub(super) fn token(action: Token, out: Out) -> Result<(), Failure> {
    let Token::New { name, role } = action;
    if !is_name(&name) {
        return Err(Failure::Usage(format!(
            "`{name}` is no caller's name: expected 1 to 64 of A-Z a-z 0-9 _ - . : @"
        )));
    }
    let role = match role {
        Role::Viewer => "viewer",
        Role::Operator => "operator",
        Role::Admin => "admin",
    };
    let mut bytes = [0_u8; 32];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| Failure::Local("the system gives no random bytes".into()))?;
    let token = bytes.iter().fold(String::from("fs_"), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let sha256 = sha256_hex(token.as_bytes());
    if out.json {
        return out.json(&json!({ "token": token, "name": name, "role": role, "sha256": sha256 }));
    }
    out.line(&token)?;
    out.line("")?;
    out.line("# for the server's admin.tokens_file:")?;
    out.line(&format!("[[tokens]]\nname = \"{name}\"\nrole = \"{role}\"\nsha256 = \"{sha256}\""))
}
