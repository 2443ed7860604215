//! The model on a terminal of any size.

use super::model::{Model, Room};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Paragraph, Row, Sparkline, Table, TableState};

/// Heartbeats in a room's sparkline: the last fifty seconds.
const BARS_WIDE: usize = 10;
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(crate) fn draw(frame: &mut Frame, model: &Model) {
    let rules = model.refused_by_rule();
    let rules_height = u16::try_from(rules.len()).unwrap_or(u16::MAX).clamp(1, 12) + 2;
    let [head, rooms, refusals, foot] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(5),
        Constraint::Length(rules_height),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    draw_head(frame, head, model);
    draw_rooms(frame, rooms, model);
    let of = model.selected().unwrap_or("all rooms");
    draw_refusals(frame, refusals, of, &rules);
    let foot_words = match model.note.as_str() {
        "" => format!("↑↓ room   a all rooms   s order: {}   q leave", model.order.label()),
        note => note.to_owned(),
    };
    frame.render_widget(Paragraph::new(foot_words).style(Style::new().fg(Color::DarkGray)), foot);
}

fn draw_head(frame: &mut Frame, area: Rect, model: &Model) {
    let rooms = model.rooms();
    let sum = |of: fn(&Room) -> u64| rooms.iter().map(|room| of(room)).sum::<u64>();
    let refused = sum(Room::refused);
    let style = if refused > 0 { Style::new().fg(Color::Red) } else { Style::new() };
    let line = Line::from(vec![
        Span::styled("fairshot ", Style::new().add_modifier(Modifier::BOLD)),
        Span::raw(format!(
            " {} rooms  {} players  {} monsters  {} shots  {} hits  ",
            rooms.len(),
            sum(|room| room.newest.players.into()),
            sum(|room| room.newest.monsters.into()),
            sum(|room| room.newest.shots_judged),
            sum(|room| room.newest.hits),
        )),
        Span::styled(format!("{refused} refused"), style),
        Span::raw("  in the last heartbeat"),
    ]);
    frame.render_widget(Paragraph::new(line), area);
}

fn draw_rooms(frame: &mut Frame, area: Rect, model: &Model) {
    let rooms = model.rooms();
    let rows = rooms.iter().map(|room| {
        let beat = &room.newest;
        let refused = room.refused();
        let late = beat.late_ticks + beat.dropped_ticks;
        Row::new(vec![
            Cell::from(beat.room.clone()),
            Cell::from(beat.mode.clone()),
            Cell::from(format!("{}/{}", beat.node, beat.shard)),
            right(beat.players),
            Cell::from(format!("{:>5}/{:<5}", beat.tick_time_us_p50, beat.tick_time_us_p99)),
            alarming(late),
            right(beat.shots_judged),
            right(beat.hits),
            alarming(refused),
            right(room.refused_in_all()),
            Cell::from(bars(&room.history(), BARS_WIDE)).style(Style::new().fg(Color::Red)),
        ])
    });
    // Whole, so that it can be copied into the next command.
    let name = rooms.iter().map(|room| room.newest.room.len()).max().unwrap_or(0).clamp(4, 24);
    let widths = [
        Constraint::Length(u16::try_from(name).unwrap_or(24)),
        Constraint::Fill(2),
        Constraint::Fill(2),
        Constraint::Length(7),
        Constraint::Length(11),
        Constraint::Length(5),
        Constraint::Length(6),
        Constraint::Length(6),
        Constraint::Length(7),
        Constraint::Length(7),
        Constraint::Length(10),
    ];
    let names = [
        Cell::from("ROOM"),
        Cell::from("MODE"),
        Cell::from("NODE"),
        right("PLAYERS"),
        right("US 50/99 %"),
        right("LATE"),
        right("SHOTS"),
        right("HITS"),
        right("REFUSED"),
        right("IN ALL"),
        Cell::from("OVER TIME"),
    ];
    let table = Table::new(rows, widths)
        .header(Row::new(names).style(Style::new().add_modifier(Modifier::BOLD)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .block(Block::bordered().title(" rooms "));
    let mut state = TableState::default().with_selected(model.selected_row());
    frame.render_stateful_widget(table, area, &mut state);
}

fn draw_refusals(
    frame: &mut Frame,
    area: Rect,
    of: &str,
    rules: &std::collections::BTreeMap<String, Vec<u64>>,
) {
    let block = Block::bordered().title(format!(" refused by rule, {of} "));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    if rules.is_empty() {
        frame.render_widget(Paragraph::new("nothing refused"), inner);
        return;
    }
    let most = rules.values().flatten().copied().max().unwrap_or(1).max(1);
    let lines = Layout::vertical(rules.iter().map(|_| Constraint::Length(1))).split(inner);
    for ((rule, series), line) in rules.iter().zip(lines.iter()) {
        let [name, graph, sum] = Layout::horizontal([
            Constraint::Length(14),
            Constraint::Min(10),
            Constraint::Length(16),
        ])
        .areas(*line);
        let newest = series.last().copied().unwrap_or(0);
        let style = if newest > 0 { Style::new().fg(Color::Red) } else { Style::new() };
        frame.render_widget(Paragraph::new(rule.as_str()).style(style), name);
        let bars = newest_at_the_right(series, usize::from(graph.width));
        frame.render_widget(Sparkline::default().data(&bars).max(most).style(style), graph);
        let all: u64 = series.iter().sum();
        frame.render_widget(Paragraph::new(format!(" {newest:>5} of {all:>6}")), sum);
    }
}

/// As many as fit, with nothing before the first.
fn newest_at_the_right(series: &[u64], width: usize) -> Vec<u64> {
    let skip = series.len().saturating_sub(width);
    let mut bars = vec![0; width.saturating_sub(series.len())];
    bars.extend_from_slice(&series[skip..]);
    bars
}

fn right(number: impl ToString) -> Cell<'static> {
    Cell::from(Line::from(number.to_string()).right_aligned())
}

fn alarming(count: u64) -> Cell<'static> {
    let style = if count > 0 { Style::new().fg(Color::Red) } else { Style::new() };
    right(count).style(style)
}

/// A sparkline of characters, for a cell of a table; newest at the right.
fn bars(series: &[u64], width: usize) -> String {
    let shown = &series[series.len().saturating_sub(width)..];
    let most = shown.iter().copied().max().unwrap_or(0);
    let bar = |count: u64| match (count, most) {
        (0, _) => ' ',
        (count, most) => {
            let step = (count * 7).div_ceil(most);
            BARS[usize::try_from(step).unwrap_or(7).min(7)]
        }
    };
    shown.iter().map(|count| bar(*count)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::model::Key;
    use super::super::model::tests::beat;
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    fn drawn(model: &Model, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(frame, model)).expect("draws");
        let buffer = terminal.backend().buffer();
        (0..height)
            .map(|y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>())
            .collect()
    }

    #[test]
    fn rooms_and_refusals_stand_on_the_screen() {
        let mut model = Model::default();
        model.take(beat("arena-1", 1, &[("rate", 10), ("origin", 2)]));
        model.take(beat("arena-1", 2, &[("rate", 20)]));
        model.take(beat("arena-2", 1, &[]));
        let screen = drawn(&model, 130, 20);
        assert!(screen[0].contains("2 rooms  8 players  80 monsters"), "{}", screen[0]);
        assert!(screen[0].contains("20 refused"), "{}", screen[0]);
        let room = screen.iter().find(|line| line.contains("arena-1")).expect("a room");
        assert!(room.contains("80/210"), "{room}");
        assert!(room.contains('█'), "{room}");
        let rate = screen.iter().find(|line| line.contains("│rate")).expect("a rule");
        assert!(rate.contains("20 of     30"), "{rate}");
        assert!(screen.iter().any(|line| line.contains("│origin")));
        model.key(Key::Down);
        model.key(Key::Down);
        let screen = drawn(&model, 130, 20);
        assert!(screen.iter().any(|line| line.contains("refused by rule, arena-2")));
        assert!(screen.iter().any(|line| line.contains("nothing refused")));
    }

    #[test]
    fn a_rooms_id_is_shown_whole() {
        let mut model = Model::default();
        model.take(beat("r-41832f98d9be14e0", 1, &[("rate", 10)]));
        let screen = drawn(&model, 100, 20);
        assert!(screen.iter().any(|line| line.contains("│r-41832f98d9be14e0 ")), "{screen:#?}");
    }

    #[test]
    fn no_size_of_a_terminal_breaks_the_view() {
        let mut model = Model::default();
        for room in 0..40 {
            let rules: Vec<(String, u64)> =
                (0..15).map(|rule| (format!("rule{rule}"), 1)).collect();
            let rules: Vec<(&str, u64)> =
                rules.iter().map(|(rule, n)| (rule.as_str(), *n)).collect();
            model.take(beat(&format!("room-{room}"), 1, &rules));
        }
        for (width, height) in [(1, 1), (3, 2), (20, 5), (80, 24), (300, 100)] {
            drawn(&model, width, height);
        }
    }
}
