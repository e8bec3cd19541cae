//! What a predicate costs: the nanoseconds that evaluating it takes on a typical pair.
//!
//! The plan orders predicates by (1 − sp) / cost (HyperBlocker, PVLDB 18(2), 2024, section 4), so only the ratios of
//! costs on one device matter. They come from one of three sources: timings taken on the spot (`run::measured`), a small
//! network ([`Network`]) that was trained on such timings and looks at [`Features`] of the predicate and of its columns,
//! or a table of guesses ([`static_costs`]). No source has a say in the result, only in how soon it is there.

mod features;
mod figures;
mod file;
mod fixed;
mod network;

pub use features::{FEATURES, Features, N_FEATURES};
pub use figures::Figures;
pub use file::CostModel;
pub use fixed::static_costs;
pub use network::{Layer, Network};

use crate::base::error::Result;
use crate::base::gather::Gather;
use crate::base::names::expected;
use crate::encode::Encoded;
use crate::plan::work::{Rates, Unit};
use rayon::prelude::*;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use strum::{EnumString, VariantNames};

/// The kinds of devices that have cost models of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = expected::<Self>)]
pub enum BackendKind {
    /// The CPU backend.
    Cpu,
    /// The CUDA backend.
    Cuda,
}

/// Where costs come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CostSource {
    /// Timings of this job's predicates and of some of its paths, taken on this job's device before it starts.
    Measured,
    /// The network that comes with the program.
    #[default]
    Model,
    /// A network from a file, as `cargo xtask train-cost` writes it.
    File(PathBuf),
    /// The table.
    Static,
}

impl FromStr for CostSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "measured" => Ok(Self::Measured),
            "model" => Ok(Self::Model),
            "static" => Ok(Self::Static),
            file if file.ends_with(".toml") => Ok(Self::File(file.into())),
            _ => Err("expected measured, model, static or a .toml file of `cargo xtask train-cost`".into()),
        }
    }
}

impl fmt::Display for CostSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measured => f.write_str("measured"),
            Self::Model => f.write_str("model"),
            Self::Static => f.write_str("static"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

/// The cost of each predicate of an encoding, by a model.
pub fn costs(model: &CostModel, encoded: &Encoded) -> Vec<f64> {
    encoded.predicates.par_iter().map(|predicate| model.predict(&Features::of(encoded, predicate))).gather()
}

/// What access paths take on the CPU beside a device on which predicates have these costs.
pub fn beside(encoded: &Encoded, costs_there: &[f64]) -> Result<Rates> {
    let model = CostModel::builtin(BackendKind::Cpu)?;
    let mut rates = model.rates();
    // Paths count what predicates take in the other device's nanoseconds.
    let (own, there): (f64, f64) = (costs(&model, encoded).iter().sum(), costs_there.iter().sum());
    if own > 0.0 && there > 0.0 {
        rates.nanoseconds[Unit::Decided as usize] *= own / there;
    }
    Ok(rates)
}

#[cfg(test)]
mod tests;
