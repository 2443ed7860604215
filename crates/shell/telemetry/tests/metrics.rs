//! What a scrape reads: as documented, bounded whatever happens, and no heavier for never being read.

use fairshot_telemetry::metrics::catalogue::{ALL, Kind};
use fairshot_telemetry::metrics::{
    CommandOutcome, JoinOutcome, Metrics, ModeMetrics, ProcessMetrics, RoomEnd, SessionEnd,
    ShardMetrics,
};
use fairshot_units::Rule;
use std::collections::BTreeSet;

const PAGE: &str = include_str!("../../../../docs/metrics.md");

fn every_handle(metrics: &Metrics) -> (ProcessMetrics, ShardMetrics, ModeMetrics) {
    (
        ProcessMetrics::new(metrics, "0.0.0"),
        ShardMetrics::new(metrics, 0),
        ModeMetrics::new(metrics, "arena"),
    )
}

fn series(page: &str) -> Vec<&str> {
    page.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn the_documentation_and_the_scrape_list_the_same_metrics() {
    let rows: Vec<String> = ALL
        .iter()
        .map(|metric| {
            let labels = match metric.labels {
                [] => "none".to_owned(),
                labels => labels.join(", "),
            };
            format!("| `{}` | {} | {labels} | {} |", metric.name, metric.kind.label(), metric.help)
        })
        .collect();
    let documented: Vec<&str> = PAGE.lines().filter(|line| line.starts_with("| `")).collect();
    assert_eq!(documented, rows, "the table should read:\n{}", rows.join("\n"));

    let metrics = Metrics::new();
    let _handles = every_handle(&metrics);
    let page = metrics.render();
    let scraped: BTreeSet<(&str, &str)> =
        page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' ')).collect();
    let declared: BTreeSet<(&str, &str)> =
        ALL.iter().map(|metric| (metric.name, metric.kind.label())).collect();
    assert_eq!(scraped, declared);
    for metric in ALL {
        assert!(
            page.contains(&format!("# HELP {} {}", metric.name, metric.help)),
            "{}",
            metric.name
        );
    }
}

#[test]
fn alerts_and_the_dashboard_ask_for_metrics_that_there_are() {
    let files = [
        include_str!("../../../../deploy/prometheus/alerts.yml"),
        include_str!("../../../../deploy/grafana/dashboards/fairshot.json"),
    ];
    let parts = ["_bucket", "_sum", "_count"];
    let mut asked = 0;
    for word in files.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric() && c != '_'))
    {
        // The others are names of dashboards and files.
        if !word.starts_with("fairshot_") && !word.starts_with("process_") || word.ends_with('_') {
            continue;
        }
        let known = |name: &str| ALL.iter().any(|metric| metric.name == name);
        let part_of = parts.iter().any(|part| word.strip_suffix(part).is_some_and(known));
        assert!(known(word) || part_of, "there is no {word}");
        asked += 1;
    }
    assert!(asked > 50, "{asked}");
}

#[test]
fn labels_come_from_the_closed_list() {
    let allowed = ["mode", "rule", "shard", "reason"];
    for metric in ALL {
        let odd = metric.labels.iter().find(|label| !allowed.contains(label));
        assert!(odd.is_none() || metric.name == "fairshot_build_info", "{}: {odd:?}", metric.name);
    }
}

#[test]
fn buckets_rise() {
    for metric in ALL {
        if let Kind::Histogram(buckets) = metric.kind {
            assert!(buckets.windows(2).all(|pair| pair[0] < pair[1]), "{}", metric.name);
        }
    }
}

#[test]
fn r22_a_thousand_players_through_a_hundred_rooms_add_no_series() {
    let metrics = Metrics::new();
    let (process, shard, mode) = every_handle(&metrics);
    let before = series(&metrics.render()).len();
    for room in 0..100_u32 {
        let open = mode.room_opened();
        for player in 0..10_u32 {
            process.join(JoinOutcome::Joined);
            let here = mode.player_joined();
            mode.shots_judged.increment(5);
            mode.refuse(Rule::BUILT_IN[(player as usize) % Rule::BUILT_IN.len()], 1);
            mode.command(CommandOutcome::Committed);
            shard.tick_duration.record(0.0001 * f64::from(room));
            shard.session_ended(SessionEnd::Left);
            drop(here);
        }
        mode.room_ended(RoomEnd::Empty);
        drop(open);
        // A room of the same mode takes handles of its own: they are the same series.
        let _again = ModeMetrics::new(&metrics, "arena");
    }
    let page = metrics.render();
    assert_eq!(series(&page).len(), before);
    assert!(page.contains("fairshot_rooms{mode=\"arena\"} 0\n"), "{page}");
    assert!(page.contains("fairshot_players{mode=\"arena\"} 0\n"), "{page}");
    assert!(page.contains("fairshot_joins_total{reason=\"joined\"} 1000\n"), "{page}");
}

#[test]
fn a_refusal_is_counted_under_its_mode_and_rule() {
    let metrics = Metrics::new();
    let (_, _, mode) = every_handle(&metrics);
    mode.refuse(Rule::Rate, 10);
    mode.refuse(Rule::Origin, 2);
    mode.refuse(Rule::Game("safe_zone"), 3);
    mode.refuse(Rule::Game("safe_zone"), 1);
    let page = metrics.render();
    for line in [
        "fairshot_shots_refused_total{mode=\"arena\",rule=\"rate\"} 10",
        "fairshot_shots_refused_total{mode=\"arena\",rule=\"origin\"} 2",
        "fairshot_shots_refused_total{mode=\"arena\",rule=\"held\"} 0",
        "fairshot_shots_refused_total{mode=\"arena\",rule=\"safe_zone\"} 4",
    ] {
        assert!(page.contains(line), "{line} is missing");
    }
}

#[test]
fn counters_stay_through_long_idle_times_and_a_closed_room() {
    let metrics = Metrics::new();
    {
        let (_, _, mode) = every_handle(&metrics);
        mode.refuse(Rule::Ammo, 7);
    }
    let before = series(&metrics.render()).len();
    // A day of upkeep with nothing counted.
    for _ in 0..86_400 / 5 {
        metrics.run_upkeep();
    }
    let page = metrics.render();
    assert_eq!(series(&page).len(), before);
    assert!(page.contains("fairshot_shots_refused_total{mode=\"arena\",rule=\"ammo\"} 7\n"));
}

#[test]
fn a_page_of_200_rooms_is_rendered_in_under_5_ms_when_nothing_piled_up() {
    let metrics = Metrics::new();
    let process = ProcessMetrics::new(&metrics, "0.0.0");
    let shards: Vec<ShardMetrics> =
        (0..8).map(|shard| ShardMetrics::new(&metrics, shard)).collect();
    let modes: Vec<ModeMetrics> =
        (0..5).map(|mode| ModeMetrics::new(&metrics, &format!("mode_{mode}"))).collect();
    let _open: Vec<_> = (0..200).map(|room| modes[room % modes.len()].room_opened()).collect();
    process.join(JoinOutcome::Seated);
    for shard in &shards {
        (0..64 * 5).for_each(|_| shard.tick_duration.record(0.001));
    }
    let best = (0..5)
        .map(|_| {
            let begun = std::time::Instant::now();
            let bytes = metrics.render().len();
            assert!(bytes > 1000);
            begun.elapsed()
        })
        .min()
        .expect("five runs");
    // Ten times the aim: this guards against a blow-up, the figure itself is the bench's.
    assert!(best.as_millis() < 50, "{best:?}");
}
