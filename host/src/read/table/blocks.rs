//! Blocked gzip, as bgzip writes it: a row of short gzip members, each of which says how long it is. So all threads can
//! unpack it, some members each.
//!
//! In other gzip files nobody knows where a member ends before it is unpacked; one thread reads them ([`Unpacked::all_of`]).
//! It also reads blocks that something is wrong with, and says what.

use super::unpacked::Unpacked;
use crate::base::control::Control;
use flate2::bufread::GzDecoder;
use rayon::prelude::*;
use std::io::{self, Read};

/// What a member starts with: the marks of gzip and deflate, that a field follows, six bytes that nobody needs, and that
/// the field is one of six bytes, `BC`, of two. The two are the length of the member, less one.
const HEADER: [Option<u8>; 16] = [
    Some(0x1f),
    Some(0x8b),
    Some(8),
    Some(4),
    None,
    None,
    None,
    None,
    None,
    None,
    Some(6),
    Some(0),
    Some(b'B'),
    Some(b'C'),
    Some(2),
    Some(0),
];
/// The most that a member unpacks to.
const MOST: u32 = 1 << 16;

/// A packed file.
pub(super) struct Packed<'a> {
    pub(super) len: u64,
    /// Fills a buffer with the bytes from a place on.
    pub(super) fill: &'a (dyn Fn(&mut [u8], u64) -> io::Result<()> + Sync),
}

/// All that is in the blocks, if it is blocks, no more than may be and nothing wrong.
pub(super) fn unpack(packed: &Packed<'_>, allowed: &Unpacked, control: &Control) -> Option<Vec<u8>> {
    let members = members(packed)?;
    let n_bytes: u64 = members.iter().map(|member| u64::from(member.n_unpacked)).sum();
    allowed.allow(n_bytes).ok()?;
    let mut unpacked = Vec::new();
    unpacked.try_reserve_exact(usize::try_from(n_bytes).ok()?).ok()?;
    unpacked.resize(n_bytes as usize, 0);
    let mut rest = &mut unpacked[..];
    let places = members.into_iter().map(|member| {
        let (place, others) = std::mem::take(&mut rest).split_at_mut(member.n_unpacked as usize);
        rest = others;
        (member, place)
    });
    let places: Vec<(Member, &mut [u8])> = places.collect();
    places.into_par_iter().try_for_each(|(member, place)| {
        control.check().ok()?;
        member.unpack(packed, place)
    })?;
    Some(unpacked)
}

struct Member {
    at: u64,
    len: u64,
    n_unpacked: u32,
}

/// The members, if all there is are blocks.
fn members(packed: &Packed<'_>) -> Option<Vec<Member>> {
    let (mut at, mut members) = (0, Vec::new());
    while at < packed.len {
        let (mut header, mut n_unpacked) = ([0; HEADER.len() + 2], [0; 4]);
        (packed.fill)(&mut header, at).ok()?;
        let [.., low, high] = header;
        let is_block = HEADER.iter().zip(header).all(|(wanted, byte)| wanted.is_none_or(|it| it == byte));
        let len = u64::from(u16::from_le_bytes([low, high])) + 1;
        // Its last four bytes are the length of what is in it.
        (packed.fill)(&mut n_unpacked, at + len.checked_sub(4).filter(|_| is_block)?).ok()?;
        let n_unpacked = u32::from_le_bytes(n_unpacked);
        members.push(Member { at, len, n_unpacked: Some(n_unpacked).filter(|n| *n <= MOST)? });
        at += len;
    }
    Some(members)
}

impl Member {
    fn unpack(&self, packed: &Packed<'_>, place: &mut [u8]) -> Option<()> {
        let mut own = vec![0; self.len as usize];
        (packed.fill)(&mut own, self.at).ok()?;
        let mut unpacked = GzDecoder::new(&own[..]);
        unpacked.read_exact(place).ok()?;
        // The checksum is looked at when there is nothing more.
        let n_more = unpacked.read(&mut [0]).ok()?;
        (n_more == 0 && unpacked.into_inner().is_empty()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::table::unpacked::Packing;
    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use std::io::Write;
    use std::path::Path;

    /// Blocks of 1000 bytes, and an empty one at the end, as bgzip writes it.
    fn blocked(text: &[u8]) -> Vec<u8> {
        let block = |text: &[u8]| {
            let extra = [b'B', b'C', 2, 0, 0, 0];
            let mut gzip: GzEncoder<Vec<u8>> =
                GzBuilder::new().extra(extra).write(Vec::new(), Compression::fast());
            gzip.write_all(text).unwrap();
            let mut block = gzip.finish().unwrap();
            let len = (block.len() as u16 - 1).to_le_bytes();
            block[16..18].copy_from_slice(&len);
            block
        };
        text.chunks(1000).chain([&[][..]]).flat_map(block).collect()
    }

    fn by_blocks(packed: &[u8], most: Option<u64>) -> Option<Vec<u8>> {
        let fill = |buffer: &mut [u8], at: u64| {
            let rest = packed.get(at as usize..).and_then(|rest| rest.get(..buffer.len()));
            buffer.copy_from_slice(rest.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        };
        let all = Packed { len: packed.len() as u64, fill: &fill };
        unpack(&all, &Unpacked::of(Path::new("t.gz"), most, all.len), &Control::default())
    }

    #[test]
    fn blocks_are_the_whole() {
        let text = "name,é\n".repeat(5000).into_bytes();
        let packed = blocked(&text);
        assert_eq!(by_blocks(&packed, None), Some(text.clone()));
        assert_eq!(by_blocks(&packed, Some(text.len() as u64)), Some(text.clone()));
        assert_eq!(by_blocks(&packed, Some(text.len() as u64 - 1)), None);
        let gzip =
            Unpacked::of(Path::new("t.gz"), None, 0).all_of(Packing::Gzip, &packed[..], &Control::default());
        assert_eq!(gzip.unwrap(), text);
    }

    #[test]
    fn what_is_damaged_is_left() {
        let packed = blocked(&b"some text,\n".repeat(300));
        assert_eq!(by_blocks(&packed[..packed.len() - 1], None), None);
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 1;
            let whole = Unpacked::of(Path::new("t.gz"), None, 0).all_of(
                Packing::Gzip,
                &damaged[..],
                &Control::default(),
            );
            if let Some(unpacked) = by_blocks(&damaged, None) {
                assert_eq!(unpacked, whole.unwrap(), "{at}");
            }
        }
    }
}
