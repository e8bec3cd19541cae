//! The bytes of a plan: a mark, the layout's version, who wrote them, what they hold, and a checksum over all of it.
//!
//! A driver and its executors may have different versions of hyperblock, and bytes may be damaged on the way. Either is an error
//! that says so, before anything is made of them.

use crate::base::error::{Error, Result};

const MARK: &[u8; 16] = b"hyperblock units";
/// The layout of what follows. One with another number is not ours to read.
const VERSION: u32 = 1;
const MADE_BY: &str = env!("CARGO_PKG_VERSION");

/// Marks bytes as a plan of this version.
pub(super) fn sealed(held: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(held.len() + 64);
    bytes.extend_from_slice(MARK);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&(MADE_BY.len() as u32).to_le_bytes());
    bytes.extend_from_slice(MADE_BY.as_bytes());
    bytes.extend_from_slice(&(held.len() as u64).to_le_bytes());
    bytes.extend_from_slice(held);
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// What a plan of this version holds.
pub(super) fn opened(bytes: &[u8]) -> Result<&[u8]> {
    let no_plan = || Error::Job("these bytes are no plan of units".into());
    let damaged = || Error::Job("the plan is damaged: its bytes are not those that were written".into());
    let rest = bytes.strip_prefix(MARK).ok_or_else(no_plan)?;
    let (version, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let (made_by, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize).ok_or_else(damaged)?;
    let (all, checksum) = bytes.split_last_chunk().ok_or_else(damaged)?;
    if crc32fast::hash(all) != u32::from_le_bytes(*checksum) {
        return Err(damaged());
    }
    if u32::from_le_bytes(*version) != VERSION || made_by != MADE_BY.as_bytes() {
        let message = format!(
            "the plan was made by hyperblock {}, and this is {MADE_BY}: install the same version on the driver and on all \
             executors",
            String::from_utf8_lossy(made_by)
        );
        return Err(Error::Job(message));
    }
    let (len, rest) = rest.split_first_chunk().ok_or_else(damaged)?;
    let held = usize::try_from(u64::from_le_bytes(*len)).ok().and_then(|len| rest.get(..len));
    held.filter(|held| held.len() + 4 == rest.len()).ok_or_else(damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        for held in [&b""[..], b"x", b"some bytes"] {
            assert_eq!(opened(&sealed(held)).unwrap(), held);
        }
    }

    #[test]
    fn no_bit_may_change() {
        let bytes = sealed(b"what units there are");
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(opened(&damaged), Err(Error::Job(_))), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert!(matches!(opened(&bytes[..len]), Err(Error::Job(_))), "{len} bytes");
        }
        assert!(opened(&[&bytes[..], b"more"].concat()).is_err());
    }

    #[test]
    fn another_version_is_told_of() {
        let mut bytes = sealed(b"");
        let at = MARK.len() + 8;
        bytes[at] = b'9';
        let end = bytes.len() - 4;
        let checksum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
        let said = opened(&bytes).unwrap_err().to_string();
        assert!(said.contains("install the same version on the driver and on all executors"), "{said}");
    }
}
