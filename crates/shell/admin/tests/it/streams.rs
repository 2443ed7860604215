//! Streams: the newest at once, then live, with losses stated, until the server stops.

use crate::double::Double;
use crate::fixture::{Setup, VIEWER, with};
use fairshot_proto::v1;
use std::sync::Arc;
use std::time::Duration;
use tonic::Streaming;

async fn next<T>(stream: &mut Streaming<T>) -> Option<T> {
    let next = tokio::time::timeout(Duration::from_secs(5), stream.message());
    next.await.expect("comes in time").expect("is no error")
}

fn number(response: v1::StreamHeartbeatsResponse) -> u64 {
    match response.item {
        Some(v1::stream_heartbeats_response::Item::Heartbeat(beat)) => beat.number,
        other => panic!("{other:?} is no heartbeat"),
    }
}

#[tokio::test]
async fn heartbeats_begin_with_the_newest_and_none_comes_twice() {
    let node = Double::new("local", "alice");
    node.state().newest = vec![node.heartbeat(4)];
    let served = Setup { nodes: vec![Arc::clone(&node)], ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let request = with(VIEWER, v1::StreamHeartbeatsRequest::default());
    let mut stream = client.stream_heartbeats(request).await.expect("streams").into_inner();
    assert_eq!(number(next(&mut stream).await.expect("a heartbeat")), 4);
    // Sent between the node's list and its live ones: known already.
    let _ = node.beats.send(node.heartbeat(4));
    let _ = node.beats.send(node.heartbeat(5));
    assert_eq!(number(next(&mut stream).await.expect("a heartbeat")), 5);
}

#[tokio::test]
async fn the_latest_alone_end_the_stream() {
    let node = Double::new("local", "alice");
    node.state().newest = vec![node.heartbeat(1)];
    let served = Setup { nodes: vec![Arc::clone(&node)], ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let request = v1::StreamHeartbeatsRequest { latest_only: true, ..Default::default() };
    let stream = client.stream_heartbeats(with(VIEWER, request)).await.expect("streams");
    let mut stream = stream.into_inner();
    assert!(next(&mut stream).await.is_some());
    assert!(next(&mut stream).await.is_none());
}

#[tokio::test]
async fn a_stream_ends_without_an_error_when_the_server_stops() {
    let node = Double::new("local", "alice");
    node.state().newest = vec![node.heartbeat(1)];
    let served = Setup { nodes: vec![Arc::clone(&node)], ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let request = with(VIEWER, v1::StreamHeartbeatsRequest::default());
    let mut stream = client.stream_heartbeats(request).await.expect("streams").into_inner();
    assert!(next(&mut stream).await.is_some());
    served.stop.send(()).expect("is running");
    assert!(next(&mut stream).await.is_none());
    served.task.await.expect("does not panic").expect("ends well");
}

#[tokio::test]
async fn a_slow_reader_is_told_how_many_refusals_it_missed() {
    let node = Double::new("local", "alice");
    let served = Setup { nodes: vec![Arc::clone(&node)], ..Setup::default() }.serve().await;
    let mut client = served.client().await;
    let request = v1::StreamRefusalsRequest { rule: "rate".into(), ..Default::default() };
    let stream = client.stream_refusals(with(VIEWER, request)).await.expect("streams");
    let mut stream = stream.into_inner();
    let subscribed = async {
        while node.refusals.receiver_count() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), subscribed).await.expect("is subscribed");
    // The node keeps 8, and nobody reads between these: this test's runtime has one thread.
    for number in 0..20 {
        let _ = node.refusals.send(node.refusal(number, "rate"));
    }
    let _ = node.refusals.send(node.refusal(20, "origin"));
    let mut got = Vec::new();
    let mut missed = 0;
    while got.len() + usize::try_from(missed).expect("fits") < 20 {
        match next(&mut stream).await.and_then(|response| response.item) {
            Some(v1::stream_refusals_response::Item::Refusal(shot)) => got.push(shot.number),
            Some(v1::stream_refusals_response::Item::Missed(count)) => missed += count,
            None => panic!("the stream ended"),
        }
    }
    assert_eq!((missed, got), (13, (13..20).collect::<Vec<u32>>()));
}

#[tokio::test]
async fn a_node_that_is_not_there_is_an_error_and_not_a_silence() {
    let served = Setup::default().serve().await;
    let mut client = served.client().await;
    let request = v1::StreamHeartbeatsRequest { node: "nowhere".into(), ..Default::default() };
    let refused = client.stream_heartbeats(with(VIEWER, request)).await.expect_err("is no node");
    assert_eq!(refused.message(), "no node `nowhere`");
}
