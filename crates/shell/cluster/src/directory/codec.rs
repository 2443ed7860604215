//! Bans and rule values as JSON, for a directory that keeps text. Fields may be added; what an older
//! process does not know it skips.

use crate::control::{Ban, RuleValue};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct BanText {
    subject: String,
    reason: String,
    by: String,
    since_unix_s: u64,
    expires_unix_s: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum RuleValueText {
    Flag(bool),
    Number(f32),
}

#[must_use]
pub fn ban_to_json(ban: &Ban) -> String {
    let text = BanText {
        subject: ban.subject.to_string(),
        reason: ban.reason.clone(),
        by: ban.by.clone(),
        since_unix_s: ban.since_unix_s,
        expires_unix_s: ban.expires_unix_s,
    };
    serde_json::to_string(&text).unwrap_or_default()
}

/// None for what is no ban.
#[must_use]
pub fn ban_from_json(json: &[u8]) -> Option<Ban> {
    let text: BanText = serde_json::from_slice(json).ok()?;
    Some(Ban {
        subject: text.subject.parse().ok()?,
        reason: text.reason,
        by: text.by,
        since_unix_s: text.since_unix_s,
        expires_unix_s: text.expires_unix_s,
    })
}

#[must_use]
pub fn rule_value_to_json(value: RuleValue) -> String {
    let text = match value {
        RuleValue::Flag(flag) => RuleValueText::Flag(flag),
        RuleValue::Number(number) => RuleValueText::Number(number),
    };
    serde_json::to_string(&text).unwrap_or_default()
}

/// None for what is no rule value.
#[must_use]
pub fn rule_value_from_json(json: &[u8]) -> Option<RuleValue> {
    match serde_json::from_slice(json).ok()? {
        RuleValueText::Flag(flag) => Some(RuleValue::Flag(flag)),
        RuleValueText::Number(number) => number.is_finite().then_some(RuleValue::Number(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ban_and_a_rule_value_read_back_to_themselves() {
        let ban = Ban {
            subject: "address/192.0.2.0/24".parse().expect("a range"),
            reason: "scripts \"fast\"".into(),
            by: "ops".into(),
            since_unix_s: 5,
            expires_unix_s: Some(9),
        };
        assert_eq!(ban_from_json(ban_to_json(&ban).as_bytes()), Some(ban));
        for value in [RuleValue::Flag(true), RuleValue::Number(0.25)] {
            assert_eq!(rule_value_from_json(rule_value_to_json(value).as_bytes()), Some(value));
        }
        assert_eq!(ban_from_json(b"{}"), None);
        assert_eq!(rule_value_from_json(b"\"yes\""), None);
    }
}
