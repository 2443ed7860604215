//! Rule settings of modes, live.

use super::{AdminService, Answer, change};
use crate::access::{Caller, Role};
use crate::nodes::{ask_all, first_that_knows};
use fairshot_cluster::control::{ControlError, ModeRules, RuleKey, RuleValue};
use fairshot_proto::v1;
use serde_json::json;
use std::collections::BTreeMap;

impl AdminService {
    pub(super) async fn rules_read(
        &self,
        mode: &str,
    ) -> Result<v1::ListRulesResponse, ControlError> {
        let asked = ask_all(self.nodes.as_ref(), "", |node| async move { node.rules().await });
        // Nodes share the live values; where two hold a mode, either says the same.
        let mut modes: BTreeMap<String, ModeRules> = BTreeMap::new();
        for rules in asked.await?.answers.into_iter().flatten() {
            modes.entry(rules.mode.clone()).or_insert(rules);
        }
        if !mode.is_empty() {
            modes.retain(|name, _| name == mode);
            if modes.is_empty() {
                return Err(self.no_mode(mode).await);
            }
        }
        Ok(v1::ListRulesResponse { modes: modes.into_values().map(Into::into).collect() })
    }

    pub(super) async fn rule_set(
        &self,
        caller: Caller,
        request: v1::SetRuleRequest,
    ) -> Answer<v1::SetRuleResponse> {
        let nodes = self.nodes.clone();
        let value = request.value.map(RuleValue::try_from).transpose();
        let shown = value.as_ref().ok().and_then(|value| value.map(|value| value.to_string()));
        let words = json!({ "mode": request.mode, "key": request.key, "value": shown });
        let dry_run = request.dry_run;
        let change = change(caller, "SetRule", Role::Admin, words, dry_run, request.request_id);
        let work = async move {
            let key: RuleKey =
                request.key.parse().map_err(|error: String| ControlError::invalid("key", error))?;
            let (value, key, mode) = (value?, &key, request.mode.as_str());
            let rules = first_that_knows(nodes.as_ref(), |node| async move {
                node.set_rule(mode, key.clone(), value, dry_run).await
            })
            .await?;
            Ok(v1::SetRuleResponse { rules: Some(rules.into()), ..Default::default() })
        };
        self.changes.run(change, work).await
    }
}
