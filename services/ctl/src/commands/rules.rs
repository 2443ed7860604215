//! Rule settings of modes.

use super::would;
use crate::args::RulesAction;
use crate::connect::Client;
use crate::error::Failure;
use crate::out::{Out, cell, judged};
use fairshot_proto::v1::{self, rule_value};

pub(super) async fn list(
    mut client: Client,
    mode: Option<String>,
    out: Out,
) -> Result<(), Failure> {
    let request = v1::ListRulesRequest { mode: mode.unwrap_or_default() };
    let modes = client.list_rules(request).await?.into_inner().modes;
    if out.json {
        return out.json(&modes);
    }
    show(modes, out)
}

pub(super) async fn act(mut client: Client, action: RulesAction, out: Out) -> Result<(), Failure> {
    let (mode, key, value, how) = match action {
        RulesAction::Set { mode, key, value, how } => (mode, key, Some(value_of(&value)?), how),
        RulesAction::Revert { mode, key, how } => (mode, key, None, how),
    };
    let request =
        v1::SetRuleRequest { mode, key, value, dry_run: how.dry_run, request_id: how.request_id };
    let done = client.set_rule(request).await?.into_inner();
    if out.json {
        return out.json(&done);
    }
    let words = would(done.dry_run);
    if !words.is_empty() {
        out.line(words.trim_end())?;
    }
    show(done.rules.into_iter().collect(), out)
}

fn show(modes: Vec<v1::ModeRules>, out: Out) -> Result<(), Failure> {
    let rows = modes.iter().flat_map(|mode| {
        mode.settings.iter().map(|setting| {
            let live = setting.live;
            vec![
                cell(&mode.mode),
                cell(&setting.key),
                judged_if(words(setting.value.as_ref()), live),
                cell(words(setting.file.as_ref())),
                cell(if live { "live" } else { "" }),
            ]
        })
    });
    out.table(&["mode", "rule", "value", "file", ""], rows)
}

fn judged_if(words: String, live: bool) -> comfy_table::Cell {
    if live { judged(words, false) } else { cell(words) }
}

fn words(value: Option<&v1::RuleValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(rule_value::Value::Flag(flag)) => flag.to_string(),
        Some(rule_value::Value::Number(number)) => number.to_string(),
        None => "off".into(),
    }
}

fn value_of(text: &str) -> Result<v1::RuleValue, Failure> {
    let value = match text {
        "true" | "on" => rule_value::Value::Flag(true),
        "false" | "off" => rule_value::Value::Flag(false),
        number => {
            let number: f32 = number.parse().map_err(|_| {
                Failure::Usage(format!("`{number}` is neither true, false nor a number"))
            })?;
            rule_value::Value::Number(number)
        }
    };
    Ok(v1::RuleValue { value: Some(value) })
}
