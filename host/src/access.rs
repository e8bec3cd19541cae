//! Access paths: for each branch of the tree, how its scan comes by the pairs that it looks at.
//!
//! A branch is led by a similarity or a number ([`crate::sweep`]); or the equalities that all its rules ask for are taken
//! together as one [`key`], and records are joined by it. What is expected to cost least is chosen. Under a key, records that
//! have it alone are left out at once. Keys that few records have are *light*: they are joined ([`KeyJoin`]), and the rest of
//! the branch is decided for each of their pairs. *Heavy* keys have so many pairs that another predicate of the branch, the
//! *inner lead*, had better screen them: they are swept together, and no item meets one of another key.
//!
//! Rules may share a weak equality and go apart over stronger ones, or over different similarities. If all that a branch asks
//! for are equalities, the subtrees below them may be accessed each by a key of its own, which the shared equalities are part
//! of, and each with an inner lead of its own.

mod join;
mod key;
mod split;

pub use join::{KeyJoin, KeyList};

use crate::encode::Encoded;
use crate::error::Result;
use crate::join::Method;
use crate::plan::{BranchSteps, JoinChoice, Program, ScanOptions};
use crate::sweep::{self, Block, Estimate, Lead, Sweep, VERIFYING, Within, map, settings};
use key::{Key, Keys};
use split::{Split, split};

/// How a scan, or a part of it, comes by its pairs.
#[derive(Clone, Debug)]
pub enum Access {
    /// Items within reach of each other, through a screen.
    Sweep(Sweep),
    /// Records with the same key.
    Join(KeyJoin),
}

/// The access paths of all branches over a block, without those that have no pair to look at.
pub fn accesses(encoded: &Encoded, program: &Program, block: &Block) -> Result<Vec<Access>> {
    let options = program.options();
    let is_small = block.is_small();
    let branches: Vec<Branch<'_>> =
        program.branches().iter().map(|steps| Branch::new(encoded, steps, &options)).collect();
    // Branches often share a key.
    let mut distinct: Vec<&Key> = Vec::new();
    branches.iter().for_each(|branch| branch.add_keys(&mut distinct));
    let keys: Vec<Keys> = map(&distinct, is_small, |key| key.keys(encoded, block));
    let keys_of = |branch: &Branch<'_>| {
        let key = branch.key.as_ref()?;
        distinct.iter().position(|other| *other == key).map(|ix| &keys[ix])
    };
    let choose = |branch: &Branch<'_>| branch.choose(encoded, keys_of(branch), block, &options);
    let whole: Vec<&Branch<'_>> = branches.iter().collect();
    let chosen = map(&whole, is_small, |branch| branch.cheapest(&choose).1);
    let chosen: Vec<(&Branch<'_>, Chosen)> = chosen.into_iter().flatten().collect();
    let led = chosen.iter().filter_map(|(branch, chosen)| match chosen {
        Chosen::Lead(lead) => Some((branch.steps, lead.clone())),
        Chosen::Key { .. } => None,
    });
    let mut led = sweep::sweeps(encoded, program, block, &led.collect::<Vec<_>>())?.into_iter();
    let by_key = map(&chosen, is_small, |(branch, chosen)| match (chosen, keys_of(branch)) {
        (Chosen::Key { inner }, Some(keys)) => branch.by_key(encoded, program, keys, inner.as_ref(), block),
        _ => Ok(Vec::new()),
    });
    let mut accesses = Vec::new();
    for ((_, chosen), by_key) in chosen.iter().zip(by_key) {
        match chosen {
            Chosen::Lead(_) => accesses.extend(led.next().map(Access::Sweep)),
            Chosen::Key { .. } => accesses.extend(by_key?),
        }
    }
    accesses.retain(|access| match access {
        Access::Sweep(sweep) => sweep.n_stretches() > 0,
        Access::Join(join) => join.n_pairs > 0,
    });
    Ok(accesses)
}

/// A branch with what it may be accessed by.
struct Branch<'a> {
    steps: &'a BranchSteps,
    /// The predicates that all its rules ask for and that can lead it; if there is a key, without the equalities.
    leads: Vec<Lead>,
    key: Option<Key>,
    /// The equalities of the key: the branch's own, then those of the branches it is a part of.
    equalities: Vec<Lead>,
    /// How many of them are its own.
    n_own: usize,
    /// Branches that it may be taken apart into, each by its key.
    children: Vec<Self>,
}

/// A branch's access path.
enum Chosen {
    Lead(Lead),
    /// The key, and of heavy ones the inner lead.
    Key {
        inner: Option<Lead>,
    },
}

impl<'a> Branch<'a> {
    fn new(encoded: &Encoded, steps: &'a BranchSteps, options: &ScanOptions) -> Self {
        Self::below(encoded, steps, &[], options)
    }

    /// A branch of pairs on which the equalities `above` hold.
    fn below(encoded: &Encoded, steps: &'a BranchSteps, above: &[Lead], options: &ScanOptions) -> Self {
        let leads = if options.filter { Lead::all(encoded, steps, options) } else { Vec::new() };
        let (mut equalities, leads): (Vec<Lead>, Vec<Lead>) = leads.into_iter().partition(Lead::is_equality);
        if options.join == JoinChoice::None {
            // An equality leads only where nothing else can.
            let leads = if leads.is_empty() { equalities } else { leads };
            return Self { steps, leads, key: None, equalities: Vec::new(), n_own: 0, children: Vec::new() };
        }
        let n_own = equalities.len();
        let is_new = |lead: &&Lead| equalities.iter().all(|own| own.predicate != lead.predicate);
        let more: Vec<Lead> = above.iter().filter(is_new).cloned().collect();
        equalities.extend(more);
        let is_equality = |&(_, ix): &(u32, u32)| equalities.iter().any(|lead| lead.predicate == ix);
        let children = steps.children.iter();
        // A walk by descent begins at a child of the root.
        let children = children.filter(|_| options.sequential && steps.required.iter().all(is_equality));
        let children: Vec<Self> =
            children.map(|child| Self::below(encoded, child, &equalities, options)).collect();
        // A child that adds nothing to the key, and cannot sweep heavy ones, looks at all the pairs that its parent does.
        let is_better = |child: &Self| child.equalities.len() > equalities.len() || !child.leads.is_empty();
        let are_better = children.iter().all(is_better);
        let children = if are_better { children } else { Vec::new() };
        let key = (!equalities.is_empty()).then(|| Key::new(&equalities));
        Self { steps, leads, key, equalities, n_own, children }
    }

    /// Its key and those of its parts, each once.
    fn add_keys<'b>(&'b self, distinct: &mut Vec<&'b Key>) {
        if let Some(key) = self.key.as_ref().filter(|key| !distinct.contains(key)) {
            distinct.push(key);
        }
        self.children.iter().for_each(|child| child.add_keys(distinct));
    }

    /// The access path that costs least, of the whole or of its parts each, and what it costs.
    fn cheapest<'b>(
        &'b self,
        choose: &impl Fn(&Branch<'_>) -> (f64, Chosen),
    ) -> (f64, Vec<(&'b Branch<'a>, Chosen)>) {
        let (cost, chosen) = choose(self);
        let parts: Vec<_> = self.children.iter().map(|child| child.cheapest(choose)).collect();
        let cost_of_parts: f64 = parts.iter().map(|(cost, _)| cost).sum();
        if parts.is_empty() || cost <= cost_of_parts {
            return (cost, vec![(self, chosen)]);
        }
        (cost_of_parts, parts.into_iter().flat_map(|(_, chosen)| chosen).collect())
    }

    /// What is expected to cost least, and how much.
    fn choose(
        &self,
        encoded: &Encoded,
        keys: Option<&Keys>,
        block: &Block,
        options: &ScanOptions,
    ) -> (f64, Chosen) {
        // Nothing to choose from needs no estimate.
        match (&self.leads[..], keys) {
            ([], None) => return (f64::INFINITY, Chosen::Lead(Lead::none())),
            ([only], None) => return (f64::INFINITY, Chosen::Lead(only.clone())),
            _ => {}
        }
        let estimates: Vec<(&Lead, Estimate)> =
            self.leads.iter().filter_map(|lead| Some((lead, Estimate::new(encoded, lead, block)?))).collect();
        // A part of a branch is looked at only where the equalities above it hold: its key alone says where.
        let is_whole = self.equalities.len() == self.n_own;
        let lead = estimates.iter().filter(|_| is_whole).map(|(lead, estimate)| (estimate.cost(), *lead));
        let lead = lead.min_by(|(a, _), (b, _)| a.total_cmp(b));
        let key = keys.map(|keys| {
            let plain = (cost(keys, None, options), None);
            let skew = options.join == JoinChoice::Skew;
            let inner = estimates.iter().filter(|_| skew);
            let inner = inner.map(|(lead, estimate)| (cost(keys, Some(estimate), options), Some(*lead)));
            inner.fold(plain, |best, inner| if inner.0 < best.0 { inner } else { best })
        });
        match (lead, key) {
            (Some((led, lead)), Some((joined, _))) if led < joined => (led, Chosen::Lead(lead.clone())),
            (_, Some((joined, inner))) => (joined, Chosen::Key { inner: inner.cloned() }),
            (Some((led, lead)), None) => (led, Chosen::Lead(lead.clone())),
            (None, None) => (f64::INFINITY, Chosen::Lead(Lead::none())),
        }
    }

    /// The join of light keys, and the sweep of heavy ones.
    fn by_key(
        &self,
        encoded: &Encoded,
        program: &Program,
        keys: &Keys,
        inner: Option<&Lead>,
        block: &Block,
    ) -> Result<Vec<Access>> {
        let options = program.options();
        let Some(first) = self.equalities.first() else { return Ok(Vec::new()) };
        let Split { light, heavy, n_keys, n_pairs } = split(keys, block, inner.map(|_| options.heavy));
        let predicates: Vec<u32> = self.equalities.iter().map(|lead| lead.predicate).collect();
        let [left, right] = light;
        let join = KeyJoin {
            left,
            right,
            settings: settings(self.steps, first, block.order(keys.is_symmetric()), &options),
            method: match options.join {
                JoinChoice::Plain => Method::Plain,
                JoinChoice::Skew | JoinChoice::None => Method::Skew,
            },
            predicates: predicates.clone(),
            n_keys,
            n_pairs,
        };
        let mut accesses = vec![Access::Join(join)];
        if let (Some(inner), Some((left, right))) = (inner, heavy) {
            let order = block.order(keys.is_symmetric() && inner.is_symmetric);
            let right = right.as_ref().unwrap_or(&left);
            let sweep = Sweep::within(encoded, program, (self.steps, inner), [&left, right], block, order)?;
            let within = Within { predicates, n_keys: left.len() };
            accesses.push(Access::Sweep(Sweep { within: Some(within), ..sweep }));
        }
        Ok(accesses)
    }
}

/// What pairs with the same key cost, if heavy ones are swept by the inner lead.
fn cost(keys: &Keys, inner: Option<&Estimate>, options: &ScanOptions) -> f64 {
    let cost = |[left, right]: [u32; 2]| {
        let (n_left, n_right) = (f64::from(left), f64::from(right));
        match inner.filter(|_| keys.n_pairs([left, right]) > options.heavy) {
            Some(inner) => inner.cost_within([n_left, n_right]),
            // Of one side with itself, no record is compared with itself.
            None => VERIFYING * n_left * (n_right - f64::from(u8::from(keys.is_symmetric()))),
        }
    };
    keys.counts().map(cost).sum()
}
