//! Planning: from samples, counts and a budget to units.

use super::choice::{Candidate, Samples};
use super::decided::{BranchUnits, Decided, Scored};
use super::packs::{Load, packs};
use super::schema::{needed, others};
use super::terms::Terms;
use super::unit_plan::{UnitPlan, of_ids};
use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::device::always_there;
use crate::entities::score::Scoring;
use crate::job::{Job, Prepared};
use crate::plan::PortablePlan;
use crate::read::table::{Batches, Table};
use crate::rules::ScoreMethod;
use arrow_schema::DataType;
use serde_json::{Value, json};

/// How many records the tables have, of which samples are given.
#[derive(Clone, Debug)]
pub struct Counts {
    /// By table.
    pub records: Vec<u64>,
}

/// With what units are done.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Bytes of memory that a task may use.
    pub memory: u64,
    /// Cores in all.
    pub cores: u64,
    /// The most pairs of a unit.
    pub pairs: Option<u64>,
    /// Records of a side, whatever else there is.
    pub side: Option<u64>,
    /// The most bytes that are copied to units.
    pub most_shuffle: Option<u64>,
    /// Whether candidates are scored.
    pub is_scored: bool,
}

/// Packs for each core: so that nobody waits long for the last one.
const PACKS_A_CORE: u64 = 3;
/// Pairs of a unit, if nobody says how many: some seconds of comparing.
const MOST_PAIRS: u64 = 1 << 33;
/// Records of a side that are not worth cutting further for the sake of even packs.
const LEAST_SIDE: f64 = 16384.0;
/// Bytes beside the values of a record: of its pack, unit and side; and of each column, where its value begins.
const BYTES_OF_PLACE: f64 = 13.0;
const BYTES_OF_COLUMN: f64 = 4.0;
/// Bytes of an id and its place, and of the lists that a record is in.
const ENGINE_BYTES: f64 = 112.0;
/// Records below which one machine does well.
const FEW: u64 = 30_000_000;

impl UnitPlan {
    /// Plans how a job over tables of so many records is spread, of which the job's own tables are samples.
    pub fn new(job: &Job, counts: &Counts, budget: &Budget, control: &Control) -> Result<Self> {
        job.check_apart()?;
        let samples = &job.in_memory()?[..];
        if samples.len() != counts.records.len() || samples.is_empty() || samples.len() > 2 {
            let message =
                format!("there are {} tables, and {} counts of records", samples.len(), counts.records.len());
            return Err(Error::Job(message));
        }
        let prepared = job.prepare(always_there(), control)?;
        check(&prepared)?;
        Planning { job, prepared: &prepared, samples, counts, budget }.plan()
    }
}

/// Why what was prepared cannot be spread, if it cannot.
fn check(prepared: &Prepared) -> Result<()> {
    let refuse = |because: &str| Err(Error::Job(format!("this job cannot be spread over units: {because}")));
    if !prepared.neighbourhoods.is_empty() {
        return refuse(
            "neighbourhoods are those near each other in the order of all records, which no unit sees; leave them out",
        );
    }
    if prepared.all.is_some() {
        return refuse(
            "all pairs are wanted, and what is in all units together is then what one machine has; give it rules",
        );
    }
    Ok(())
}

struct Planning<'a> {
    job: &'a Job,
    prepared: &'a Prepared,
    samples: &'a [Batches],
    counts: &'a Counts,
    budget: &'a Budget,
}

impl Planning<'_> {
    fn plan(&self) -> Result<UnitPlan> {
        let Self { prepared, counts, budget, .. } = *self;
        let tables: Vec<&Table> = [Some(&prepared.left), prepared.second()].into_iter().flatten().collect();
        let mut columns = Vec::new();
        for (table, batches) in tables.iter().zip(self.samples) {
            let columns_of_ids = table.id_columns.first().and_then(Option::as_ref);
            let Some(id) = columns_of_ids else {
                let message =
                    "records need ids that tell them apart wherever they are: name their column with `id`";
                return Err(Error::table(&table.path, message));
            };
            check_ids(batches, id)?;
            columns.push(needed(batches, table)?);
        }
        let samples = Samples {
            ids: tables.iter().map(|table| of_ids(table)).collect(),
            counts: counts.records.clone(),
            predicates: &prepared.plan.predicates,
            tables,
        };
        let bytes = self.bytes_of_copy(&samples, &columns.iter().map(Vec::len).collect::<Vec<_>>());
        let (side, chosen) = self.sided(&samples, bytes)?;
        let loads: Vec<Load> = chosen.iter().flat_map(|candidate| candidate.loads.iter().copied()).collect();
        let copies: f64 = chosen.iter().map(|candidate| candidate.copies).sum();
        if let Some(most) = budget.most_shuffle
            && copies * bytes > most as f64
        {
            let by_branch = chosen.iter().map(|it| format!("{:.0} by {}", it.copies, it.about));
            let message = format!(
                "{copies:.0} copies of records at {bytes:.0} bytes, {:.0} bytes in all, would be shuffled, and max_shuffle allows \
                 {most}: {}; ask for more that all rules of a branch share, give workers more memory, or allow more",
                copies * bytes,
                by_branch.collect::<Vec<_>>().join(", ")
            );
            return Err(Error::Job(message));
        }
        let n_packs = (PACKS_A_CORE * budget.cores.max(1)).min(loads.len().max(1) as u64);
        let packs = packs(&loads, n_packs as usize);
        let scored = budget.is_scored.then(|| scored(prepared)).transpose()?;
        let mut told = self.told(side, bytes, &chosen, (n_packs, &packs, &loads), &columns);
        let attributes = prepared.scoring().map_or(&[][..], Scoring::attributes);
        told["terms"] = Terms::told(scored.as_ref().map_or(&[], |it: &Scored| &it.terms), attributes);
        let told = told.to_string();
        let ids = columns.iter().filter_map(|columns| Some(columns.first()?.name.clone())).collect();
        let mut first = 0;
        let steps = prepared.plan.program().branches().iter().map(|branch| branch.steps.clone());
        let branch = |(steps, Candidate { cover, loads, .. })| {
            let units = first..first + loads.len() as u64;
            first = units.end;
            BranchUnits { steps, units, cover }
        };
        Ok(UnitPlan {
            decided: Decided {
                carried: self.job.carried(ids)?,
                others: self.samples.iter().zip(&columns).map(|(all, needed)| others(all, needed)).collect(),
                columns,
                has_integers: samples.tables.iter().map(|table| table.ids.are_integers()).collect(),
                plan: PortablePlan::of(&prepared.plan),
                branches: steps.zip(chosen).map(branch).collect(),
                packs,
                scored,
                told,
            },
        })
    }

    /// How many records a side has, and the covers that branches take then.
    fn sided(&self, samples: &Samples<'_>, bytes: f64) -> Result<(f64, Vec<Candidate>)> {
        let Budget { memory, cores, pairs, side, .. } = *self.budget;
        if let Some(side) = side {
            let side = side.max(1) as f64;
            return Ok((side, self.chosen(samples, side)?));
        }
        let by_memory = memory as f64 / (2.0 * (self.engine_bytes() + 2.0 * bytes));
        let most = by_memory.min((pairs.unwrap_or(MOST_PAIRS) as f64).sqrt()).max(1.0);
        let n_packs = (PACKS_A_CORE * cores.max(1)) as f64;
        let n_branches = self.prepared.plan.program().branches().len().max(1) as f64;
        let n_records = self.counts.records.iter().sum::<u64>() as f64;
        // A light unit is no more than a quarter of a pack, unless it is small.
        let even = (n_records * n_branches / (8.0 * n_packs)).max(LEAST_SIDE);
        let side = most.min(even);
        let chosen = self.chosen(samples, side)?;
        // And no unit has more pairs than a pack.
        let all: f64 = chosen.iter().flat_map(|it| &it.loads).map(|load| load.pairs).sum();
        let of_pack = (all / n_packs).sqrt().max(LEAST_SIDE);
        match of_pack < side {
            false => Ok((side, chosen)),
            true => Ok((of_pack, self.chosen(samples, of_pack)?)),
        }
    }

    fn chosen(&self, samples: &Samples<'_>, side: f64) -> Result<Vec<Candidate>> {
        let mut first = 0;
        let branches = self.prepared.plan.program().branches().iter();
        let of_branch = branches.map(|branch| {
            let required: Vec<u32> = branch.required.iter().map(|&(_, predicate)| predicate).collect();
            let candidate = samples.cheapest(&required, side, first)?;
            first += candidate.loads.len() as u64;
            Ok(candidate)
        });
        of_branch.collect()
    }

    /// What the engine holds of a record.
    fn engine_bytes(&self) -> f64 {
        let prepared = self.prepared;
        let n_sampled: u32 =
            prepared.left.n_records() + prepared.second().map_or(0, |right| right.n_records());
        let scored = prepared.scoring().map_or(0, |scoring| scoring.n_bytes());
        (prepared.encoded.n_bytes() + scored) as f64 / f64::from(n_sampled.max(1)) + ENGINE_BYTES
    }

    /// The bytes of a record's needed columns with its place, on average over the tables.
    fn bytes_of_copy(&self, samples: &Samples<'_>, n_columns: &[usize]) -> f64 {
        let of_table = |(nth, table): (usize, &&Table)| {
            let texts = table.n_bytes_of_values() as f64 + samples.ids[nth].len() as f64 * 8.0;
            let per_record = texts / table.n_records().max(1) as f64;
            let beside = BYTES_OF_PLACE + BYTES_OF_COLUMN * n_columns[nth] as f64;
            (per_record + beside) * samples.counts[nth] as f64
        };
        let all: f64 = samples.tables.iter().enumerate().map(of_table).sum();
        all / samples.counts.iter().sum::<u64>().max(1) as f64
    }

    fn told(
        &self,
        side: f64,
        bytes: f64,
        chosen: &[Candidate],
        (n_packs, packs, loads): (u64, &[u32], &[Load]),
        columns: &[Vec<super::decided::Needed>],
    ) -> Value {
        let Self { prepared, counts, .. } = *self;
        let steps = prepared.plan.program().branches();
        let n = |number: f64| number.round() as u64;
        let branches = chosen.iter().zip(steps).enumerate().map(|(nth, (candidate, branch))| {
            let Candidate { cover, loads, copies, n_heavy, about } = candidate;
            json!({
                "branch": nth,
                "rules": self.rules_of(&branch.steps),
                "cover": cover.name(),
                "about": about,
                "side": n(side),
                "heavy_keys": n_heavy,
                "units": loads.len(),
                "copies": n(*copies),
                "bytes": n(copies * bytes),
            })
        });
        let copies: f64 = chosen.iter().map(|candidate| candidate.copies).sum();
        let mut sums = vec![Load::default(); n_packs as usize];
        packs.iter().zip(loads).for_each(|(&pack, load)| sums[pack as usize].add(*load));
        let (all, n_packs) = (Load::sum(&sums), n_packs as f64);
        let most = |of: fn(&Load) -> f64| sums.iter().map(of).fold(0.0, f64::max);
        let n_records: u64 = counts.records.iter().sum();
        let few = "one machine does a job of fewer than some tens of millions of records sooner than a cluster shuffles it: \
                   hyperblock.dedupe and hyperblock.link take the same rules";
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "rules": prepared.plan.rules.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(),
            "records": counts.records,
            "branches": branches.collect::<Vec<_>>(),
            "units": loads.len(),
            "packs": n_packs as u64,
            "copies": n(copies),
            "bytes_to_shuffle": n(copies * bytes),
            "bytes_of_ids": n(self.bytes_of_ids()),
            "pairs": n(all.pairs),
            "largest_pack": {
                "records": n(most(|load| load.records)),
                "mean_records": n(all.records / n_packs),
                "pairs": n(most(|load| load.pairs)),
                "mean_pairs": n(all.pairs / n_packs),
            },
            "columns": columns
                .iter()
                .map(|columns| columns.iter().map(|it| it.name.as_str()).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
            "advice": (n_records < FEW).then_some(few),
        })
    }

    /// What the check for ids that stand twice shuffles.
    fn bytes_of_ids(&self) -> f64 {
        let tables = [Some(&self.prepared.left), self.prepared.second()].into_iter().flatten();
        let of_table = |(table, n): (&Table, &u64)| {
            let len: usize = (0..table.n_records()).map(|record| table.ids.borrowed(record).len()).sum();
            let own = if table.ids.are_integers() {
                8.0
            } else {
                4.0 + len as f64 / f64::from(table.n_records().max(1))
            };
            own * *n as f64
        };
        tables.zip(&self.counts.records).map(of_table).sum()
    }

    /// The rules that end in a branch.
    fn rules_of(&self, steps: &std::ops::Range<u32>) -> Vec<&str> {
        use crate::plan::PlannedStep;
        let own = &self.prepared.plan.steps()[steps.start as usize..steps.end as usize];
        let mut rules: Vec<u32> = own
            .iter()
            .filter_map(|step| match step {
                PlannedStep::Witness { rule, .. } => Some(*rule),
                PlannedStep::Test { .. } => None,
            })
            .collect();
        rules.sort_unstable();
        rules.dedup();
        rules.into_iter().map(|rule| self.prepared.plan.rules[rule as usize].name.as_str()).collect()
    }
}

/// What a score needs elsewhere.
fn scored(prepared: &Prepared) -> Result<Scored> {
    let no_score = || Error::Job("the rule file has no [score] section".into());
    let scoring = prepared.scoring().ok_or_else(no_score)?;
    let weights = match scoring.method() {
        ScoreMethod::WeightedMean => None,
        ScoreMethod::FellegiSunter => Some(scoring.weights()?.0.to_string()),
    };
    // A mean does not ask how rare values are.
    let terms = if weights.is_some() { Terms::asked(scoring.attributes())? } else { Vec::new() };
    Ok(Scored { weights, terms })
}

/// Whether the order of ids follows from their type.
fn check_ids(batches: &Batches, id: &str) -> Result<()> {
    let field = batches.schema().fields().iter().find(|field| field.name() == id);
    let Some(field) = field else { return Ok(()) };
    match field.data_type() {
        DataType::UInt64 => {
            let message = format!(
                "ids in `{id}` are integers of 64 bits without a sign, which are numbers or texts by how large the largest of all is: cast \
                 them to signed integers or to text"
            );
            Err(Error::table(batches.name(), message))
        }
        _ => Ok(()),
    }
}
