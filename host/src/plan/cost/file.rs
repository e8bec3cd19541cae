//! The cost model and its file: a network with what it takes to trust it.
//!
//! ```toml
//! version = 3
//! backend = "cpu"
//! machine = "…"             # what the timings were taken on
//! timings = 420             # how many it was trained on
//! features = ["mark", …]    # must be those of this program, in its order
//! means = […]               # an input is (feature − mean) / deviation
//! deviations = […]
//!
//! [device]                  # of the GPU that they were taken on; may be left out
//! multiprocessors = …
//! clock_mhz = …
//! bandwidth_gb_s = …
//!
//! [paths]                   # nanoseconds of each unit of work
//! sweep = …
//!
//! [[layers]]                # three of them
//! weights = [[…], […]]      # a row for each neuron
//! biases = […]
//! ```
//!
//! A file for each backend is built in; `cargo xtask train-cost` makes others.

use super::BackendKind;
use super::N_FEATURES;
use super::features::{FEATURES, Features};
use super::figures::Figures;
use super::network::{Layer, Network};
use crate::base::error::{Error, Result};
use crate::base::threads;
use crate::plan::work::{N_UNITS, Rates, Unit};
use std::fmt;
use std::path::Path;
use strum::VariantArray;
use toml::de::{DeTable, DeValue};

/// The layout above. One with another number is not ours to read.
const VERSION: u64 = 3;

/// Costs lie between these powers of two, in nanoseconds, whatever a model says of columns unlike all it was trained on.
const BOUNDS: (f64, f64) = (-20.0, 40.0);

/// A trained network, and what it was trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct CostModel {
    /// Whose costs it predicts.
    pub backend: BackendKind,
    /// What the timings were taken on.
    pub machine: String,
    /// How many timings it was trained on.
    pub n_timings: u64,
    /// The mean of each feature over those.
    pub means: [f64; N_FEATURES],
    /// The standard deviation of each feature; 1 where it did not vary.
    pub deviations: [f64; N_FEATURES],
    /// Predicts log2 of nanoseconds.
    pub network: Network,
    /// What the GPU has that the timings were taken on, if it is one and that is known.
    pub figures: Option<Figures>,
    /// By unit of work of access paths: nanoseconds.
    pub rates: [f64; N_UNITS],
}

impl CostModel {
    /// The model that comes with the program.
    pub fn builtin(backend: BackendKind) -> Result<Self> {
        let (name, text) = match backend {
            BackendKind::Cpu => ("the built-in cpu.toml", include_str!("../../../cost/cpu.toml")),
            BackendKind::Cuda => ("the built-in cuda.toml", include_str!("../../../cost/cuda.toml")),
        };
        Self::parse(name, text)
    }

    /// Reads a model from a file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// The model, if it is one for this kind of device.
    pub(crate) fn for_device(self, path: &Path, wanted: BackendKind, name: &str) -> Result<Self> {
        if self.backend == wanted {
            return Ok(self);
        }
        let has = self.backend;
        Err(Error::Job(format!(
            "{}: a cost model for {has}, and the job runs on {name}; take one for {wanted}, or --cost model",
            path.display()
        )))
    }

    /// The model for a device with these figures: scaled, if it was made on one with others and both are known.
    pub fn on(mut self, figures: Option<Figures>) -> Self {
        let (Some(own), Some(other)) = (self.figures, figures) else { return self };
        let slowness = own.slowness(&other);
        for (rate, &unit) in self.rates.iter_mut().zip(Unit::VARIANTS) {
            *rate *= slowness.of(unit);
        }
        // The network predicts logarithms: to multiply is to add.
        if let Some(last) = self.network.layers.last_mut() {
            last.biases.iter_mut().for_each(|bias| *bias += slowness.of_predicates().log2());
        }
        Self { figures, ..self }
    }

    /// Parses the text of a file; `name` is for messages alone.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        model(text).map_err(|complaint| {
            Error::Job(format!(
                "{name}: not a cost model for this program: {complaint}; make one with `cargo xtask train-cost`"
            ))
        })
    }

    /// The nanoseconds that a predicate with these features takes on a typical pair: positive and finite.
    pub fn predict(&self, features: &Features) -> f64 {
        let (least, most) = BOUNDS;
        self.network.forward(&self.inputs(features)).clamp(least, most).exp2()
    }

    /// What access paths take: on a CPU, with the threads of this process.
    pub fn rates(&self) -> Rates {
        let n_threads = match self.backend {
            BackendKind::Cpu => threads::n_threads(),
            BackendKind::Cuda => 1,
        };
        Rates { nanoseconds: self.rates, n_threads }
    }

    /// The features as the network takes them.
    pub fn inputs(&self, features: &Features) -> [f64; N_FEATURES] {
        std::array::from_fn(|ix| (features.0[ix] - self.means[ix]) / self.deviations[ix])
    }

    /// The model as its file will hold it: numbers of single precision are enough.
    pub fn rounded(mut self) -> Self {
        let round = |number: &mut f64| *number = f64::from(*number as f32);
        self.means.iter_mut().chain(&mut self.deviations).chain(&mut self.rates).for_each(round);
        for Layer { weights, biases } in &mut self.network.layers {
            weights.iter_mut().flatten().chain(biases).for_each(round);
        }
        self
    }
}

/// The file's text.
impl fmt::Display for CostModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |numbers: &[f64]| {
            let numbers: Vec<_> = numbers.iter().map(|&number| format!("{:?}", number as f32)).collect();
            format!("[{}]", numbers.join(", "))
        };
        writeln!(
            f,
            "# What predicates cost on a pair of records. Made by `cargo xtask train-cost`; not for editing."
        )?;
        writeln!(f, "version = {VERSION}")?;
        writeln!(f, "backend = \"{}\"", self.backend)?;
        writeln!(
            f,
            "machine = \"{}\"",
            self.machine.replace(['"', '\\'], "'").replace(char::is_control, " ")
        )?;
        writeln!(f, "timings = {}", self.n_timings)?;
        writeln!(f, "features = [{}]", FEATURES.map(|name| format!("\"{name}\"")).join(", "))?;
        writeln!(f, "means = {}", list(&self.means))?;
        writeln!(f, "deviations = {}", list(&self.deviations))?;
        if let Some(Figures { multiprocessors, clock_mhz, bandwidth_gb_s }) = self.figures {
            writeln!(f, "\n[device]")?;
            writeln!(f, "multiprocessors = {multiprocessors}")?;
            writeln!(f, "clock_mhz = {clock_mhz}")?;
            writeln!(f, "bandwidth_gb_s = {bandwidth_gb_s}")?;
        }
        writeln!(f, "\n[paths]")?;
        for (unit, rate) in Unit::VARIANTS.iter().zip(self.rates) {
            writeln!(f, "{} = {:?}", unit.name(), rate as f32)?;
        }
        for Layer { weights, biases } in &self.network.layers {
            writeln!(f, "\n[[layers]]\nweights = [")?;
            for row in weights {
                writeln!(f, "    {},", list(row))?;
            }
            writeln!(f, "]\nbiases = {}", list(biases))?;
        }
        Ok(())
    }
}

/// What is wrong with a file, with the key.
type Parsed<T> = Result<T, String>;

fn model(text: &str) -> Parsed<CostModel> {
    let document = DeTable::parse(text).map_err(|error| format!("this is not TOML: {}", error.message()))?;
    let table = document.get_ref();
    const KEYS: [&str; 10] = [
        "version",
        "backend",
        "machine",
        "timings",
        "features",
        "means",
        "deviations",
        "device",
        "paths",
        "layers",
    ];
    // The version first: in a file of another one, nothing else need make sense.
    let version = integer(table, "version", "")?;
    if version != VERSION {
        return Err(format!("`version` is {version}, not {VERSION}"));
    }
    known_keys(table, &KEYS, "")?;
    let backend = string(get(table, "backend", "")?, "backend")?;
    let features = array(get(table, "features", "")?, "features")?
        .iter()
        .map(|name| string(name.get_ref(), "features"))
        .collect::<Parsed<Vec<_>>>()?;
    if features != FEATURES {
        return Err(format!("`features` are not {}", FEATURES.join(", ")));
    }
    let deviations = numbers(get(table, "deviations", "")?, "deviations")?;
    if deviations.iter().any(|&deviation| deviation <= 0.0) {
        return Err("`deviations` are not all above 0".into());
    }
    let layers = array(get(table, "layers", "")?, "layers")?;
    if layers.len() != Network::SHAPE.len() {
        return Err(format!("`layers` are {}, not {}", layers.len(), Network::SHAPE.len()));
    }
    let mut network = Network { layers: Vec::new() };
    let mut n_inputs = N_FEATURES;
    for ((number, value), n_neurons) in (1..).zip(layers.iter()).zip(Network::SHAPE) {
        network.layers.push(layer(value.get_ref(), number, n_inputs, n_neurons)?);
        n_inputs = n_neurons;
    }
    Ok(CostModel {
        backend: backend.parse().map_err(|expected| format!("`backend` is \"{backend}\": {expected}"))?,
        machine: string(get(table, "machine", "")?, "machine")?.to_owned(),
        n_timings: integer(table, "timings", "")?,
        means: numbers(get(table, "means", "")?, "means")?,
        deviations,
        network,
        figures: table.get("device").map(|value| figures(value.get_ref())).transpose()?,
        rates: rates(get(table, "paths", "")?)?,
    })
}

fn figures(value: &DeValue<'_>) -> Parsed<Figures> {
    let table = value.as_table().ok_or("`device` is not a table")?;
    known_keys(table, &["multiprocessors", "clock_mhz", "bandwidth_gb_s"], " of device")?;
    let figure = |key: &str| {
        let number = integer(table, key, " of device")?;
        u32::try_from(number).map_err(|_| format!("`{key} of device` is too large"))
    };
    Ok(Figures {
        multiprocessors: figure("multiprocessors")?,
        clock_mhz: figure("clock_mhz")?,
        bandwidth_gb_s: figure("bandwidth_gb_s")?,
    })
}

fn rates(value: &DeValue<'_>) -> Parsed<[f64; N_UNITS]> {
    let table = value.as_table().ok_or("`paths` is not a table")?;
    known_keys(table, &Unit::VARIANTS.iter().map(|unit| unit.name()).collect::<Vec<_>>(), " of paths")?;
    let mut rates = [0.0; N_UNITS];
    for (rate, unit) in rates.iter_mut().zip(Unit::VARIANTS) {
        let of = format!("`{} of paths`", unit.name());
        let found = number(get(table, unit.name(), " of paths")?).filter(|rate| *rate >= 0.0);
        *rate = found.ok_or_else(|| format!("{of} is not a number from 0 on"))?;
    }
    Ok(rates)
}

fn layer(value: &DeValue<'_>, number: usize, n_inputs: usize, n_neurons: usize) -> Parsed<Layer> {
    let of = format!(" of layer {number}");
    let table = value.as_table().ok_or_else(|| format!("layer {number} is not a table"))?;
    known_keys(table, &["weights", "biases"], &of)?;
    let rows = array(get(table, "weights", &of)?, &format!("weights{of}"))?;
    let weights = rows
        .iter()
        .map(|row| list(row.get_ref(), &format!("weights{of}"), n_inputs))
        .collect::<Parsed<Vec<_>>>()?;
    if weights.len() != n_neurons {
        return Err(format!("`weights{of}` are {} rows, not {n_neurons}", weights.len()));
    }
    let biases = list(get(table, "biases", &of)?, &format!("biases{of}"), n_neurons)?;
    Ok(Layer { weights, biases })
}

fn known_keys(table: &DeTable<'_>, known: &[&str], of: &str) -> Parsed<()> {
    match table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) {
        Some(key) => Err(format!("there is no key `{}{of}`", key.get_ref())),
        None => Ok(()),
    }
}

fn get<'a, 'b>(table: &'a DeTable<'b>, key: &str, of: &str) -> Parsed<&'a DeValue<'b>> {
    table.get(key).map(|value| value.get_ref()).ok_or_else(|| format!("`{key}{of}` is missing"))
}

fn string<'a>(value: &'a DeValue<'_>, key: &str) -> Parsed<&'a str> {
    value.as_str().ok_or_else(|| format!("`{key}` is not text"))
}

fn integer(table: &DeTable<'_>, key: &str, of: &str) -> Parsed<u64> {
    let value = get(table, key, of)?.as_integer();
    let number = value.and_then(|value| u64::from_str_radix(value.as_str(), value.radix()).ok());
    number.ok_or_else(|| format!("`{key}{of}` is not a whole number"))
}

fn array<'a, 'b>(value: &'a DeValue<'b>, key: &str) -> Parsed<&'a toml::de::DeArray<'b>> {
    value.as_array().ok_or_else(|| format!("`{key}` is not a list"))
}

fn list(value: &DeValue<'_>, key: &str, len: usize) -> Parsed<Vec<f64>> {
    let values = array(value, key)?;
    if values.len() != len {
        return Err(format!("`{key}` are {} numbers, not {len}", values.len()));
    }
    values
        .iter()
        .map(|value| number(value.get_ref()))
        .collect::<Option<_>>()
        .ok_or_else(|| format!("`{key}` are not all finite numbers"))
}

/// A finite number of single precision, as they are written.
fn number(value: &DeValue<'_>) -> Option<f64> {
    let number = match value {
        DeValue::Float(float) => float.as_str().parse::<f32>().ok(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse::<f32>().ok(),
        _ => None,
    };
    number.map(f64::from).filter(|number| number.is_finite())
}

fn numbers(value: &DeValue<'_>, key: &str) -> Parsed<[f64; N_FEATURES]> {
    let list = list(value, key, N_FEATURES)?;
    // `list` has seen to the length.
    Ok(std::array::from_fn(|ix| list[ix]))
}
