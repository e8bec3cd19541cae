//! Gradients of the network, and Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015), with the
//! paper's constants.
//!
//! By hand, since the network has a few hundred numbers: a crate for learning would take longer to build than this takes
//! to run, and the trained files are part of the program, so sums are taken in one order.

use hyperblock::plan::cost::{Layer, Network};

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// All numbers of a network, in a fixed order.
pub(super) fn parameters(network: &mut Network) -> impl Iterator<Item = &mut f64> {
    network.layers.iter_mut().flat_map(|Layer { weights, biases }| weights.iter_mut().flatten().chain(biases))
}

/// Errors beyond this count by their size, not by their square (Huber, *Robust estimation of a location parameter*,
/// Annals of Mathematical Statistics 35(1), 1964): a timing that something disturbed is off by more and should not pull
/// harder for it. In log2 of time: a factor of 1.4.
const HUBER: f64 = 0.5;

/// The loss for an error.
pub(super) fn huber(error: f64) -> f64 {
    let size = error.abs();
    if size <= HUBER { size * size / 2.0 } else { HUBER * (size - HUBER / 2.0) }
}

/// Adds the gradient of the loss on one example to `gradient`, which has the network's shape.
pub(super) fn backward(network: &Network, inputs: &[f64], wanted: f64, gradient: &mut Network) {
    // What each layer after the first was given.
    let mut hidden: Vec<Vec<f64>> = Vec::with_capacity(network.layers.len());
    let mut output = 0.0;
    for (ix, layer) in network.layers.iter().enumerate() {
        let mut sums = layer.forward(if ix == 0 { inputs } else { &hidden[ix - 1] });
        if ix + 1 < network.layers.len() {
            sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
            hidden.push(sums);
        } else {
            output = sums[0];
        }
    }
    // The gradient by the sums of the layer at hand, last layer first.
    let mut by_sums = vec![(output - wanted).clamp(-HUBER, HUBER)];
    for (ix, layer) in network.layers.iter().enumerate().rev() {
        let given = if ix == 0 { inputs } else { &hidden[ix - 1] };
        let into = &mut gradient.layers[ix];
        for ((bias, weights), by_sum) in into.biases.iter_mut().zip(&mut into.weights).zip(&by_sums) {
            *bias += by_sum;
            weights.iter_mut().zip(given).for_each(|(weight, value)| *weight += by_sum * value);
        }
        if ix > 0 {
            // A ReLU that is shut lets nothing through.
            let by = |input: usize| {
                layer.weights.iter().zip(&by_sums).map(|(row, by)| by * row[input]).sum::<f64>()
            };
            by_sums = given
                .iter()
                .enumerate()
                .map(|(input, &value)| if value > 0.0 { by(input) } else { 0.0 })
                .collect();
        }
    }
}

/// The optimiser's memory: running means of each gradient and of its square.
pub(super) struct Adam {
    means: Vec<f64>,
    squares: Vec<f64>,
    n_steps: i32,
}

impl Adam {
    pub(super) fn new(network: &mut Network) -> Self {
        let n = parameters(network).count();
        Self { means: vec![0.0; n], squares: vec![0.0; n], n_steps: 0 }
    }

    /// One step against `gradient`, which is left at zero.
    pub(super) fn step(&mut self, network: &mut Network, gradient: &mut Network, rate: f64) {
        self.n_steps += 1;
        let (unbias_1, unbias_2) = (1.0 - BETA_1.powi(self.n_steps), 1.0 - BETA_2.powi(self.n_steps));
        let memory = self.means.iter_mut().zip(&mut self.squares);
        for ((parameter, slope), (mean, square)) in parameters(network).zip(parameters(gradient)).zip(memory)
        {
            let by = std::mem::take(slope);
            *mean += (1.0 - BETA_1) * (by - *mean);
            *square += (1.0 - BETA_2) * (by * by - *square);
            *parameter -= rate * (*mean / unbias_1) / ((*square / unbias_2).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Adam, backward, huber, parameters};
    use crate::train_cost::learn::initial;
    use hyperblock::plan::cost::Network;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn zero(mut network: Network) -> Network {
        parameters(&mut network).for_each(|parameter| *parameter = 0.0);
        network
    }

    #[test]
    fn large_errors_count_by_their_size() {
        assert_eq!(huber(0.25), 0.03125);
        assert_eq!(huber(-0.5), 0.125);
        assert_eq!(huber(2.5), 0.125 + 2.0 * 0.5);
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut n_moving = 0;
        for _ in 0..20 {
            let mut network = initial(&mut rng, 0.5);
            // First biases are 0, and where all inputs of a ReLU are shut that is just where it has no gradient.
            parameters(&mut network).for_each(|parameter| *parameter += rng.random_range(-0.2..0.2));
            let inputs: Vec<f64> = (0..16).map(|_| rng.random_range(-1.0..1.0)).collect();
            let wanted = rng.random_range(-2.0..2.0);
            let mut gradient = zero(network.clone());
            backward(&network, &inputs, wanted, &mut gradient);
            let by_hand: Vec<f64> = parameters(&mut gradient).map(|slope| *slope).collect();
            for (ix, &slope) in by_hand.iter().enumerate() {
                let mut loss = |shift: f64| {
                    if let Some(parameter) = parameters(&mut network).nth(ix) {
                        *parameter += shift;
                    }
                    let loss = huber(network.forward(&inputs) - wanted);
                    if let Some(parameter) = parameters(&mut network).nth(ix) {
                        *parameter -= shift;
                    }
                    loss
                };
                let difference = (loss(1e-5) - loss(-1e-5)) / 2e-5;
                assert!((slope - difference).abs() < 1e-6, "parameter {ix}: {slope} is not {difference}");
                n_moving += usize::from(slope != 0.0);
            }
        }
        assert!(n_moving > 200, "only {n_moving} gradients are not 0");
    }

    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut network = initial(&mut rng, 0.0);
        let before = network.clone();
        let mut gradient = zero(network.clone());
        backward(&network, &[0.5; 16], 9.0, &mut gradient);
        let slopes: Vec<f64> = parameters(&mut gradient).map(|slope| *slope).collect();
        Adam::new(&mut network).step(&mut network, &mut gradient, 0.01);
        let moves = parameters(&mut network).map(|p| *p).collect::<Vec<_>>();
        let moves = moves.into_iter().zip(parameters(&mut before.clone()).map(|p| *p).collect::<Vec<_>>());
        for ((after, before), slope) in moves.zip(slopes) {
            let wanted = if slope == 0.0 { 0.0 } else { -0.01 * slope.signum() };
            assert!((after - before - wanted).abs() < 1e-6, "{} for a slope of {slope}", after - before);
        }
        assert!(parameters(&mut gradient).all(|slope| *slope == 0.0));
    }
}
