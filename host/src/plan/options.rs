//! Options of the scan: its sizes, what it makes of equalities and similarities, and which of its optimisations are on.

use super::Variant;
use crate::base::names::expected;
use hyperblock_shared::stealing::Policy;
use hyperblock_shared::window::{INTERVAL, STRETCH, WINDOW};
use strum::{Display, EnumString, VariantNames};

/// How a scan works. The result is the same whatever they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanOptions {
    /// Left items in an interval, a multiple of 32 up to 512 (the paper's n_t).
    pub interval: u32,
    /// Blocks under way at once (the paper's n_w).
    pub window: u32,
    /// Right items that are taken at a time.
    pub stretch: u32,
    /// How work is divided among blocks, or threads.
    pub policy: Policy,
    /// Whether pairs that pass the screen wait until many can be verified together.
    pub queue: bool,
    /// What is made of equalities.
    pub join: JoinChoice,
    /// A key with more pairs of records than this is heavy.
    pub heavy: u64,
    /// What is made of similarities.
    pub similarity: SimilarityChoice,
    /// Values that an index of an overlap join has at most: more are indexed block by block.
    pub indexed: u32,
    /// Records from which on a device that makes keys and lists itself does so.
    pub unlisted: u32,
    /// Whether an overlap join looks at signatures before values.
    pub bitmap: bool,
    /// Whether necessary conditions are tested first.
    pub filter: bool,
    /// Whether similarity is computed once for two distinct values, rather than for each pair of records that have them.
    pub dictionary: bool,
    /// How the path is walked for a pair.
    pub walk: WalkChoice,
    /// Which access paths branches may have.
    pub access: AccessChoice,
    /// Which plan is made.
    pub plan: PlanChoice,
    /// Which rule is named of a pair that several allow.
    pub witness: WitnessChoice,
}

/// Fewer pairs than this are walked in about the time that it takes to lay them out for a screen.
const HEAVY_KEY: u64 = 1 << 12;
/// An index of so many values stays within some hundred megabytes, if they are no longer than titles.
const INDEXED: u32 = 1 << 20;
/// Fewer records than this are listed by the host in less time than a device takes to begin.
const UNLISTED: u32 = 1 << 12;

/// What the scan makes of the equalities that all rules of a branch ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum JoinChoice {
    /// Together they are a key: records with the same one are found by a hash join or a sweep, whichever is expected to take
    /// less, and keys that very many records have are swept by another predicate.
    #[default]
    Cheapest,
    /// They are the key of a hash join; keys that very many records have are swept by another predicate.
    Skew,
    /// They are the key of a hash join, and all keys are alike.
    Plain,
    /// There is no join: a similarity or a number leads, and an equality only where there is neither.
    None,
}

/// What the scan makes of a similarity that leads a branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum SimilarityChoice {
    /// Whichever of the others is expected to cost least.
    #[default]
    Cheapest,
    /// A sweep: all pairs of values whose lengths go together are screened.
    Sweep,
    /// An overlap join, wherever the similarity says that values must have elements in common: an index finds the pairs.
    Join,
    /// An overlap join, likewise: the signatures of all pairs whose sizes go together are compared.
    Dense,
}

/// How a path is walked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WalkChoice {
    /// Step by step.
    #[default]
    StepByStep,
    /// By recursion, as one would walk a tree: to see what it costs.
    ByDescent,
    /// Step by step, and [`Control::count`](crate::Control::count) is told what the steps did.
    Counted,
}

/// Which access paths branches may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum AccessChoice {
    /// All that there are, of which the one is taken that is expected to take least.
    #[default]
    Cheapest,
    /// Sweeps alone, led by whatever is expected to take least: the same for every variant of the scan.
    Sweep,
}

/// How the tree is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum PlanChoice {
    /// Rules that another one makes needless are left out, orders that look at all rules are tried too, and each branch is
    /// scanned by itself.
    #[default]
    Cheapest,
    /// As HyperBlocker has it: predicates by (1 − sp) / cost, siblings by falling score, and all pairs are walked through the
    /// one tree until the first witness.
    Paper,
}

/// Which rule is named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum WitnessChoice {
    /// The first in the file that allows the pair.
    #[default]
    First,
    /// None: a pair is done with where any rule allows it.
    Any,
}

impl Default for ScanOptions {
    fn default() -> Self {
        Self {
            interval: INTERVAL,
            window: WINDOW,
            stretch: STRETCH,
            policy: Policy { sliding: true, stealing: true },
            queue: true,
            join: JoinChoice::default(),
            heavy: HEAVY_KEY,
            similarity: SimilarityChoice::default(),
            indexed: INDEXED,
            unlisted: UNLISTED,
            bitmap: true,
            filter: true,
            dictionary: true,
            walk: WalkChoice::default(),
            access: AccessChoice::default(),
            plan: PlanChoice::default(),
            witness: WitnessChoice::default(),
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
            walk: if is_on(Variant::NoSeq, true) { self.walk } else { WalkChoice::ByDescent },
            filter: is_on(Variant::NoFilter, false),
            bitmap: is_on(Variant::NoBitmap, false),
            dictionary: is_on(Variant::NoDictionary, false),
            // The paper's walk ends at a pair's first witness in the order of the tree.
            witness: if self.plan == PlanChoice::Paper { WitnessChoice::Any } else { self.witness },
            ..self
        }
    }

    /// Whether candidates name the rule that allows them.
    pub fn names_rules(&self) -> bool {
        self.plan != PlanChoice::Paper && self.witness == WitnessChoice::First
    }
}
