//! Gradients of the network, and Adam (Kingma and Ba, *Adam: a method for stochastic optimization*, ICLR 2015), with the
//! paper's constants.

use hyperblock::cost::{Layer, Network};

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// All numbers of a network, in a fixed order.
pub(super) fn parameters(network: &mut Network) -> impl Iterator<Item = &mut f64> {
    network.layers.iter_mut().flat_map(|Layer { weights, biases }| weights.iter_mut().flatten().chain(biases))
}

/// Adds the gradient of half the squared error on one example to `gradient`, which has the network's shape.
pub(super) fn backward(network: &Network, inputs: &[f64], wanted: f64, gradient: &mut Network) {
    // What each layer was given.
    let mut given = vec![inputs.to_vec()];
    let mut output = 0.0;
    for (ix, layer) in network.layers.iter().enumerate() {
        let sums = layer.forward(&given[ix]);
        if ix + 1 < network.layers.len() {
            given.push(sums.into_iter().map(|sum| sum.max(0.0)).collect());
        } else {
            output = sums[0];
        }
    }
    // The gradient by the sums of the layer at hand, last layer first.
    let mut by_sums = vec![output - wanted];
    for (ix, layer) in network.layers.iter().enumerate().rev() {
        let into = &mut gradient.layers[ix];
        let mut by_given = vec![0.0; given[ix].len()];
        for (neuron, &by_sum) in by_sums.iter().enumerate() {
            into.biases[neuron] += by_sum;
            for (input, &value) in given[ix].iter().enumerate() {
                into.weights[neuron][input] += by_sum * value;
                by_given[input] += by_sum * layer.weights[neuron][input];
            }
        }
        // A ReLU that is shut lets nothing through; the inputs themselves had none, but nobody asks for theirs.
        by_sums =
            by_given.iter().zip(&given[ix]).map(|(&by, &value)| if value > 0.0 { by } else { 0.0 }).collect();
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
    use super::{Adam, backward, parameters};
    use crate::train_cost::learn::initial;
    use hyperblock::cost::Network;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn zero(mut network: Network) -> Network {
        parameters(&mut network).for_each(|parameter| *parameter = 0.0);
        network
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut n_moving = 0;
        for _ in 0..20 {
            let mut network = initial(&mut rng, 0.5);
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
                    let error = network.forward(&inputs) - wanted;
                    if let Some(parameter) = parameters(&mut network).nth(ix) {
                        *parameter -= shift;
                    }
                    error * error / 2.0
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
