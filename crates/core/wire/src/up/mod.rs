//! The datagram a client sends each tick: what it received, then every frame and shot the server has
//! not acknowledged yet, oldest first. Losing one costs nothing: the next carries the same again.

mod frame;
mod pack;
mod shot;

pub use frame::Frame;
pub use pack::Packed;
pub use shot::{MalformedShot, Named, Shot, ShotFault};

use crate::DecodeError;
use crate::bits::{BitReader, BitWriter, unzigzag, zigzag};
use fairshot_units::Tick;
use glam::Vec3;

/// The first byte of every datagram up.
pub const UP_DATAGRAM: u8 = 0xA1;

/// What one datagram may hold, whatever its size.
pub const FRAMES_MAX: usize = 127;
pub const SHOTS_MAX: usize = 31;
/// Targets one shot may name, over all of its pellets.
pub const NAMES_MAX: usize = 64;

/// One datagram from a client.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UpDatagram {
    /// `None` until the first snapshot was decoded.
    pub snapshot: Option<SnapshotAck>,
    /// The highest event batch up to which every one was read; 0 for none.
    pub batch: u32,
    /// Oldest first, numbers rising.
    pub frames: Vec<Frame>,
    /// Oldest first, numbers rising.
    pub shots: Vec<Shot>,
}

/// Which decoded snapshots the server may build on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotAck {
    /// The newest one decoded.
    pub newest: Tick,
    /// An older one that is held too, so many ticks before the newest (1 to 63): two snapshots tell
    /// how everything moves.
    pub previous_ticks: Option<u8>,
}

/// What a shot must lie within to be one: the arena's bounds, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UpLimits {
    pub min_m: Vec3,
    pub max_m: Vec3,
}

impl Default for UpLimits {
    /// The widest arena a mode may have.
    fn default() -> Self {
        Self { min_m: Vec3::splat(-4096.0), max_m: Vec3::splat(4096.0) }
    }
}

const PREVIOUS_BITS: u32 = 6;
const FRAME_COUNT_BITS: u32 = 7;
const SHOT_COUNT_BITS: u32 = 5;
const BATCH_K: u32 = 10;

impl UpDatagram {
    /// Reads a datagram. Shots that are none are appended to `malformed`; everything else stands.
    ///
    /// Allocates at most [`FRAMES_MAX`] frames, [`SHOTS_MAX`] shots and their names.
    ///
    /// # Errors
    /// [`DecodeError`] where the datagram as a whole cannot be read; `malformed` may have grown.
    pub fn decode(
        bytes: &[u8],
        limits: &UpLimits,
        malformed: &mut Vec<MalformedShot>,
    ) -> Result<Self, DecodeError> {
        let mut datagram = Self::default();
        datagram.decode_into(bytes, limits, malformed)?;
        Ok(datagram)
    }

    /// As [`Self::decode`], into a datagram whose vectors are used again.
    ///
    /// # Errors
    /// As [`Self::decode`]; this datagram then holds nothing of use.
    pub fn decode_into(
        &mut self,
        bytes: &[u8],
        limits: &UpLimits,
        malformed: &mut Vec<MalformedShot>,
    ) -> Result<(), DecodeError> {
        self.frames.clear();
        self.shots.clear();
        let mut bits = BitReader::new(bytes);
        let first = bits.take_u8()?;
        if first != UP_DATAGRAM {
            return Err(DecodeError::Version(first));
        }
        self.snapshot = read_snapshot_ack(&mut bits)?;
        self.batch = bits.take_small_u32(BATCH_K)?;
        let frames = bits.take_up_to_16(FRAME_COUNT_BITS)?;
        let shots = bits.take_up_to_16(SHOT_COUNT_BITS)?;
        let base = self.snapshot.map_or(Tick(0), |ack| ack.newest);
        for _ in 0..frames {
            let frame = match self.frames.last() {
                Some(before) => Frame::read_after(&mut bits, before)?,
                None => Frame::read_first(&mut bits, base)?,
            };
            self.frames.push(frame);
        }
        shot::read_all(bits.rest()?, shots, limits, &mut self.shots, malformed)
    }

    fn write_header(&self, bits: &mut BitWriter<'_>, frames: usize, shots: usize) {
        bits.put(u64::from(UP_DATAGRAM), 8);
        bits.flag(self.snapshot.is_some());
        if let Some(ack) = self.snapshot {
            bits.put(u64::from(ack.newest.0), 32);
            bits.put(u64::from(ack.previous_ticks.unwrap_or(0).min(63)), PREVIOUS_BITS);
        }
        bits.put_small(u64::from(self.batch), BATCH_K);
        bits.put(frames as u64, FRAME_COUNT_BITS);
        bits.put(shots as u64, SHOT_COUNT_BITS);
    }
}

fn read_snapshot_ack(bits: &mut BitReader<'_>) -> Result<Option<SnapshotAck>, DecodeError> {
    if !bits.flag()? {
        return Ok(None);
    }
    let newest = Tick(bits.take_u32()?);
    let [previous, _] = bits.take_up_to_16(PREVIOUS_BITS)?.to_le_bytes();
    Ok(Some(SnapshotAck { newest, previous_ticks: (previous != 0).then_some(previous) }))
}

/// The way from one wrapping 32-bit number to another, as a number to send small.
fn way(from: u32, to: u32) -> u64 {
    zigzag(i64::from(to.wrapping_sub(from).cast_signed()))
}

fn take_way(bits: &mut BitReader<'_>, from: u32, k: u32) -> Result<u32, DecodeError> {
    let way = unzigzag(bits.take_small(k)?);
    let way = i32::try_from(way).map_err(|_| DecodeError::Range("difference"))?;
    Ok(from.wrapping_add(way.cast_unsigned()))
}

fn way_16(from: u16, to: u16) -> u64 {
    zigzag(i64::from(to.wrapping_sub(from).cast_signed()))
}

fn take_way_16(bits: &mut BitReader<'_>, from: u16, k: u32) -> Result<u16, DecodeError> {
    let way = unzigzag(bits.take_small(k)?);
    let way = i16::try_from(way).map_err(|_| DecodeError::Range("difference"))?;
    Ok(from.wrapping_add(way.cast_unsigned()))
}
