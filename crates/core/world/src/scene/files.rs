//! A mode's arena with the terrain and meshes it names. The bytes of the files come from whoever can read
//! them; nothing here opens one.

use super::scenery::SceneryError;
use super::{HeightField, Mesh, Scenery, StaticWorld};
use fairshot_mode::{Arena, HeightFieldFile, MeshFile};
use glam::{Mat3, Vec3};

/// A file of heights is at most this long.
pub const HEIGHTS_BYTES_MAX: u64 = 4 << 20;
/// A glTF file is at most this long.
pub const GLTF_BYTES_MAX: u64 = 16 << 20;

/// Why a file that an arena names is no part of it.
#[derive(Debug, thiserror::Error)]
#[error("{key} {file:?}: {error}")]
pub struct ArenaFileError {
    /// The key that names it, such as `arena.meshes[0].file`.
    pub key: String,
    pub file: String,
    #[source]
    pub error: SceneryError,
}

impl StaticWorld {
    /// An arena with everything it names. `read` gives a file's bytes, or why there are none; it is told
    /// how many there may be.
    ///
    /// # Errors
    /// [`ArenaFileError`] of the first file that cannot be read or is not what its key says.
    pub fn of_arena(
        arena: &Arena,
        mut read: impl FnMut(&str, u64) -> Result<Vec<u8>, String>,
    ) -> Result<Self, ArenaFileError> {
        let mut scenery = Scenery { floor_m: arena.floor_m, ..Scenery::default() };
        let mut bytes_of = |file: &str, most: u64| match read(file, most) {
            Ok(bytes) if bytes.len() as u64 > most => Err(SceneryError::Size(most)),
            Ok(bytes) => Ok(bytes),
            Err(why) => Err(SceneryError::Unread(why)),
        };
        let mut triangles = 0;
        for (index, field) in arena.height_fields.iter().enumerate() {
            let heights = bytes_of(&field.file, HEIGHTS_BYTES_MAX)
                .and_then(|bytes| height_field(field, &bytes))
                .and_then(|heights| heights.add_to(&mut triangles).map(|()| heights));
            let key = || format!("arena.height_fields[{index}].file");
            scenery.height_fields.push(heights.map_err(|error| fault(key(), &field.file, error))?);
        }
        for (index, mesh) in arena.meshes.iter().enumerate() {
            let placed = bytes_of(&mesh.file, GLTF_BYTES_MAX)
                .and_then(|bytes| Mesh::from_gltf(&bytes))
                .map(|read| placed(read, mesh))
                .and_then(|read| read.add_to(&mut triangles).map(|()| read));
            let key = || format!("arena.meshes[{index}].file");
            scenery.meshes.push(placed.map_err(|error| fault(key(), &mesh.file, error))?);
        }
        // Every file was counted, so all of them together fit.
        Self::with_scenery(arena, &scenery).map_err(|error| fault("arena".to_owned(), "", error))
    }
}

fn fault(key: String, file: &str, error: SceneryError) -> ArenaFileError {
    ArenaFileError { key, file: file.to_owned(), error }
}

fn height_field(said: &HeightFieldFile, bytes: &[u8]) -> Result<HeightField, SceneryError> {
    let columns = usize::from(said.columns);
    let (numbers, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() || numbers.len() < 2 * columns || numbers.len() % columns != 0 {
        return Err(SceneryError::Heights { columns, bytes: bytes.len() });
    }
    let height_m = |number: &[u8; 2]| {
        f32::from(u16::from_le_bytes(*number)) * (said.height_m / f32::from(u16::MAX))
    };
    Ok(HeightField {
        corner_m: said.corner_m,
        cell_m: said.cell_m,
        columns,
        heights_m: numbers.iter().map(height_m).collect(),
    })
}

fn placed(mut mesh: Mesh, said: &MeshFile) -> Mesh {
    let turn = Mat3::from_rotation_y(said.yaw_rad);
    let place = |corner: Vec3| turn * corner + said.position_m;
    for triangle in &mut mesh.triangles_m {
        *triangle = triangle.map(place);
    }
    mesh
}
