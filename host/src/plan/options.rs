//! Options of the scan: its sizes, and which of its optimisations are on.

use super::Variant;
use hyperblock_shared::stealing::Policy;
use hyperblock_shared::window::{INTERVAL, STRETCH, WINDOW};

/// How a scan works. The result is the same whatever they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOptions {
    /// Left items in an interval, a multiple of 32 up to 512 (the paper's n_t).
    pub interval: u32,
    /// Intervals under way at once (the paper's n_w).
    pub window: u32,
    /// Right items that are taken at a time.
    pub stretch: u32,
    /// How work is divided among blocks, or threads.
    pub policy: Policy,
    /// Whether pairs that pass the screen wait until many can be verified together.
    pub queue: bool,
    /// Whether necessary conditions are tested first.
    pub filter: bool,
    /// Whether similarity is computed once for two distinct values, rather than for each pair of records that have them.
    pub dictionary: bool,
    /// Whether the path is walked step by step, rather than by recursion.
    pub sequential: bool,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            interval: INTERVAL,
            window: WINDOW,
            stretch: STRETCH,
            policy: Policy { sliding: true, stealing: true },
            queue: true,
            filter: true,
            dictionary: true,
            sequential: true,
        }
    }
}

impl ScanOptions {
    /// With what `variants` switch off switched off.
    pub fn without(self, variants: &[Variant]) -> Self {
        let all_hardware = variants.contains(&Variant::NoHo);
        let is_on = |variant, hardware: bool| !(variants.contains(&variant) || hardware && all_hardware);
        Self {
            policy: Policy {
                sliding: is_on(Variant::NoPsw, true),
                stealing: is_on(Variant::NoStealing, true),
            },
            queue: is_on(Variant::NoQueue, true),
            sequential: is_on(Variant::NoSeq, true),
            filter: is_on(Variant::NoFilter, false),
            dictionary: is_on(Variant::NoDictionary, false),
            ..self
        }
    }
}
