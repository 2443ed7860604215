//! The modes of a process: the compiled-in ones with the files' laid over them, each file's arena with the
//! terrain and meshes it names.

use crate::checks::Reader;
use crate::error::Fault;
use crate::settings::Modes;
use crate::value::Value;
use fairshot_mode::{Mode, ModeErrors, presets};
use fairshot_world::{StaticWorld, WalkerSize, has_room};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The compiled-in modes with the files' laid over them.
pub(crate) fn read(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Option<Modes> {
    let mut all: Vec<Arc<Mode>> = Vec::new();
    let mut texts: BTreeMap<String, Arc<str>> = BTreeMap::new();
    let mut worlds: BTreeMap<String, Arc<StaticWorld>> = BTreeMap::new();
    for preset in presets::PRESETS {
        match preset.parse() {
            Ok(mode) => {
                texts.insert(mode.name.clone(), Arc::from(preset.text));
                all.push(Arc::new(mode));
            }
            Err(errors) => faults.extend(errors.0.iter().map(mode_fault)),
        }
    }
    let mut from_files: Vec<(String, PathBuf)> = Vec::new();
    for path in mode_files(reader, faults) {
        let Some((mode, text, world)) = read_mode(&path, faults) else { continue };
        if let Some((_, other)) = from_files.iter().find(|(name, _)| *name == mode.name) {
            faults.push(Fault {
                place: path.display().to_string(),
                key: "name".to_owned(),
                expected: "a name of its own".to_owned(),
                found: format!("{:?}, the name of {}", mode.name, other.display()),
            });
            continue;
        }
        from_files.push((mode.name.clone(), path));
        texts.insert(mode.name.clone(), text);
        worlds.insert(mode.name.clone(), Arc::new(world));
        match all.iter_mut().find(|known| known.name == mode.name) {
            Some(known) => *known = Arc::new(mode),
            None => all.push(Arc::new(mode)),
        }
    }
    let name = reader.text("modes.default")?;
    let default = all.iter().find(|mode| mode.name == name).cloned();
    if default.is_none() {
        let names: Vec<&str> = all.iter().map(|mode| mode.name.as_str()).collect();
        let expected = format!("one of {}", names.join(", "));
        faults.push(reader.fault("modes.default", &expected, name));
    }
    default.map(|default| Modes { all, texts, worlds, default })
}

/// The `.toml` files of the folder, by name, and those named one by one.
fn mode_files(reader: &Reader<'_>, faults: &mut Vec<Fault>) -> Vec<PathBuf> {
    const FILES_MAX: usize = 256;
    let mut files = Vec::new();
    if let Some(folder) = reader.path("modes.dir") {
        match std::fs::read_dir(&folder) {
            Ok(entries) => {
                let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
                files.extend(paths.filter(|path| path.extension().is_some_and(|e| e == "toml")));
            }
            Err(error) => {
                let found = format!("{} ({error})", folder.display());
                faults.push(reader.fault("modes.dir", "a folder that can be read", found));
            }
        }
        files.sort();
    }
    if let Some((Value::Paths(paths), _)) = reader.values.get("modes.files") {
        files.extend(paths.iter().cloned());
    }
    if files.len() > FILES_MAX {
        let expected = format!("at most {FILES_MAX} mode files");
        faults.push(reader.fault("modes.dir", &expected, files.len().to_string()));
        files.clear();
    }
    files
}

fn read_mode(path: &Path, faults: &mut Vec<Fault>) -> Option<(Mode, Arc<str>, StaticWorld)> {
    let name = path.display().to_string();
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            let expected = "a mode file that can be read".to_owned();
            let (key, found) = (String::new(), error.to_string());
            faults.push(Fault { place: name, key, expected, found });
            return None;
        }
    };
    let read = Mode::parse(&name, &text).and_then(|mode| {
        let world = world_of(path, &name, &text, &mode)?;
        Ok((mode, world))
    });
    match read {
        Ok((mode, world)) => Some((mode, Arc::from(text), world)),
        Err(errors) => {
            faults.extend(errors.0.iter().map(mode_fault));
            None
        }
    }
}

/// The arena with the terrain and meshes that lie beside the mode's file.
fn world_of(path: &Path, name: &str, text: &str, mode: &Mode) -> Result<StaticWorld, ModeErrors> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let world = StaticWorld::of_arena(&mode.arena, |file, most| {
        let path = folder.join(file);
        let said = |error: std::io::Error| format!("{} ({error})", path.display());
        let file = std::fs::File::open(&path).map_err(said)?;
        let mut bytes = Vec::new();
        // One byte more than there may be tells a file that is too long.
        file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(said)?;
        Ok(bytes)
    });
    let world = world.map_err(|error| {
        let expected = if error.key.starts_with("arena.meshes") {
            "a glTF 2.0 file with its buffers in it"
        } else {
            "full rows of 16-bit numbers, and at most 262144 triangles in all"
        };
        let found = format!("{:?}: {}", error.file, chain(&error.error));
        ModeErrors::at(name, text, &error.key, expected.to_owned(), found)
    })?;
    let size = WalkerSize::of(&mode.body, &mode.movement);
    let buried = mode
        .spawns
        .iter()
        .position(|spawn| world.has_scenery() && !has_room(spawn.position_m, size, &world));
    match buried {
        None => Ok(world),
        Some(index) => {
            let found = format!("{} in terrain or a mesh", mode.spawns[index].position_m);
            let key = format!("spawns[{index}].position_m");
            Err(ModeErrors::at(name, text, &key, "room for a body".to_owned(), found))
        }
    }
}

/// An error with what caused it, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {}", chain(cause)),
        None => error.to_string(),
    }
}

fn mode_fault(error: &fairshot_mode::ModeError) -> Fault {
    Fault {
        place: format!("{}:{}:{}", error.file, error.line, error.column),
        key: error.key.clone(),
        expected: error.expected.clone(),
        found: error.found.clone(),
    }
}
