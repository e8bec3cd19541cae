//! Training: from timings to weights.
//!
//! The network predicts log2 of nanoseconds, so an error of 1 is a factor of 2 wherever it is made; the loss is the mean
//! of squared errors, large ones tempered. A layer of two ReLUs starts badly as often as not (one of them shut for every input, for good), so
//! training is repeated from other first weights, and the network with the least loss on the *training* timings is kept:
//! those that judge it have no say in the choice.

use super::adam::{Adam, backward, huber, parameters};
use super::timings::Timing;
use hyperblock::plan::cost::BackendKind;
use hyperblock::plan::cost::{CostModel, Layer, N_FEATURES, Network};
use hyperblock::plan::work::N_UNITS;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::fmt;

/// First weights that are tried: one alone costs 0.01 of NDCG in the mean, and 30 are no better.
const RESTARTS: usize = 12;
const EPOCHS: usize = 400;
const BATCH: usize = 16;
/// Where the learning rate begins; it falls to nothing along half a cosine.
const RATE: f64 = 0.02;

/// Trains a model of a backend's costs.
pub(crate) fn train(timings: &[Timing], backend: BackendKind, machine: &str, seed: u64) -> CostModel {
    let (means, deviations) = normalisation(timings);
    let network = Network { layers: Vec::new() };
    let machine = machine.to_owned();
    let n_timings = timings.len() as u64;
    let (figures, rates) = (None, [0.0; N_UNITS]);
    let model = CostModel { backend, machine, n_timings, means, deviations, network, figures, rates };
    let examples: Vec<Example> = timings
        .iter()
        .map(|timing| Example { inputs: model.inputs(&timing.features), wanted: timing.nanoseconds.log2() })
        .collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let tries =
        (0..RESTARTS).map(|_| once(&examples, &mut rng)).map(|network| (loss(&network, &examples), network));
    let best = tries.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, network)| network);
    CostModel { network: best.unwrap_or(model.network), ..model }.rounded()
}

struct Example {
    inputs: [f64; N_FEATURES],
    wanted: f64,
}

/// Mean and standard deviation of each feature; 1 for one that does not vary.
fn normalisation(timings: &[Timing]) -> ([f64; N_FEATURES], [f64; N_FEATURES]) {
    let n = timings.len().max(1) as f64;
    let mean = |of: &dyn Fn(&Timing) -> f64| timings.iter().map(of).sum::<f64>() / n;
    let means: [f64; N_FEATURES] = std::array::from_fn(|ix| mean(&|timing| timing.features.0[ix]));
    let deviations = std::array::from_fn(|ix| {
        let deviation = mean(&|timing| (timing.features.0[ix] - means[ix]).powi(2)).sqrt();
        if deviation > 1e-9 { deviation } else { 1.0 }
    });
    (means, deviations)
}

/// First weights as He et al. advise for ReLUs (*Delving deep into rectifiers*, ICCV 2015); `bias` is what comes out of
/// a network that knows nothing.
pub(super) fn initial(rng: &mut ChaCha8Rng, bias: f64) -> Network {
    let mut n_inputs = N_FEATURES;
    let layers = Network::SHAPE.map(|n_neurons| {
        let bound = (6.0 / n_inputs as f64).sqrt();
        let mut row = || (0..n_inputs).map(|_| rng.random_range(-bound..bound)).collect();
        let weights = (0..n_neurons).map(|_| row()).collect();
        n_inputs = n_neurons;
        Layer { weights, biases: vec![0.0; n_neurons] }
    });
    let mut network = Network { layers: layers.into() };
    if let Some(last) = network.layers.last_mut() {
        last.biases.fill(bias);
    }
    network
}

/// Trains from one set of first weights.
fn once(examples: &[Example], rng: &mut ChaCha8Rng) -> Network {
    let mean = examples.iter().map(|example| example.wanted).sum::<f64>() / examples.len().max(1) as f64;
    let mut network = initial(rng, mean);
    let mut gradient = network.clone();
    parameters(&mut gradient).for_each(|slope| *slope = 0.0);
    let mut adam = Adam::new(&mut network);
    let mut order: Vec<&Example> = examples.iter().collect();
    for epoch in 0..EPOCHS {
        let rate = RATE * 0.5 * (1.0 + (std::f64::consts::PI * epoch as f64 / EPOCHS as f64).cos());
        order.shuffle(rng);
        for batch in order.chunks(BATCH) {
            for example in batch {
                backward(&network, &example.inputs, example.wanted, &mut gradient);
            }
            parameters(&mut gradient).for_each(|slope| *slope /= batch.len() as f64);
            adam.step(&mut network, &mut gradient, rate);
        }
    }
    network
}

fn loss(network: &Network, examples: &[Example]) -> f64 {
    let loss = |example: &Example| huber(network.forward(&example.inputs) - example.wanted);
    examples.iter().map(loss).sum::<f64>() / examples.len().max(1) as f64
}

/// By what factor predictions are off.
pub(crate) struct Errors {
    /// Of log2 of nanoseconds: 1 is a factor of 2.
    pub(crate) rmse: f64,
    median: f64,
    worst_tenth: f64,
    worst: f64,
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rmse, median, worst_tenth, worst } = self;
        write!(
            f,
            "RMSE {rmse:.2} of log2, off by a factor of {median:.2} in the median, {worst_tenth:.2} in the worst tenth, {worst:.2} at most"
        )
    }
}

/// How far a model is off.
pub(crate) fn errors(model: &CostModel, timings: &[Timing]) -> Errors {
    let error = |timing: &Timing| (model.predict(&timing.features) / timing.nanoseconds).log2();
    let errors: Vec<f64> = timings.iter().map(error).collect();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let rmse = (squares / errors.len().max(1) as f64).sqrt();
    let mut factors: Vec<f64> = errors.into_iter().map(|error| error.abs().exp2()).collect();
    factors.sort_by(f64::total_cmp);
    let at = |share: f64| {
        factors.get((factors.len() as f64 * share) as usize).or(factors.last()).copied().unwrap_or(1.0)
    };
    Errors { rmse, median: at(0.5), worst_tenth: at(0.9), worst: at(1.0) }
}

#[cfg(test)]
mod tests {
    use super::{errors, train};
    use crate::train_cost::timings::Timing;
    use hyperblock::plan::cost::BackendKind;
    use hyperblock::plan::cost::{Features, N_FEATURES};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// Costs as they are: a base, and a measure for the share of pairs that pass.
    fn made_up(n: usize) -> Vec<Timing> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let one = |_| {
            let (length, passing) = (rng.random_range(2.0..8.0f64), rng.random_range(-12.0..0.0f64));
            let mut features = [0.0; N_FEATURES];
            (features[8], features[15]) = (length, passing);
            let nanoseconds = 4.0 + 3.0 * (length + passing).exp2();
            Timing { features: Features(features), nanoseconds, static_cost: 1.0 }
        };
        (0..n).map(one).collect()
    }

    #[test]
    fn the_shape_of_costs_can_be_learned() {
        let timings = made_up(300);
        let model = train(&timings[..200], BackendKind::Cpu, "none", 1);
        assert_eq!(model.n_timings, 200);
        let errors = errors(&model, &timings[200..]);
        assert!(errors.worst_tenth < 1.25 && errors.rmse < 0.5, "{errors}");
        assert_eq!(model, train(&timings[..200], BackendKind::Cpu, "none", 1), "a seed decides the weights");
    }
}
