//! From a text (a flag's, a variable's, a file's) to a value, by the kind of its setting.

use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// What a setting holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An IP address.
    Address,
    /// `IP:PORT`.
    Socket,
    Port,
    /// A whole number within the two, both included.
    Count(u64, u64),
    /// Seconds within the two, both included.
    Seconds(f64, f64),
    Flag,
    Choice(&'static [&'static str]),
    /// 1 to 64 of `A-Z a-z 0-9 _ - .`.
    Name,
    /// `LEVEL` or a list of `TARGET=LEVEL`, for the log.
    Filter,
    /// `http://` or `https://` and a host.
    Url,
    Urls,
    /// A file that exists and can be read.
    File,
    /// A file that is written; its folder exists.
    NewFile,
    Folder,
    /// Files that exist and can be read.
    Files,
    /// `NAME=VALUE`, several.
    Pairs,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Address(IpAddr),
    Socket(SocketAddr),
    Count(u64),
    Seconds(f64),
    Flag(bool),
    Text(String),
    Texts(Vec<String>),
    Path(PathBuf),
    Paths(Vec<PathBuf>),
    Pairs(Vec<(String, String)>),
}

/// Values of a list at the most.
const LIST_MAX: usize = 64;

impl Kind {
    /// Whether the setting holds several values.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::Urls | Self::Files | Self::Pairs)
    }

    /// What the kind's values look like, for messages, help and the page.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Address => "an IP address such as 127.0.0.1".to_owned(),
            Self::Socket => "IP:PORT such as 127.0.0.1:7601".to_owned(),
            Self::Port => "0 to 65535".to_owned(),
            Self::Count(min, max) => format!("{min} to {max}"),
            Self::Seconds(min, max) => format!("{min} to {max} seconds"),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(words) => words.join(" or "),
            Self::Name => "1 to 64 of A-Z a-z 0-9 _ - .".to_owned(),
            Self::Filter => "error, warn, info, debug, trace or TARGET=LEVEL, ...".to_owned(),
            Self::Url => "http://HOST:PORT or https://HOST:PORT".to_owned(),
            Self::Urls => "a list of http://HOST:PORT or https://HOST:PORT".to_owned(),
            Self::File => "a file that can be read".to_owned(),
            Self::NewFile => "a file in a folder that exists".to_owned(),
            Self::Folder => "a folder that exists".to_owned(),
            Self::Files => "a list of files that can be read".to_owned(),
            Self::Pairs => "a list of NAME=VALUE".to_owned(),
        }
    }

    /// Reads the texts said; a kind that is no list takes exactly one.
    ///
    /// The error is what was found instead.
    pub(crate) fn read(self, texts: &[String]) -> Result<Value, String> {
        if self.is_list() {
            let parts: Vec<&str> =
                texts.iter().flat_map(|text| text.split(',')).map(str::trim).collect();
            let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            if parts.len() > LIST_MAX {
                return Err(format!("{} of them, more than {LIST_MAX}", parts.len()));
            }
            return self.read_list(&parts);
        }
        match texts {
            [one] => self.read_one(one.trim()),
            several => Err(format!("{} values", several.len())),
        }
    }

    fn read_one(self, text: &str) -> Result<Value, String> {
        let value = match self {
            Self::Address => text.parse().ok().map(Value::Address),
            Self::Socket => text.parse().ok().map(Value::Socket),
            Self::Port => text.parse::<u16>().ok().map(|port| Value::Count(u64::from(port))),
            Self::Count(min, max) => {
                text.parse().ok().filter(|n| (min..=max).contains(n)).map(Value::Count)
            }
            Self::Seconds(min, max) => {
                text.parse().ok().filter(|s| (min..=max).contains(s)).map(Value::Seconds)
            }
            Self::Flag => text.parse().ok().map(Value::Flag),
            Self::Choice(words) => words.contains(&text).then(|| Value::Text(text.to_owned())),
            Self::Name => is_name(text).then(|| Value::Text(text.to_owned())),
            Self::Filter => is_filter(text).then(|| Value::Text(text.to_owned())),
            Self::Url => is_url(text).then(|| Value::Text(text.to_owned())),
            Self::File => return read_file(text).map(Value::Path),
            Self::NewFile => return new_file(text).map(Value::Path),
            Self::Folder => {
                let path = PathBuf::from(text);
                path.is_dir().then_some(Value::Path(path))
            }
            Self::Urls | Self::Files | Self::Pairs => None,
        };
        value.ok_or_else(|| shown(text))
    }

    fn read_list(self, parts: &[&str]) -> Result<Value, String> {
        match self {
            Self::Files => {
                let paths: Result<Vec<_>, _> = parts.iter().map(|part| read_file(part)).collect();
                paths.map(Value::Paths)
            }
            Self::Pairs => {
                let pair = |part: &&str| {
                    let (name, value) = part.split_once('=').ok_or_else(|| shown(part))?;
                    if !is_name(name) || !is_name(value) {
                        return Err(shown(part));
                    }
                    Ok((name.to_owned(), value.to_owned()))
                };
                parts.iter().map(pair).collect::<Result<Vec<_>, _>>().map(Value::Pairs)
            }
            _ => match parts.iter().find(|part| !is_url(part)) {
                Some(odd) => Err(shown(odd)),
                None => Ok(Value::Texts(parts.iter().map(|part| (*part).to_owned()).collect())),
            },
        }
    }
}

/// A URL without the user and the password it may carry.
pub(crate) fn without_user(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://***@{host}"),
        _ => url.to_owned(),
    }
}

fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let short: String = text.chars().take(SHOWN_MAX).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    let plain = !short.is_empty() && short.chars().all(|c| c.is_ascii_graphic());
    let short = if short.contains("://") { without_user(&short) } else { short };
    if plain { format!("{short}{dots}") } else { format!("{short:?}{dots}") }
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
}

fn is_filter(text: &str) -> bool {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    !text.is_empty()
        && text.split(',').all(|part| {
            let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
            LEVELS.contains(&level.trim())
        })
}

fn is_url(text: &str) -> bool {
    let host = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    host.is_some_and(|host| !host.is_empty() && host.chars().all(|c| c.is_ascii_graphic()))
}

fn read_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match File::open(&path) {
        Ok(_) if path.is_file() => Ok(path),
        Ok(_) => Err(format!("{}, which is no file", shown(text))),
        Err(error) => Err(format!("{} ({error})", shown(text))),
    }
}

fn new_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let fits = folder.is_none_or(std::path::Path::is_dir) && !path.is_dir() && !text.is_empty();
    if fits { Ok(path) } else { Err(shown(text)) }
}
