//! Fits frames and shots into a datagram: by message number, the oldest first, until one does not fit.

use super::{FRAMES_MAX, SHOTS_MAX, UpDatagram};
use crate::bits::BitWriter;
use fairshot_units::Tick;

/// How much of a datagram fitted. What was left out is newer than all that went in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    pub frames: usize,
    pub shots: usize,
}

impl UpDatagram {
    /// Appends the datagram to `out`, at most `limit_bytes` of it.
    ///
    /// Frames and shots go in by their numbers, the oldest first, and the first that does not fit
    /// ends it: a shot is never sent ahead of a frame it must wait for. A limit below 24 bytes fits
    /// neither.
    pub fn encode(&self, limit_bytes: usize, out: &mut Vec<u8>) -> Packed {
        let packed = self.fit(limit_bytes, out);
        let mut bits = BitWriter::new(out);
        self.write_header(&mut bits, packed.frames, packed.shots);
        self.write_frames(&mut bits, packed.frames, |_| ());
        bits.finish();
        for shot in &self.shots[..packed.shots] {
            shot.write(out);
        }
        packed
    }

    /// Writes once for the sizes and takes it back: a frame's size depends on the one before it only.
    fn fit(&self, limit_bytes: usize, scratch: &mut Vec<u8>) -> Packed {
        let start = scratch.len();
        let mut bits = BitWriter::new(scratch);
        self.write_header(&mut bits, 0, 0);
        let header_bits = bits.bits_written();
        let mut ends = Vec::with_capacity(self.frames.len().min(FRAMES_MAX));
        self.write_frames(&mut bits, FRAMES_MAX, |end| ends.push(end));
        bits.finish();
        scratch.truncate(start);

        let mut packed = Packed { frames: 0, shots: 0 };
        let (mut frame_bits, mut shot_bytes) = (header_bits, 0);
        loop {
            let frame =
                ends.get(packed.frames).map(|end| (self.frames[packed.frames].number, *end));
            let shot = self.shots.get(packed.shots).filter(|_| packed.shots < SHOTS_MAX);
            let takes_frame = match (frame, shot) {
                (Some((number, _)), Some(shot)) => number < shot.number,
                (frame, _) => frame.is_some(),
            };
            let (bits, bytes) = match (takes_frame, frame, shot) {
                (true, Some((_, end)), _) => (end, shot_bytes),
                (_, _, Some(shot)) => (frame_bits, shot_bytes + shot.wire_bytes()),
                _ => return packed,
            };
            if bits.div_ceil(8) + bytes > limit_bytes {
                return packed;
            }
            (frame_bits, shot_bytes) = (bits, bytes);
            if takes_frame { packed.frames += 1 } else { packed.shots += 1 }
        }
    }

    fn write_frames(&self, bits: &mut BitWriter<'_>, count: usize, mut after: impl FnMut(usize)) {
        let base = self.snapshot.map_or(Tick(0), |ack| ack.newest);
        let mut before = None;
        for frame in self.frames.iter().take(count) {
            match before {
                Some(before) => frame.write_after(bits, before),
                None => frame.write_first(bits, base),
            }
            before = Some(frame);
            after(bits.bits_written());
        }
    }
}
