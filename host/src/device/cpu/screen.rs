//! The screen on a thread: an interval's left items against a stretch of right ones, with the widest vectors there are.
//!
//! The stretch is laid out anew, a column for each part of the sketches, all 64 bits wide: plain loops over such columns
//! become vector code. They are compiled for several generations of machines, and the best one is chosen at run time.

use hyperblock_shared::measure::ArchivedMeasure;
use hyperblock_shared::path::Walk;
use hyperblock_shared::screen::{Limits, Screen, Sketch};
use hyperblock_shared::sweep::{Items, Order, Sweep};
use hyperblock_shared::window::Interval;
use multiversion::multiversion;
use std::ops::Range;

/// Flags that are looked at together: what is laid out ends with some of nobody.
const FLAGS: usize = 64;

/// A thread's screening of a sweep.
pub(super) struct Screening<'a> {
    sweep: &'a Sweep<'a>,
    measure: Option<&'a ArchivedMeasure>,
    rights: Columns,
    /// By run of right items of one length: what the measure allows with left items of the length at hand.
    runs: Vec<Run>,
    limits_of: u32,
    /// By right item of the stretch: 1 if it passed.
    passed: Vec<u8>,
    /// Which of them passed, of the left item at hand.
    places: Vec<u32>,
    queue: Vec<(u32, u32)>,
}

/// Right items of one length.
struct Run {
    places: Range<usize>,
    len: u32,
    limits: Option<Limits>,
}

/// The sketches of a stretch.
#[derive(Default)]
struct Columns {
    signatures: Vec<u64>,
    uppers: Vec<u64>,
    ones: Vec<i64>,
    firsts: Vec<u64>,
}

impl<'a> Screening<'a> {
    pub(super) fn new(sweep: &'a Sweep<'a>, walk: Walk<'a>) -> Self {
        let has_signatures = matches!(sweep.settings.screen, Screen::Signatures | Screen::WideSignatures);
        let measure = has_signatures.then(|| walk.predicate(sweep.settings.lead).measure()).flatten();
        Self {
            sweep,
            measure,
            rights: Columns::default(),
            runs: Vec::new(),
            limits_of: u32::MAX,
            passed: Vec::new(),
            places: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// Hands the pairs of items that pass to `verify`.
    pub(super) fn stretch(&mut self, part: Interval, verify: &mut dyn FnMut(u32, u32)) {
        self.lay_out(part.right_from as usize..part.right_upto as usize);
        for left in part.left_from..part.left_upto {
            let mut from = part.right_from;
            if self.sweep.settings.order == Order::Unordered {
                // Later items; and the item itself, if there are pairs of records in it.
                from = from.max(left + u32::from(self.sweep.left.starts.is_empty()));
            }
            if from < part.right_upto {
                self.screen(left, from, &part, verify);
            }
        }
        for (left, right) in self.queue.drain(..) {
            verify(left, right);
        }
    }

    /// One left item.
    fn screen(&mut self, left: u32, from: u32, part: &Interval, verify: &mut dyn FnMut(u32, u32)) {
        let settings = &self.sweep.settings;
        let offset = (from - part.right_from) as usize;
        let mut pass = |queue: &mut Vec<(u32, u32)>, place: usize| {
            let right = part.right_from + place as u32;
            if settings.queue { queue.push((left, right)) } else { verify(left, right) }
        };
        let n_rights = (part.right_upto - part.right_from) as usize;
        if settings.screen == Screen::None {
            (offset..n_rights).for_each(|place| pass(&mut self.queue, place));
            return;
        }
        let sketch = &self.sweep.left.sketches[left as usize];
        if !self.pass_all(left, sketch, offset..n_rights) {
            return;
        }
        self.places.clear();
        append_set(&self.passed, &mut self.places);
        for place in self.places.iter().map(|place| *place as usize).filter(|place| *place >= offset) {
            pass(&mut self.queue, place);
        }
    }

    /// Sets the flags of the right items in `places`, and of some before; whether any passed.
    fn pass_all(&mut self, left: u32, sketch: &Sketch, places: Range<usize>) -> bool {
        let Columns { signatures, uppers, ones, firsts } = &self.rights;
        match self.sweep.settings.screen {
            Screen::None => true,
            Screen::Codes => {
                let code = u64::from(sketch.code());
                within(signatures, code, code + 1, &mut self.passed)
            }
            Screen::Reaches => {
                let reach = sketch.reach();
                within(signatures, u64::from(reach.from), u64::from(reach.upto), &mut self.passed)
            }
            Screen::Signatures | Screen::WideSignatures => {
                let len = self.sweep.left.lens[left as usize];
                let Some(measure) = self.measure else { return true };
                if self.limits_of != len {
                    for run in &mut self.runs {
                        run.limits = Some(measure.limits(len, run.len)).filter(Limits::is_possible);
                    }
                    self.limits_of = len;
                }
                let upper = self.sweep.left.uppers.get(left as usize).copied();
                let mut any = false;
                for Run { places: run, limits, .. } in &self.runs {
                    let passed = &mut self.passed[run.clone()];
                    let Some(limits) = limits.filter(|_| run.end > places.start) else {
                        passed.fill(0);
                        continue;
                    };
                    let rights = Rights {
                        signatures: &signatures[run.clone()],
                        uppers: uppers.get(run.clone()).unwrap_or_default(),
                        ones: &ones[run.clone()],
                        firsts: &firsts[run.clone()],
                    };
                    any |= match (upper, limits.alike == limits.unlike) {
                        (None, true) => alike::<false, false>(sketch, 0, &limits, rights, passed),
                        (None, false) => alike::<false, true>(sketch, 0, &limits, rights, passed),
                        (Some(upper), true) => alike::<true, false>(sketch, upper, &limits, rights, passed),
                        (Some(upper), false) => alike::<true, true>(sketch, upper, &limits, rights, passed),
                    };
                }
                any
            }
        }
    }

    fn lay_out(&mut self, places: Range<usize>) {
        let Items { sketches, uppers, lens, .. } = self.sweep.right;
        self.passed.clear();
        self.passed.resize(places.len().next_multiple_of(FLAGS), 0);
        let Some(sketches) = sketches.get(places.clone()) else { return };
        let columns = &mut self.rights;
        let refill = |column: &mut Vec<u64>, value: &dyn Fn(&Sketch) -> u64| {
            column.clear();
            column.extend(sketches.iter().map(value));
        };
        refill(&mut columns.signatures, &|sketch| sketch.signature);
        if self.measure.is_none() {
            return;
        }
        refill(&mut columns.firsts, &|sketch| u64::from(sketch.first));
        columns.ones.clear();
        columns.ones.extend(sketches.iter().map(|sketch| i64::from(sketch.ones)));
        columns.uppers.clear();
        columns.uppers.extend_from_slice(uppers.get(places.clone()).unwrap_or_default());
        self.runs.clear();
        self.limits_of = u32::MAX;
        for (place, &len) in lens[places].iter().enumerate() {
            match self.runs.last_mut() {
                Some(run) if run.len == len => run.places.end = place + 1,
                _ => self.runs.push(Run { places: place..place + 1, len, limits: None }),
            }
        }
    }
}

/// Columns of right items, all of the same length; `uppers` may be empty.
#[derive(Clone, Copy)]
struct Rights<'a> {
    signatures: &'a [u64],
    uppers: &'a [u64],
    ones: &'a [i64],
    firsts: &'a [u64],
}

/// [`Limits::pass`], for many right items at once: with `WIDE` of 128 bits, with `FIRSTS` looking at first symbols.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq",
    "x86_64+avx512f+avx512bw+avx512dq+avx512vl+popcnt",
    "x86_64+avx2+bmi1+bmi2+popcnt",
    "x86_64+popcnt"
))]
fn alike<const WIDE: bool, const FIRSTS: bool>(
    left: &Sketch,
    upper: u64,
    limits: &Limits,
    rights: Rights<'_>,
    passed: &mut [u8],
) -> bool {
    let n = passed.len();
    let Rights { signatures, uppers, ones, firsts } = rights;
    let (signatures, ones, firsts) = (&signatures[..n], &ones[..n], &firsts[..n]);
    let uppers = if WIDE { &uppers[..n] } else { signatures };
    let (left_ones, first) = (i64::from(left.ones), u64::from(left.first));
    let allowed = [limits.unlike, limits.alike].map(|it| (i64::from(it.left), i64::from(it.right)));
    let mut any = 0;
    for ix in 0..n {
        let mut differing = i64::from((signatures[ix] ^ left.signature).count_ones());
        if WIDE {
            differing += i64::from((uppers[ix] ^ upper).count_ones());
        }
        let more = left_ones - ones[ix];
        let is_alike = FIRSTS && firsts[ix] == first;
        let (most_l, most_r) = if is_alike { allowed[1] } else { allowed[0] };
        let flag = u8::from((differing + more <= most_l) & (differing - more <= most_r));
        passed[ix] = flag;
        any |= flag;
    }
    any != 0
}

/// Appends the places of the flags that are set, of so many that they are looked at together.
// By itself: within what calls it there are no registers left for this loop.
#[inline(never)]
fn append_set(flags: &[u8], places: &mut Vec<u32>) {
    for (first, flags) in (0u32..).step_by(FLAGS).zip(flags.as_chunks::<FLAGS>().0) {
        let words = flags.as_chunks().0.iter().map(|flags| u64::from_le_bytes(*flags));
        // Nearly always none of so many has passed.
        if words.clone().fold(0, |all, word| all | word) == 0 {
            continue;
        }
        for (word, mut left) in (first..).step_by(8).zip(words) {
            while left != 0 {
                places.push(word + left.trailing_zeros() / 8);
                left &= left - 1;
            }
        }
    }
}

/// Flags the codes from `from` on, below `upto`.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn within(codes: &[u64], from: u64, upto: u64, passed: &mut [u8]) -> bool {
    let mut any = 0;
    for (&code, passed) in codes.iter().zip(passed) {
        let flag = u8::from((code >= from) & (code < upto));
        *passed = flag;
        any |= flag;
    }
    any != 0
}
