//! Asking the nodes: all at once for lists, one after the other for what only one of them has.

use fairshot_cluster::control::{ControlError, NodeControl, NodeName, NodeSet};
use futures::future::join_all;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// A node that takes longer is as good as gone for this call.
const NODE_DEADLINE: Duration = Duration::from_secs(3);

pub(crate) type Node = Arc<dyn NodeControl>;

/// What the nodes answered, and those that did not.
pub(crate) struct Answers<T> {
    pub answers: Vec<T>,
    pub missing: Vec<NodeName>,
}

/// Asks every node (or the one of that name) at once.
///
/// # Errors
/// `NotFound` where no node has that name.
pub(crate) async fn ask_all<T, F>(
    nodes: &dyn NodeSet,
    only: &str,
    ask: impl Fn(Node) -> F,
) -> Result<Answers<T>, ControlError>
where
    F: Future<Output = Result<T, ControlError>>,
{
    let asked: Vec<Node> = named(nodes, only)?;
    let results = join_all(asked.into_iter().map(|node| async {
        let name = node.name().clone();
        (name, within(ask(node)).await)
    }));
    let mut answers = Answers { answers: Vec::new(), missing: Vec::new() };
    for (name, result) in results.await {
        match result {
            Ok(answer) => answers.answers.push(answer),
            Err(error) => {
                tracing::warn!(node = %name, %error, "node left out of a list");
                answers.missing.push(name);
            }
        }
    }
    Ok(answers)
}

/// Asks one node after the other until one knows what is asked about. Only one does, so a call that
/// changes something is done once.
///
/// # Errors
/// The answer of the node that knows it; `NotFound` where none does; `Unavailable` where none does
/// and some did not answer.
pub(crate) async fn first_that_knows<T, F>(
    nodes: &dyn NodeSet,
    ask: impl Fn(Node) -> F,
) -> Result<T, ControlError>
where
    F: Future<Output = Result<T, ControlError>>,
{
    let mut not_found = None;
    let mut silent = Vec::new();
    for node in nodes.nodes() {
        let name = node.name().clone();
        match within(ask(node)).await {
            Err(error @ ControlError::NotFound { .. }) => not_found = Some(error),
            Err(ControlError::Unavailable(words)) => silent.push(format!("{name}: {words}")),
            answer => return answer,
        }
    }
    if !silent.is_empty() {
        return Err(ControlError::Unavailable(silent.join("; ")));
    }
    Err(not_found.unwrap_or_else(no_nodes))
}

/// Asks any one node that answers: for what the whole cluster shares.
pub(crate) async fn any_node<T, F>(
    nodes: &dyn NodeSet,
    ask: impl Fn(Node) -> F,
) -> Result<T, ControlError>
where
    F: Future<Output = Result<T, ControlError>>,
{
    let mut last = no_nodes();
    for node in nodes.nodes() {
        match within(ask(node)).await {
            Err(error @ ControlError::Unavailable(_)) => last = error,
            answer => return answer,
        }
    }
    Err(last)
}

/// The nodes, or the one of that name.
pub(crate) fn named(nodes: &dyn NodeSet, only: &str) -> Result<Vec<Node>, ControlError> {
    let mut all = nodes.nodes();
    if only.is_empty() {
        return Ok(all);
    }
    if !all.iter().any(|node| node.name().as_str() == only) {
        return Err(ControlError::not_found("node", only));
    }
    all.retain(|node| node.name().as_str() == only);
    Ok(all)
}

pub(crate) async fn within<T>(
    asked: impl Future<Output = Result<T, ControlError>>,
) -> Result<T, ControlError> {
    tokio::time::timeout(NODE_DEADLINE, asked).await.unwrap_or_else(|_| {
        Err(ControlError::Unavailable(format!("no answer within {} s", NODE_DEADLINE.as_secs())))
    })
}

fn no_nodes() -> ControlError {
    ControlError::Unavailable("there is no node".into())
}
