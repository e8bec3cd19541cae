//! The network: inputs → 2 → 6 → 1, a ReLU after each layer but the last (HyperBlocker, section 4).
//!
//! The last layer is linear, since what comes out is a logarithm and may be negative. Sixteen inputs and 2 + 6 + 1 neurons
//! make 59 numbers: few enough to be kept in a file that people can read, and too few to learn timings by heart.

/// A feed-forward network with one output.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// First to last.
    pub layers: Vec<Layer>,
}

/// A dense layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// A row for each neuron, a weight for each of its inputs.
    pub weights: Vec<Vec<f64>>,
    /// One for each neuron.
    pub biases: Vec<f64>,
}

impl Network {
    /// The neurons of each layer.
    pub const SHAPE: [usize; 3] = [2, 6, 1];

    /// What comes out for these inputs.
    pub fn forward(&self, inputs: &[f64]) -> f64 {
        let mut values = inputs.to_vec();
        for (ix, layer) in self.layers.iter().enumerate() {
            values = layer.forward(&values);
            if ix + 1 < self.layers.len() {
                values.iter_mut().for_each(|value| *value = value.max(0.0));
            }
        }
        values.first().copied().unwrap_or(0.0)
    }
}

impl Layer {
    /// Weighted sums, before any ReLU.
    pub fn forward(&self, inputs: &[f64]) -> Vec<f64> {
        let sum = |(weights, bias): (&Vec<f64>, &f64)| {
            bias + weights.iter().zip(inputs).map(|(weight, input)| weight * input).sum::<f64>()
        };
        self.weights.iter().zip(&self.biases).map(sum).collect()
    }
}
