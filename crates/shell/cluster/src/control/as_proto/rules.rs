//! Rule settings.

use super::super::{ControlError, ModeRules, RuleSetting, RuleValue};
use fairshot_proto::v1;

impl From<RuleValue> for v1::RuleValue {
    fn from(value: RuleValue) -> Self {
        Self {
            value: Some(match value {
                RuleValue::Flag(flag) => v1::rule_value::Value::Flag(flag),
                RuleValue::Number(number) => v1::rule_value::Value::Number(number),
            }),
        }
    }
}

impl TryFrom<v1::RuleValue> for RuleValue {
    type Error = ControlError;

    fn try_from(value: v1::RuleValue) -> Result<Self, ControlError> {
        match value.value {
            Some(v1::rule_value::Value::Flag(flag)) => Ok(Self::Flag(flag)),
            Some(v1::rule_value::Value::Number(number)) => Ok(Self::Number(number)),
            None => Err(ControlError::invalid("value", "neither a flag nor a number")),
        }
    }
}

impl From<RuleSetting> for v1::RuleSetting {
    fn from(setting: RuleSetting) -> Self {
        Self {
            key: setting.key.to_string(),
            value: setting.value.map(Into::into),
            file: setting.file.map(Into::into),
            live: setting.live,
        }
    }
}

impl TryFrom<v1::RuleSetting> for RuleSetting {
    type Error = ControlError;

    fn try_from(setting: v1::RuleSetting) -> Result<Self, ControlError> {
        Ok(Self {
            key: setting.key.parse().map_err(|error| ControlError::invalid("key", error))?,
            value: setting.value.map(TryInto::try_into).transpose()?,
            file: setting.file.map(TryInto::try_into).transpose()?,
            live: setting.live,
        })
    }
}

impl From<ModeRules> for v1::ModeRules {
    fn from(rules: ModeRules) -> Self {
        Self { mode: rules.mode, settings: rules.settings.into_iter().map(Into::into).collect() }
    }
}

impl TryFrom<v1::ModeRules> for ModeRules {
    type Error = ControlError;

    fn try_from(rules: v1::ModeRules) -> Result<Self, ControlError> {
        Ok(Self {
            mode: rules.mode,
            settings: rules
                .settings
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}
