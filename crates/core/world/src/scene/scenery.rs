//! What an arena may hold beside its blocks: height fields, and meshes out of glTF 2.0 files. Their bytes
//! come as arguments; nothing here opens a file.

use super::triangle::Triangle;
use base64::Engine;
use glam::{Mat4, Vec3};

/// Triangles of all meshes and height fields of an arena together.
pub const TRIANGLES_MAX: usize = 1 << 18;

/// Terrain and meshes that stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenery {
    pub height_fields: Vec<HeightField>,
    pub meshes: Vec<Mesh>,
    /// Where the endless floor lies: at y = 0 unless terrain goes lower.
    pub floor_m: f32,
}

impl Default for Scenery {
    fn default() -> Self {
        Self { height_fields: Vec::new(), meshes: Vec::new(), floor_m: 0.0 }
    }
}

/// Heights over an even grid, a row of `columns` along x for each step along z.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightField {
    /// The corner with the least x and z; its y is added to every height.
    pub corner_m: Vec3,
    pub cell_m: f32,
    pub columns: usize,
    pub heights_m: Vec<f32>,
}

/// Triangles, solid from both sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub triangles_m: Vec<[Vec3; 3]>,
}

/// Why something is no scenery.
#[derive(Debug, thiserror::Error)]
pub enum SceneryError {
    #[error("these bytes are no glTF 2.0")]
    Gltf(#[source] gltf::Error),
    #[error("buffer {buffer} of the glTF is not in it: a file of its own is not read")]
    Buffer { buffer: usize },
    #[error("the glTF's numbers lie outside its buffers")]
    Range,
    #[error(
        "the nodes of the glTF lie deeper than 32 levels, or its scene holds over 65536 of them"
    )]
    Depth,
    #[error("an arena holds at most 262144 triangles, this one has more")]
    Full,
    #[error("the file cannot be read: {0}")]
    Unread(String),
    #[error("the file is longer than {0} bytes")]
    Size(u64),
    #[error("{bytes} bytes are not two or more full rows of {columns} 16-bit numbers")]
    Heights { columns: usize, bytes: usize },
    #[error("a corner of it lies further than {PLACE_M_MAX} m out")]
    Place,
    #[error(
        "a height field has at least 2 columns and 2 rows, all of them full, and a cell over 0 m"
    )]
    HeightField,
}

impl SceneryError {
    /// A short name that stays the same.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Gltf(_) => "gltf",
            Self::Buffer { .. } => "buffer",
            Self::Range => "range",
            Self::Depth => "depth",
            Self::Full => "full",
            Self::HeightField => "height_field",
            Self::Unread(_) => "unread",
            Self::Size(_) => "size",
            Self::Heights { .. } => "heights",
            Self::Place => "place",
        }
    }
}

const DEPTH_MAX: u32 = 32;
/// A node that hangs under many is met once under each.
const NODES_MAX: u32 = 1 << 16;
/// Corners further out than this are no place of an arena, whose bounds lie within half of it.
const PLACE_M_MAX: f32 = 8192.0;

impl Mesh {
    /// Every triangle of the default scene of a glTF 2.0 file, binary or text, placed by its nodes.
    /// Buffers are within the file or `data:` addresses; materials, skins and points are left out.
    ///
    /// # Errors
    /// [`SceneryError`] says what cannot be read.
    pub fn from_gltf(bytes: &[u8]) -> Result<Self, SceneryError> {
        let gltf::Gltf { document, blob } =
            gltf::Gltf::from_slice_without_validation(bytes).map_err(SceneryError::Gltf)?;
        let gltf = checked(document)?;
        let buffers: Vec<Vec<u8>> = gltf
            .buffers()
            .map(|buffer| buffer_bytes(&buffer, blob.as_deref()))
            .collect::<Result<_, _>>()?;
        let mut mesh = Self::default();
        let mut nodes = NODES_MAX;
        let scene = gltf.default_scene().or_else(|| gltf.scenes().next());
        for node in scene.iter().flat_map(gltf::Scene::nodes) {
            mesh.add_node(&node, Mat4::IDENTITY, &buffers, DEPTH_MAX, &mut nodes)?;
        }
        Ok(mesh)
    }

    fn add_node(
        &mut self,
        node: &gltf::Node<'_>,
        above: Mat4,
        buffers: &[Vec<u8>],
        depth: u32,
        nodes: &mut u32,
    ) -> Result<(), SceneryError> {
        let depth = depth.checked_sub(1).ok_or(SceneryError::Depth)?;
        *nodes = nodes.checked_sub(1).ok_or(SceneryError::Depth)?;
        let place = above * Mat4::from_cols_array_2d(&node.transform().matrix());
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            self.add_primitive(&primitive, place, buffers)?;
        }
        node.children().try_for_each(|child| self.add_node(&child, place, buffers, depth, nodes))
    }

    fn add_primitive(
        &mut self,
        primitive: &gltf::Primitive<'_>,
        place: Mat4,
        buffers: &[Vec<u8>],
    ) -> Result<(), SceneryError> {
        if primitive.mode() != gltf::mesh::Mode::Triangles {
            return Ok(());
        }
        let accessors = primitive.get(&gltf::Semantic::Positions).into_iter();
        for accessor in accessors.chain(primitive.indices()) {
            check_accessor(&accessor, buffers)?;
        }
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
        let corners: Vec<Vec3> = reader
            .read_positions()
            .ok_or(SceneryError::Range)?
            .map(|corner| place.transform_point3(Vec3::from(corner)))
            .collect();
        let indices: Vec<usize> = match reader.read_indices() {
            Some(indices) => indices.into_u32().map(|index| index as usize).collect(),
            None => (0..corners.len()).collect(),
        };
        for triangle in indices.as_chunks::<3>().0 {
            let corner = |index: usize| corners.get(index).copied().ok_or(SceneryError::Range);
            let [a, b, c] = *triangle;
            if self.triangles_m.len() == TRIANGLES_MAX {
                return Err(SceneryError::Full);
            }
            self.triangles_m.push([corner(a)?, corner(b)?, corner(c)?]);
        }
        Ok(())
    }
}

impl Mesh {
    /// Counts its triangles into an arena's, and holds them to places an arena can have.
    pub(super) fn add_to(&self, triangles: &mut usize) -> Result<(), SceneryError> {
        let near = |corner: &Vec3| corner.abs().cmple(Vec3::splat(PLACE_M_MAX)).all();
        if !self.triangles_m.iter().flatten().all(near) {
            return Err(SceneryError::Place);
        }
        add(triangles, self.triangles_m.len())
    }
}

impl Scenery {
    /// Every triangle with an area.
    pub(crate) fn triangles(&self) -> Result<Vec<Triangle>, SceneryError> {
        let mut triangles = Vec::new();
        let mut add = |corners: [Vec3; 3]| {
            if triangles.len() == TRIANGLES_MAX {
                return Err(SceneryError::Full);
            }
            triangles.extend(Triangle::new(corners));
            Ok(())
        };
        for field in &self.height_fields {
            field.triangles(&mut add)?;
        }
        self.meshes.iter().flat_map(|mesh| &mesh.triangles_m).try_for_each(|t| add(*t))?;
        Ok(triangles)
    }
}

impl HeightField {
    /// Counts its triangles into an arena's.
    pub(super) fn add_to(&self, triangles: &mut usize) -> Result<(), SceneryError> {
        let rows = self.heights_m.len().checked_div(self.columns).unwrap_or(0);
        let cells = self.columns.saturating_sub(1).saturating_mul(rows.saturating_sub(1));
        add(triangles, cells.saturating_mul(2))
    }

    fn triangles(
        &self,
        add: &mut impl FnMut([Vec3; 3]) -> Result<(), SceneryError>,
    ) -> Result<(), SceneryError> {
        let columns = self.columns;
        let rows = self.heights_m.len().checked_div(columns).unwrap_or(0);
        let whole = columns >= 2 && rows >= 2 && self.heights_m.len() == columns * rows;
        if !(whole && self.cell_m > 0.0 && self.cell_m.is_finite()) {
            return Err(SceneryError::HeightField);
        }
        if columns.saturating_mul(rows).saturating_mul(2) > TRIANGLES_MAX {
            return Err(SceneryError::Full);
        }
        #[expect(clippy::cast_precision_loss, reason = "fewer cells than triangles")]
        let at = |column: usize, row: usize| {
            let height = self.heights_m[row * columns + column];
            let over = Vec3::new(column as f32 * self.cell_m, height, row as f32 * self.cell_m);
            self.corner_m + over
        };
        for row in 1..rows {
            for column in 1..columns {
                let (a, b) = (at(column - 1, row - 1), at(column, row - 1));
                let (c, d) = (at(column - 1, row), at(column, row));
                add([a, c, b])?;
                add([b, c, d])?;
            }
        }
        Ok(())
    }
}

/// Counts more triangles into an arena's.
fn add(triangles: &mut usize, more: usize) -> Result<(), SceneryError> {
    *triangles = triangles.saturating_add(more);
    if *triangles > TRIANGLES_MAX { Err(SceneryError::Full) } else { Ok(()) }
}

/// The document held to glTF 2.0. The check itself looks up what an attribute names, so that comes first.
fn checked(document: gltf::Document) -> Result<gltf::Document, SceneryError> {
    let json = document.into_json();
    let attributes = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut named = attributes.flat_map(|primitive| primitive.attributes.values());
    if named.any(|accessor| accessor.value() >= json.accessors.len()) {
        return Err(SceneryError::Range);
    }
    gltf::Document::from_json(json).map_err(SceneryError::Gltf)
}

fn buffer_bytes(buffer: &gltf::Buffer<'_>, blob: Option<&[u8]>) -> Result<Vec<u8>, SceneryError> {
    let missing = SceneryError::Buffer { buffer: buffer.index() };
    let bytes = match buffer.source() {
        gltf::buffer::Source::Bin => blob.map(<[u8]>::to_vec),
        gltf::buffer::Source::Uri(uri) => uri
            .strip_prefix("data:")
            .and_then(|data| data.split_once(";base64,"))
            .and_then(|(_, text)| base64::engine::general_purpose::STANDARD.decode(text).ok()),
    };
    bytes.filter(|bytes| bytes.len() >= buffer.length()).ok_or(missing)
}

/// Whether every number an accessor names lies in its buffer; the reader takes that for granted.
fn check_accessor(accessor: &gltf::Accessor<'_>, buffers: &[Vec<u8>]) -> Result<(), SceneryError> {
    let view = accessor.view().ok_or(SceneryError::Range)?;
    let buffer = buffers.get(view.buffer().index()).ok_or(SceneryError::Range)?;
    let stride = view.stride().unwrap_or(accessor.size());
    let used = accessor.count().checked_sub(1).and_then(|last| {
        last.checked_mul(stride)?.checked_add(accessor.offset())?.checked_add(accessor.size())
    });
    let view_ends = view.offset().checked_add(view.length()).filter(|end| *end <= buffer.len());
    let fits = used.is_some_and(|used| used <= view.length()) && view_ends.is_some();
    if fits && accessor.sparse().is_none() { Ok(()) } else { Err(SceneryError::Range) }
}
