//! Pairs of records side by side: what both say, where they differ, what the rules say of them, and how the score comes about.

use super::asked::{Asked, ShownValues};
use super::chosen::{Chosen, NO_RULE, Shown};
use super::cut::{cut, shortened};
use super::sample::Size;
use super::{Outcome, cells};
use crate::base::billionths::Billionths;
use crate::base::control::Control;
use crate::base::error::Result;
use crate::base::json::float;
use crate::entities::score::{LevelShare, Scoring, Shares};
use crate::inspect::errors::{Closely, Reason, RuleVerdict};
use crate::inspect::sample::marks::marks;
use crate::job::Prepared;
use crate::read::table::Table;
use crate::rules::ScoreAttribute;
use crate::tell::errors::{Cause, Missed};
use hyperblock_shared::score::ONE;
use indicatif::HumanCount;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Rules that are told of a pair: of those that hold, and of those that nearly do.
const MOST_HOLDING: usize = 6;
const MOST_FAILING: usize = 3;
/// Characters of a condition, or of a name.
const MOST_TEXT: usize = 300;
/// Columns of a record.
const MOST_COLUMNS: usize = 100;

/// Pairs, as many as the size says; and what is said of those to be labelled. Nothing, if their records alone take too many bytes.
pub(super) fn section(
    chosen: &Chosen<'_>,
    outcome: &Outcome<'_>,
    asked: &Asked,
    (size, most): (Size, usize),
    control: &Control,
) -> Result<Option<(Value, Value)>> {
    let shown = chosen.shown(&size);
    let mut records = Shelf::new(chosen, asked, &size);
    let mut places = Vec::with_capacity(shown.len());
    for it in &shown {
        places.push([records.place(0, it.pair.left)?, records.place(1, it.pair.right)?]);
    }
    if records.n_bytes() > most {
        return Ok(None);
    }
    let (verdicts, reasons) = looked_at(chosen, &shown, control)?;
    let pairs: Vec<[u32; 2]> = shown.iter().map(|it| [it.pair.left, it.pair.right]).collect();
    let scoring = chosen.job.scoring();
    let shares = scoring.map(|scoring| scoring.shares_of(&pairs)).transpose()?;
    let mut reasons = reasons.iter();
    let mut list = Vec::with_capacity(shown.len());
    for (nth, it) in shown.iter().enumerate() {
        let shares = shares.as_ref().map(|shares| &shares[nth]);
        let reason = it.missed.and_then(|_| reasons.next());
        let telling = Telling { chosen, outcome, shown: it, shares, reason };
        let mut pair = telling.json(&verdicts[nth]);
        (pair["l"], pair["r"]) = (places[nth][0].into(), places[nth][1].into());
        pair["marks"] = records.marks(places[nth]);
        list.push(pair);
    }
    let n_labels = shown.iter().filter(|it| it.chance.is_some()).count();
    let pairs = json!({
        "found": chosen.n_candidates(),
        "in": list.len(),
        "values": asked.values.name(),
        "why_drawn": why_drawn(chosen, &shown, asked, &size),
        "columns": records.names,
        "records": records.all.iter().map(|record| record.json.clone()).collect::<Value>(),
        "list": list,
    });
    Ok(Some((pairs, labels(chosen, asked, n_labels))))
}

/// What the rules say of pairs; of those that are missed also why.
fn looked_at(
    chosen: &Chosen<'_>,
    shown: &[Shown],
    control: &Control,
) -> Result<(Vec<Vec<RuleVerdict>>, Vec<Reason>)> {
    let is_one_table = chosen.job.second().is_none();
    let (mut lefts, mut rights) = (BTreeSet::new(), BTreeSet::new());
    for it in shown {
        lefts.insert(it.pair.left);
        if is_one_table { &mut lefts } else { &mut rights }.insert(it.pair.right);
    }
    let part = |side: usize, records: &BTreeSet<u32>| -> Result<Table> {
        let row = |record: &u32| Ok(chosen.records.row(side, *record)? as u32);
        let rows = records.iter().map(row).collect::<Result<Vec<u32>>>()?;
        Ok(chosen.records.table(side).part(&rows))
    };
    let left = part(0, &lefts)?;
    let right = if is_one_table { None } else { Some(part(1, &rights)?) };
    let lefts: Vec<u32> = lefts.into_iter().collect();
    let rights: Vec<u32> = if is_one_table { lefts.clone() } else { rights.into_iter().collect() };
    let closely = Closely::new(chosen.job, left, right, [&lefts, &rights]);
    let pairs: Vec<[u32; 2]> = shown.iter().map(|it| [it.pair.left, it.pair.right]).collect();
    let missed: Vec<Missed> = shown.iter().filter_map(|it| it.missed).collect();
    closely.verdicts(&pairs, &missed, control)
}

/// What is told of one pair.
struct Telling<'a> {
    chosen: &'a Chosen<'a>,
    outcome: &'a Outcome<'a>,
    shown: &'a Shown,
    shares: Option<&'a Shares>,
    reason: Option<&'a Reason>,
}

impl Telling<'_> {
    fn json(&self, verdicts: &[RuleVerdict]) -> Value {
        let Self { chosen, outcome, shown, shares, .. } = *self;
        let (job, pair) = (chosen.job, shown.pair);
        let is_found = pair.rule != NO_RULE;
        let rule = is_found.then(|| job.named(pair.rule)).flatten();
        let rule = rule.and_then(|rule| job.names().nth(rule as usize));
        let grid = chosen.grid;
        let score = grid.zip(shares).map(|(grid, shares)| (grid, shares.score));
        let kept = is_found && score.is_none_or(|(grid, score)| score >= grid.enough());
        let truth = outcome.truth.and_then(|truth| truth.verdict(pair.left, pair.right));
        let attributes = job.scoring().map(Scoring::attributes);
        json!({
            "l": null,
            "r": null,
            "rule": rule.map(|name| shortened(name, MOST_TEXT)),
            "score": score.map(|(grid, score)| float(grid.told(score))),
            "kept": kept,
            "truth": truth.map(|is_match| if is_match { "match" } else { "no match" }),
            "group": shown.groups,
            "marks": [],
            "why": {
                "rules": rules(verdicts),
                "score": shares.zip(attributes).map(|(shares, attributes)| waterfall(shares, attributes)),
            },
            "sampled_with": shown.chance.map(float),
            "cause": self.cause(),
        })
    }

    /// Why it is missed, or wrong.
    fn cause(&self) -> Option<String> {
        if let Some((cause, [rule, failed, by_how_much])) = self.reason {
            let what = match cause {
                Cause::NoRule => {
                    format!("no rule holds; `{rule}` is nearest, and this fails: {failed} ({by_how_much})")
                }
                Cause::Window => format!("no neighbourhood has both: {failed}, {by_how_much}"),
                Cause::Block => {
                    format!("`{rule}` holds, but its block was left out: {failed}, {by_how_much}")
                }
                Cause::TooLow => format!("it is a candidate, and its {by_how_much}"),
                _ if by_how_much.is_empty() => "clustering put its records apart".to_owned(),
                _ => format!("clustering put its records apart: {by_how_much}"),
            };
            return Some(shortened(&what, 2 * MOST_TEXT));
        }
        let is_wrong = self.shown.groups.contains(&"wrong");
        let cause = match (self.shown.pair.rule, self.shares) {
            (NO_RULE, _) => "it is not kept itself; clustering joined its records through others",
            (_, None) => "a rule holds",
            (_, Some(_)) => "its score reaches the threshold",
        };
        is_wrong.then(|| cause.to_owned())
    }
}

/// The rules that hold, and those of which fewest predicates fail.
fn rules(verdicts: &[RuleVerdict]) -> Value {
    let holding = verdicts.iter().filter(|rule| rule.holds).take(MOST_HOLDING);
    let mut failing: Vec<&RuleVerdict> = verdicts.iter().filter(|rule| !rule.holds).collect();
    failing.sort_by_key(|rule| rule.n_failed());
    let rule = |rule: &RuleVerdict| {
        let predicates = rule.predicates.iter().map(
            |it| json!({ "text": shortened(&it.text, MOST_TEXT), "holds": it.holds, "value": it.measured }),
        );
        let name = shortened(&rule.name, MOST_TEXT);
        json!({ "name": name, "holds": rule.holds, "predicates": predicates.collect::<Value>() })
    };
    holding.chain(failing.into_iter().take(MOST_FAILING)).map(rule).collect()
}

/// From what any two records have, by what each attribute brings, to the score.
fn waterfall(shares: &Shares, attributes: &[ScoreAttribute]) -> Value {
    let bits = |millionths: i32| float(f64::from(millionths) / f64::from(cells::BIT));
    let mut steps = Vec::new();
    for (attribute, share) in attributes.iter().zip(&shares.attributes) {
        let similarity = share.similarity.filter(|_| attribute.is_similarity);
        let value = similarity.map(|similarity| Billionths(similarity).to_string());
        let step = |level: String, adds: Value| json!({ "attribute": attribute.name, "level": level, "value": value, "adds": adds });
        match (&share.level, shares.prior) {
            (Some(LevelShare { nth, bits: own, more, .. }), _) => {
                steps.push(step(attribute.level_name(*nth), bits(*own)));
                if *more != 0 {
                    steps.push(step("its value's frequency".to_owned(), bits(*more)));
                }
            }
            (None, Some(_)) => steps.push(step("missing".to_owned(), bits(0))),
            (None, None) => {
                let of_mean =
                    share.weight.unwrap_or(0.0) * f64::from(share.similarity.unwrap_or(0)) / f64::from(ONE);
                let level = match (share.is_missing, share.weight) {
                    (true, _) => "missing".to_owned(),
                    (false, Some(weight)) => format!("{:.1}% of the mean", 100.0 * weight),
                    (false, None) => String::new(),
                };
                steps.push(step(level, cells::rounded(of_mean)));
            }
        }
    }
    match shares.weight() {
        Some(weight) => {
            json!({ "start": shares.prior.map(bits), "total": bits(weight), "steps": steps })
        }
        None => {
            let total = float(f64::from(shares.score) / f64::from(ONE));
            json!({ "start": 0, "total": total, "steps": steps })
        }
    }
}

/// Records of pairs, each once.
struct Shelf<'a> {
    chosen: &'a Chosen<'a>,
    characters: usize,
    has_values: bool,
    names: Vec<String>,
    columns: [Vec<Option<usize>>; 2],
    places: BTreeMap<(usize, u32), usize>,
    all: Vec<OnShelf>,
}

struct OnShelf {
    /// What is shown of values, but for what is said of the rest.
    values: Vec<Option<String>>,
    json: Value,
}

impl<'a> Shelf<'a> {
    fn new(chosen: &'a Chosen<'a>, asked: &Asked, size: &Size) -> Self {
        let (mut names, mut columns) = chosen.records.names();
        names.truncate(MOST_COLUMNS);
        columns.iter_mut().for_each(|of_side| of_side.truncate(MOST_COLUMNS));
        let names = names.iter().map(|name| shortened(name, MOST_TEXT)).collect();
        let has_values = asked.values == ShownValues::Sample;
        let (places, all) = (BTreeMap::new(), Vec::new());
        Self { chosen, characters: size.characters, has_values, names, columns, places, all }
    }

    fn place(&mut self, side: usize, record: u32) -> Result<usize> {
        // Of one table there is one side.
        let side = if self.chosen.job.second().is_none() { 0 } else { side };
        if let Some(place) = self.places.get(&(side, record)) {
            return Ok(*place);
        }
        let job: &Prepared = self.chosen.job;
        let ids = if side == 0 { &job.left.ids } else { &job.right().ids };
        let row = self.chosen.records.row(side, record)?;
        let value = |column: &Option<usize>| match column {
            Some(column) if self.has_values => self.chosen.records.value(side, *column, row),
            _ => Ok(None),
        };
        let values = self.columns[side].iter().map(value).collect::<Result<Vec<_>>>()?;
        let said = |value: &Option<String>| value.as_ref().map(|it| shortened(it, self.characters));
        let mut json = Map::new();
        json.insert("side".to_owned(), side.into());
        json.insert(
            "source".to_owned(),
            ids.source(record).map(|source| shortened(source, MOST_TEXT)).into(),
        );
        json.insert("id".to_owned(), ids.text(record).into());
        json.insert("values".to_owned(), values.iter().map(said).collect::<Value>());
        let begun = |value: Option<String>| value.map(|it| cut(&it, self.characters).0.to_owned());
        let values = values.into_iter().map(begun).collect();
        self.all.push(OnShelf { values, json: Value::Object(json) });
        self.places.insert((side, record), self.all.len() - 1);
        Ok(self.all.len() - 1)
    }

    /// The bytes of all values, at least.
    fn n_bytes(&self) -> usize {
        self.all.iter().flat_map(|record| record.values.iter().flatten()).map(String::len).sum()
    }

    /// The characters of both records' values that the other one has not, column by column.
    fn marks(&self, places: [usize; 2]) -> Value {
        let [left, right] = places.map(|place| &self.all[place].values);
        let mut all = Vec::new();
        for (column, (left, right)) in left.iter().zip(right).enumerate() {
            let Some((left, right)) = left.as_ref().zip(right.as_ref()).filter(|(l, r)| l != r) else {
                continue;
            };
            let [l, r] = marks(left, right);
            let mark =
                json!({ "column": column, "left": characters(left, &l), "right": characters(right, &r) });
            all.push(mark);
        }
        all.into()
    }
}

/// Bytes of a text as characters of it.
fn characters(text: &str, ranges: &[Range<usize>]) -> Vec<[usize; 2]> {
    let place = |byte: usize| text[..byte].chars().count();
    ranges.iter().map(|range| [place(range.start), place(range.end)]).collect()
}

/// What is said of how pairs were chosen, and of what is left out.
fn why_drawn(chosen: &Chosen<'_>, shown: &[Shown], asked: &Asked, size: &Size) -> String {
    let n = |group: &str| shown.iter().filter(|it| it.groups.contains(&group)).count();
    let mut parts = vec![format!("{} drawn by chance, some of each rule", n("drawn"))];
    if chosen.grid.is_some() {
        parts.push(format!("{} nearest to the threshold", n("near")));
    }
    if let Some(errors) = &chosen.errors {
        let [missed, wrong] = [errors.n_missed, errors.n_wrong].map(HumanCount);
        parts.push(format!("{} of {missed} missed", n("missed")));
        parts.push(format!("{} of {wrong} wrong", n("wrong")));
    }
    if asked.label_sample > 0 {
        parts.push(format!("{} chosen to be labelled", n("label")));
    }
    let mut said = format!("Of {} candidates: {}", HumanCount(chosen.n_candidates()), parts.join(", "));
    said += ". They stand in random order. Of each pair those rules are told that hold, and three that nearly do.";
    match asked.values {
        ShownValues::Sample => said += &format!(" Values are cut after {} characters.", size.characters),
        ShownValues::None => said += " Values are left out; ids are not.",
    }
    said
}

/// What is said of labels, if any are asked for.
fn labels(chosen: &Chosen<'_>, asked: &Asked, n: usize) -> Value {
    if asked.label_sample == 0 {
        return Value::Null;
    }
    let by = match chosen.grid {
        Some(_) => "They were drawn from bands of scores, more of them near the threshold",
        None => "They were drawn from each rule's candidates",
    };
    let several = chosen.job.left.ids.tables().len() > 0;
    let columns = match several {
        true => ["source_a", "id_a", "source_b", "id_b", "label", "sampled_with"].to_vec(),
        false => ["id_a", "id_b", "label", "sampled_with"].to_vec(),
    };
    json!({
        "asked": asked.label_sample,
        "in": n,
        "among": "candidates",
        "text": [
            format!("{by}; the file says how probable each was, so that what is estimated is not biased by that."),
            "Pairs which no rule reaches are not in it: recall is that among candidates.",
            "They stand in random order: the first so many of them are a sample, too.",
        ],
        "columns": columns,
    })
}
