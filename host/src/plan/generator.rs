//! The execution plan generator: how the rules are evaluated.
//!
//! As HyperBlocker's (Zhu, Xie, Deng and Zhang, PVLDB 18(2), 2024, section 4): predicates are put in [`order`] by
//! selectivity and cost; rules that begin alike share a [`tree`]; the tree is laid out as a path ([`layout`]). Two things go
//! beyond it. What only repeats another rule is not evaluated ([`redundancy`]). And orders that look at all rules together are
//! tried beside the one that looks at each: whichever costs least on a sample of pairs ([`Expected`]) is taken. The path is
//! archived once; backends walk the archive where it lies, on the device too.

use super::access::{self, Chosen, expected, paths};
use super::candidates;
use super::conjunction::{Conjunction, conjunctions};
use super::expected::Expected;
use super::layout::{self, Layout, PlannedStep};
use super::options::{PlanChoice, ScanOptions, WitnessChoice};
use super::order::{self, Weights};
use super::partition::whole;
use super::program::Program;
use super::redundancy;
use super::tree::{self, Node};
use super::variant::Variant;
use super::work::{Rates, Unit};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather;
use crate::base::random::Random;
use crate::encode::Encoded;
use crate::plan::statistics::{Pairs, Passing, Statistics};
use crate::plan::sweep::Block;
use crate::rules::{Predicate, Rule, RuleSet};
use hyperblock_shared::measure::Measure;
use hyperblock_shared::predicate as lowered;
use rayon::prelude::*;

/// Random orders are the same in every run.
const SEED: u64 = 0x6e6f_504f;

/// A plan for one job.
#[derive(Debug)]
pub struct Plan {
    /// The rules, in file order.
    pub rules: Vec<Rule>,
    /// Their predicates, each once.
    pub predicates: Vec<Predicate>,
    /// By predicate: nanoseconds to evaluate it on a pair.
    pub costs: Vec<f64>,
    /// What access paths take on the device that it is for.
    pub rates: Rates,
    /// The same on a CPU beside it, if one shares the work.
    pub beside: Option<Rates>,
    /// What is known of the predicates.
    pub statistics: Statistics,
    /// The execution tree: its branches, in order.
    pub tree: Vec<Node>,
    /// By branch, or part of one: the access path, and what it was chosen from.
    pub chosen: Vec<Chosen>,
    layout: Layout,
    /// What paths are chosen under.
    choosing: ScanOptions,
    program: Program,
}

/// What a plan is made from.
#[derive(Debug)]
pub struct Evidence {
    /// What is known of the predicates.
    pub statistics: Statistics,
    /// By predicate: nanoseconds to evaluate it on a pair, above 0.
    pub costs: Vec<f64>,
    /// What access paths take, on the device that will run them.
    pub rates: Rates,
    /// The same on a CPU beside it, if one shares the work.
    pub beside: Option<Rates>,
    /// Whether pairs are within one table.
    pub is_one_table: bool,
}

impl Plan {
    /// Plans the evaluation of rules over their predicates, as they were `encoded`.
    pub fn new(
        set: RuleSet,
        encoded: &Encoded,
        evidence: Evidence,
        variants: &[Variant],
        options: ScanOptions,
    ) -> Result<Self> {
        let Evidence { statistics, costs, rates, beside, is_one_table } = evidence;
        let weights = Weights { selectivity: &statistics.selectivity, costs: &costs };
        let conjunctions = conjunctions(&set);
        let has = |variant| variants.contains(&variant);
        let is_equality: Vec<bool> = encoded.predicates.iter().map(is_equality).collect();
        let (all_on, options) = (options.without(&[]), options.without(variants));
        let is_as_in_paper = options.plan == PlanChoice::Paper;
        let tree = if has(Variant::NoEpg) {
            tree::build(conjunctions, &weights, false)
        } else {
            let mut conjunctions = match is_as_in_paper {
                true => conjunctions,
                false => redundancy::reduce(conjunctions, &set.consequences),
            };
            if options.witness == WitnessChoice::Any {
                // Nobody wants to know whether an earlier rule holds as well.
                conjunctions.iter_mut().for_each(|one| one.earlier.clear());
            }
            let is_varied = is_as_in_paper || VARIED_ORDERS.into_iter().any(has);
            let mut tree = if is_varied {
                tree::build(ranked(&conjunctions, &weights, variants), &weights, true)
            } else {
                let expected = Expected { statistics: &statistics, costs: &costs, is_equality: &is_equality };
                cheapest(&conjunctions, &weights, &expected)
            };
            if has(Variant::NoRo) {
                tree::at_random(&mut tree, &mut Random::new(SEED));
            } else if is_varied {
                tree::by_score(&mut tree);
            }
            tree
        };
        let layout = layout::lay_out(&tree, |ix| !has(Variant::NoEpg) && !is_equality[ix]);
        let program = Program::new(encoded, &layout.steps, options)?;
        let (RuleSet { rules, predicates, .. }, chosen) = (set, Vec::new());
        // A variant of the scan takes the paths that the whole engine takes, or there would be two differences. Only without
        // filters most of them are none.
        let choosing = if has(Variant::NoFilter) { options } else { all_on };
        let plan = Self {
            rules,
            predicates,
            costs,
            rates,
            beside,
            statistics,
            tree,
            chosen,
            layout,
            choosing,
            program,
        };
        plan.at(rates, encoded, is_one_table)
    }

    /// The same plan with the paths that take least at these rates, over the encoding that it was made for.
    pub fn at(self, rates: Rates, encoded: &Encoded, is_one_table: bool) -> Result<Self> {
        let chosen = self.choose(&rates, encoded, &self.program, is_one_table)?;
        let expected = expected(&chosen, &rates, self.beside.as_ref());
        let program = self.program.with_paths(paths(&chosen)).expecting(expected);
        Ok(Self { rates, chosen, program, ..self })
    }

    /// The paths that take least at these rates, over an encoding that the program is about.
    pub(crate) fn choose(
        &self,
        rates: &Rates,
        encoded: &Encoded,
        program: &Program,
        is_one_table: bool,
    ) -> Result<Vec<Chosen>> {
        let Encoded { n_left, n_right, .. } = *encoded;
        let block = Block { left: 0..n_left, right: 0..n_right, half: is_one_table };
        let choosing = program.clone().with_options(self.choosing);
        let mut chosen = access::choose(encoded, &choosing, &block, &self.costs, rates)?;
        let n_pairs = whole(n_left, n_right, is_one_table).n_pairs() as f64;
        candidates::add(&mut chosen, &self.layout, &self.statistics, n_pairs, rates);
        Ok(chosen)
    }

    /// The same plan by another path: that of a branch, or part of one, becomes the alternative at `nth`.
    pub fn by(mut self, branch: usize, nth: usize) -> Result<Self> {
        let chosen = self.chosen.get_mut(branch).filter(|chosen| nth < chosen.alternatives.len());
        let no_path = || Error::Job(format!("the plan has no path {nth} of branch {branch}"));
        chosen.ok_or_else(no_path)?.alternatives.swap(0, nth);
        let expected = expected(&self.chosen, &self.rates, self.beside.as_ref());
        self.program = self.program.with_paths(paths(&self.chosen)).expecting(expected);
        Ok(self)
    }

    /// How many candidates are expected, of all branches.
    pub fn expected_candidates(&self) -> f64 {
        let taken = self.chosen.iter().filter_map(|chosen| chosen.alternatives.first());
        taken.map(|path| path.work.get(Unit::Candidate)).sum()
    }

    /// The path over the whole encoding.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// By step of the path: how many pairs are expected to pass it, and to name the rule that it is the witness of.
    pub fn passing(&self, pairs: &mut Pairs<'_>) -> Result<Passing> {
        pairs.passing(&self.program, &self.layout.steps, &self.layout.prefixes)
    }

    /// The same where few pairs are drawn: of what none of them meets, as many as if predicates had nothing to do with each other.
    pub fn passing_about(&self, pairs: &mut Pairs<'_>) -> Result<Passing> {
        let mut passing = self.passing(pairs)?;
        if passing.is_counted {
            return Ok(passing);
        }
        let Statistics { selectivity, n_pairs, .. } = &self.statistics;
        for (step, prefix) in self.layout.prefixes.iter().enumerate() {
            let share: f64 = prefix.iter().map(|&predicate| selectivity[predicate as usize]).product();
            let is_witness = matches!(self.layout.steps[step], PlannedStep::Witness { .. });
            let pairs = |met: f64| if met > 0.0 { met } else { share * n_pairs };
            passing.passed[step] = pairs(passing.passed[step]);
            passing.named[step] = if is_witness { pairs(passing.named[step]) } else { 0.0 };
        }
        for steps in self.program.branches().iter().map(|branch| &branch.steps) {
            let steps = steps.start as usize..steps.end as usize;
            let named: f64 = passing.named[steps.clone()].iter().sum();
            if passing.found[steps.start] == 0.0 {
                passing.found[steps.start] = named;
            }
        }
        Ok(passing)
    }

    /// By step of the path: the predicates that hold on every pair that passes it.
    pub fn prefixes(&self) -> &[Vec<u32>] {
        &self.layout.prefixes
    }

    /// The steps of the path.
    pub fn steps(&self) -> &[PlannedStep] {
        &self.layout.steps
    }
}

/// Variants that say how to order predicates.
const VARIED_ORDERS: [Variant; 3] = [Variant::NoPo, Variant::COrder, Variant::SOrder];

/// How much less another tree must cost to be taken instead of the one by rank and score: a sample sees no smaller
/// differences.
const WORTHWHILE: f64 = 0.98;

fn ranked(conjunctions: &[Conjunction], weights: &Weights<'_>, variants: &[Variant]) -> Vec<Conjunction> {
    let mut ordered = conjunctions.to_vec();
    order::ranked(&mut ordered, weights, variants, SEED);
    ordered
}

fn together(conjunctions: &[Conjunction], weights: &Weights<'_>) -> Vec<Conjunction> {
    let mut ordered = conjunctions.to_vec();
    order::covering(&mut ordered, weights);
    ordered
}

/// The tree by rank and score, or one in another order if it is expected to cost less: of an order that is best for all
/// rules together, or of cheap questions first; and with what holds least first, so that what is asked of most pairs is
/// known where it is asked again.
fn cheapest(conjunctions: &[Conjunction], weights: &Weights<'_>, expected: &Expected<'_>) -> Vec<Node> {
    let (by_rank, (together, by_cost)) = rayon::join(
        || ranked(conjunctions, weights, &[]),
        || (together(conjunctions, weights), ranked(conjunctions, weights, &[Variant::COrder])),
    );
    // Of thousands of rules a tree takes long, and often they come to the same.
    let mut orders = vec![by_rank];
    for other in [together, by_cost] {
        if !orders.contains(&other) {
            orders.push(other);
        }
    }
    let build = |ordered| costed(tree::build(ordered, weights, true), expected);
    let trees: Vec<([f64; 2], Vec<Node>)> = orders.into_par_iter().map(build).gather();
    let (mut least, mut best) = (f64::INFINITY, (0, 0));
    for (nth, (costs, _)) in trees.iter().enumerate() {
        for (order, &cost) in costs.iter().enumerate() {
            if cost < WORTHWHILE * least {
                (least, best) = (cost, (nth, order));
            }
        }
    }
    let mut tree = trees.into_iter().nth(best.0).map(|(_, tree)| tree).unwrap_or_default();
    ORDERS[best.1](&mut tree);
    tree
}

/// The orders that are tried of the children of nodes.
const ORDERS: [fn(&mut [Node]); 2] = [tree::by_score, tree::by_rising_score];

/// A tree, with what it is expected to cost in each order.
fn costed(mut tree: Vec<Node>, expected: &Expected<'_>) -> ([f64; 2], Vec<Node>) {
    let costs = ORDERS.map(|order| {
        order(&mut tree);
        expected.cost(&tree)
    });
    (costs, tree)
}

fn is_equality(predicate: &lowered::Predicate) -> bool {
    !predicate.negated && matches!(predicate.test, lowered::Test::Compare { measure: Measure::Equal, .. })
}
