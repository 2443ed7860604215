//! A hit's record in a checkpoint: flat, so that no bytes can nest it deeper than a stack goes.

use fairshot_mode::DataValue;
use serde::{Deserialize, Serialize};

/// One step of a record read from its front.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Token {
    Name(String),
    Number(f64),
    Text(String),
    Flag(bool),
    /// So many values follow.
    List(u32),
    /// So many names with their values follow.
    Record(u32),
}

/// Records nested deeper than this lose what lies deeper.
const DEPTH_MAX: u32 = 16;

/// A record as tokens.
pub(super) fn tokens_of(record: &[(String, DataValue)]) -> Vec<Token> {
    let mut tokens = Vec::new();
    write_record(record, &mut tokens);
    tokens
}

/// The record of those tokens; what does not fit together ends it.
pub(super) fn record_of(tokens: Vec<Token>) -> Vec<(String, DataValue)> {
    let mut tokens = tokens.into_iter();
    match tokens.next() {
        Some(Token::Record(count)) => read_record(count, &mut tokens, DEPTH_MAX),
        _ => Vec::new(),
    }
}

fn write_record(record: &[(String, DataValue)], tokens: &mut Vec<Token>) {
    tokens.push(Token::Record(count_of(record)));
    for (name, value) in record {
        tokens.push(Token::Name(name.clone()));
        write_value(value, tokens);
    }
}

fn write_value(value: &DataValue, tokens: &mut Vec<Token>) {
    match value {
        DataValue::Number(number) => tokens.push(Token::Number(*number)),
        DataValue::Text(text) => tokens.push(Token::Text(text.clone())),
        DataValue::Flag(flag) => tokens.push(Token::Flag(*flag)),
        DataValue::List(list) => {
            tokens.push(Token::List(count_of(list)));
            list.iter().for_each(|value| write_value(value, tokens));
        }
        DataValue::Record(record) => write_record(record, tokens),
    }
}

fn read_record(
    count: u32,
    tokens: &mut impl Iterator<Item = Token>,
    depth: u32,
) -> Vec<(String, DataValue)> {
    let mut record = Vec::new();
    for _ in 0..count {
        let Some(Token::Name(name)) = tokens.next() else { break };
        let Some(value) = read_value(tokens, depth) else { break };
        record.push((name, value));
    }
    record
}

fn read_value(tokens: &mut impl Iterator<Item = Token>, depth: u32) -> Option<DataValue> {
    let deeper = depth.checked_sub(1)?;
    Some(match tokens.next()? {
        Token::Number(number) => DataValue::Number(number),
        Token::Text(text) => DataValue::Text(text),
        Token::Flag(flag) => DataValue::Flag(flag),
        Token::List(count) => {
            let mut list = Vec::new();
            for _ in 0..count {
                list.push(read_value(tokens, deeper)?);
            }
            DataValue::List(list)
        }
        Token::Record(count) => DataValue::Record(read_record(count, tokens, deeper)),
        Token::Name(_) => return None,
    })
}

fn count_of<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_comes_back_and_a_bottomless_one_ends() {
        let record = vec![
            ("element".to_owned(), DataValue::Text("frost".to_owned())),
            (
                "colour".to_owned(),
                DataValue::List(vec![DataValue::Number(1.0), DataValue::Flag(true)]),
            ),
            ("inner".to_owned(), DataValue::Record(vec![("a".to_owned(), DataValue::Number(2.0))])),
        ];
        assert_eq!(record_of(tokens_of(&record)), record);
        let deep = [Token::Record(1), Token::Name("a".to_owned())].into_iter();
        let deep = deep.chain((0..100_000).map(|_| Token::List(1))).collect();
        assert!(record_of(deep).is_empty());
    }
}
