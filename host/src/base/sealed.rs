//! Seals: bytes with a checksum behind them, which tells whether they are what was written.

use crc32fast::hash;

/// Bytes of a checksum.
const CHECKSUM: usize = 4;

/// The bytes, and a checksum of them.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    [bytes, &hash(bytes).to_le_bytes()].concat()
}

/// The bytes, if they are those that were sealed.
pub fn unsealed(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
    (u32::from_le_bytes(*checksum) == hash(bytes)).then_some(bytes)
}
