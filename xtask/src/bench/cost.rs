//! The cost model under noise: figure 7f of HyperBlocker (PVLDB 18(2), 2024).
//!
//! Timings taken on a busy machine are partly wrong. So a share of the training timings is spoilt, each multiplied by a
//! factor between 1/16 and 16 (uniform in its logarithm: too slow as often as too fast), and the model is trained on
//! them as if nothing had happened. What is judged is the order that it gives predicates whose timings are sound. Every
//! seed draws another split, another noise and other first weights.

use super::CostArgs;
use super::chart::{Chart, Line};
use crate::train_cost::learn;
use crate::train_cost::timings::{Taken, Timing, split, take};
use crate::{ndcg, record};
use anyhow::{Context, Result};
use plotters::prelude::SeriesLabelPosition;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::path::Path;

/// Percent of the training timings that are spoilt.
const NOISE: [u32; 5] = [0, 10, 20, 30, 40];
const N_SEEDS: usize = 10;
/// log2 of the largest factor.
const MOST_FACTOR: f64 = 4.0;

/// What came of one share of noise, over all seeds.
struct Level {
    percent: u32,
    /// NDCG over all validation predicates, by seed.
    all: Vec<f64>,
    /// The mean over groups of ten, by seed.
    groups: Vec<f64>,
    /// The same in random order.
    random: f64,
    /// By seed: the root of the mean squared error of log2 of nanoseconds.
    rmse: Vec<f64>,
}

pub(super) fn run(args: &CostArgs) -> Result<()> {
    let taken = match &args.timings {
        Some(path) => Taken::read(path)?,
        None => take(&args.workload)?,
    };
    let mut lines = vec![
        "device,timings,noise_percent,seeds,ndcg_mean,ndcg_min,ndcg_groups_mean,ndcg_groups_min,ndcg_groups_random,rmse_mean,rmse_max"
            .to_owned(),
    ];
    let mut levels = Vec::new();
    for percent in NOISE {
        let level = judge(&taken, percent, args.workload.seed)?;
        let (all, groups) = (spread(&level.all), spread(&level.groups));
        let rmse = (spread(&level.rmse).0, level.rmse.iter().copied().fold(0.0, f64::max));
        println!(
            "{percent:3}% noise  NDCG {:.4} (least {:.4}) over all, {:.4} (least {:.4}) over groups of 10; RMSE {:.2} (most {:.2}) of log2",
            all.0, all.1, groups.0, groups.1, rmse.0, rmse.1
        );
        lines.push(format!(
            "{},{},{percent},{N_SEEDS},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4}",
            taken.backend,
            taken.timings.len(),
            all.0,
            all.1,
            groups.0,
            groups.1,
            level.random,
            rmse.0,
            rmse.1
        ));
        levels.push(level);
    }
    let Some(folder) = &args.save else { return Ok(()) };
    record::save(folder, "cost", &lines)?;
    draw(&folder.join("cost.svg"), &levels, &format!("Order by predicted cost, {}", taken.machine))
}

fn draw(path: &Path, levels: &[Level], title: &str) -> Result<()> {
    let line = |name: &str, value: fn(&Level) -> f64| Line {
        name: name.to_owned(),
        points: levels.iter().map(|level| (f64::from(level.percent), value(level))).collect(),
        is_dashed: false,
    };
    let lines = vec![
        line("all predicates, mean of seeds", |level| spread(&level.all).0),
        line("groups of 10, mean of seeds", |level| spread(&level.groups).0),
        line("all predicates, worst seed", |level| spread(&level.all).1),
        line("groups of 10, worst seed", |level| spread(&level.groups).1),
        line("groups of 10, random order", |level| level.random),
    ];
    let (x, y) = ("training timings replaced by noise (%)", "NDCG on validation timings");
    let legend = SeriesLabelPosition::LowerLeft;
    // An order at random is above a half.
    Chart { title, x, y, range: 0.5..1.0, logarithmic: false, legend, lines }.draw(path)
}

/// Trains and judges once for each seed.
fn judge(taken: &Taken, percent: u32, seed: u64) -> Result<Level> {
    let one = |seed: u64| {
        let (mut training, validation) = split(&taken.timings, seed);
        spoil(&mut training, percent, seed);
        let model = learn::train(&training, taken.backend, &taken.machine, seed);
        let measured: Vec<f64> = validation.iter().map(|timing| timing.nanoseconds).collect();
        let predicted: Vec<f64> = validation.iter().map(|timing| model.predict(&timing.features)).collect();
        (ndcg::judge(&predicted, &measured, seed), learn::errors(&model, &validation).rmse)
    };
    let seeds: Vec<u64> = (seed..).take(N_SEEDS).collect();
    let each = N_SEEDS.div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
    let judged: Vec<(ndcg::Judgement, f64)> = std::thread::scope(|scope| {
        let some =
            |seeds| scope.spawn(move || <[u64]>::iter(seeds).map(|&seed| one(seed)).collect::<Vec<_>>());
        let threads: Vec<_> = seeds.chunks(each).map(some).collect();
        threads.into_iter().map(|thread| thread.join().ok()).collect::<Option<Vec<_>>>()
    })
    .context("training failed")?
    .concat();
    Ok(Level {
        percent,
        all: judged.iter().map(|(judgement, _)| judgement.all).collect(),
        groups: judged.iter().map(|(judgement, _)| judgement.mean).collect(),
        random: judged.iter().map(|(judgement, _)| judgement.random).sum::<f64>() / N_SEEDS as f64,
        rmse: judged.iter().map(|(_, rmse)| *rmse).collect(),
    })
}

/// Multiplies so many percent of the timings by a random factor.
fn spoil(timings: &mut [Timing], percent: u32, seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = timings.len() * percent as usize / 100;
    let (spoilt, _) = timings.partial_shuffle(&mut rng, n);
    for timing in spoilt {
        timing.nanoseconds *= rng.random_range(-MOST_FACTOR..=MOST_FACTOR).exp2();
    }
}

/// Mean and least.
fn spread(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    (mean, values.iter().copied().fold(f64::INFINITY, f64::min))
}

#[cfg(test)]
mod tests {
    use super::spoil;
    use crate::train_cost::timings::Timing;
    use hyperblock::plan::cost::{Features, N_FEATURES};

    #[test]
    fn the_share_of_noise_is_as_asked() {
        for percent in [0, 10, 40] {
            let one = Timing { features: Features([0.0; N_FEATURES]), nanoseconds: 1.0, static_cost: 1.0 };
            let mut timings = vec![one; 200];
            spoil(&mut timings, percent, 1);
            let spoilt: Vec<f64> =
                timings.iter().map(|timing| timing.nanoseconds).filter(|ns| *ns != 1.0).collect();
            assert_eq!(spoilt.len(), 2 * percent as usize);
            assert!(spoilt.iter().all(|ns| (1.0 / 16.0..=16.0).contains(ns)));
        }
    }
}
