//! The best ratios over all thresholds, as Table 2 of fgssjoin has them: how many times as long as ours
//! something else takes, by data set and length of grams, and at which threshold.
//!
//! Ours is the way that the planner takes, or where that was not measured, the first that was. It is set
//! beside the baselines, and beside `noFilter` on the same device, which has gSSJoin's index without its
//! scores. What was stopped took longer than it was given: then its ratio is a lower bound.

use super::{Figure, Seen, Way, distinct};
use crate::bench::SetjoinWay;
use std::fmt::{self, Display, Formatter};

/// A ratio that no other threshold exceeds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    data: String,
    rows: u32,
    q: u32,
    device: String,
    ours: Way,
    beside: Way,
    threshold: f64,
    ratio: f64,
    /// Whether it is only known to be more.
    is_bound: bool,
}

impl Display for Best {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let more = if self.is_bound { ">" } else { "" };
        f.pad(&format!("{more}{:.1}x ({})", self.ratio, self.threshold))
    }
}

const NO_FILTER: Way = Way::Ours(SetjoinWay::NoFilter);

/// All of them, in the order of figures.
pub(super) fn of(figures: &[Figure]) -> Vec<Best> {
    let is_ours = |figure: &&Figure| matches!(figure.way, Way::Ours(_));
    let groups =
        distinct(figures.iter().filter(is_ours).map(|figure| (&figure.data, figure.q, &figure.device)));
    let mut all = Vec::new();
    for (data, q, device) in groups {
        let here = |figure: &&Figure| figure.data == *data && figure.q == q;
        let on_device = |figure: &&Figure| is_ours(figure) && figure.device == *device;
        let group: Vec<&Figure> = figures.iter().filter(here).collect();
        let ways = distinct(group.iter().copied().filter(on_device).map(|figure| figure.way));
        let cheapest = Way::Ours(SetjoinWay::Cheapest);
        let ours = if ways.contains(&cheapest) { cheapest } else { ways[0] };
        let others = distinct(group.iter().map(|figure| figure.way).filter(|way| {
            *way != ours && (matches!(way, Way::Baseline(_)) || *way == NO_FILTER && ways.contains(way))
        }));
        let own: Vec<&Figure> =
            group.iter().copied().filter(on_device).filter(|figure| figure.way == ours).collect();
        for beside in others {
            let is_beside =
                |figure: &&Figure| figure.way == beside && (!is_ours(figure) || figure.device == *device);
            let ratios = group.iter().copied().filter(is_beside).filter_map(|figure| {
                let own = own.iter().find(|own| own.threshold == figure.threshold)?.measured()?;
                let (seconds, is_bound) = match &figure.seen {
                    Seen::Measured(measured) => (measured.times.median(), false),
                    Seen::Over(seconds) => (f64::from(*seconds), true),
                    Seen::LeftOut => return None,
                };
                Some((seconds / own.times.median(), figure, is_bound))
            });
            let best = ratios.max_by(|a, b| a.0.total_cmp(&b.0));
            all.extend(best.map(|(ratio, figure, is_bound)| Best {
                data: data.clone(),
                rows: figure.rows,
                q,
                device: device.clone(),
                ours,
                beside,
                threshold: figure.threshold,
                ratio,
                is_bound,
            }));
        }
    }
    all
}

/// A row for each data set, length of grams and device, and a column for each that ours is set beside.
pub(super) fn print(all: &[Best]) {
    if all.is_empty() {
        return;
    }
    let others = distinct(all.iter().map(|best| best.beside));
    println!("\nhow many times as long as ours others take at most, and at which threshold:");
    print!("{:16} {:>7} {:>1} {:24} {:8}", "data", "rows", "q", "device", "ours");
    others.iter().for_each(|way| print!(" {:>16}", way.name()));
    println!();
    for (data, rows, q, device, ours) in
        distinct(all.iter().map(|best| (&best.data, best.rows, best.q, &best.device, best.ours)))
    {
        print!("{data:16} {rows:>7} {q:>1} {device:24} {:8}", ours.name());
        for &way in &others {
            let is_it = |best: &&Best| {
                best.data == *data && best.q == q && best.device == *device && best.beside == way
            };
            print!(" {:>16}", all.iter().find(is_it).map_or_else(String::new, Best::to_string));
        }
        println!();
    }
}

/// As a file has them.
pub(super) fn lines(all: &[Best]) -> Vec<String> {
    let head = "data,device,rows,q,way,beside,threshold,ratio,seen".to_owned();
    let line = |best: &Best| {
        let Best { data, rows, q, device, ours, beside, threshold, ratio, is_bound } = best;
        let seen = if *is_bound { "at least" } else { "measured" };
        format!("{data},{device},{rows},{q},{},{},{threshold},{ratio:.2},{seen}", ours.name(), beside.name())
    };
    [head].into_iter().chain(all.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::beside::Beside;
    use super::{lines, of};
    use crate::bench::SetjoinWay;
    use crate::bench::measure::Times;
    use crate::bench::setjoin::{Figure, Measured, Seen, Way};
    use hyperblock::baselines::sets::Baseline;
    use hyperblock::plan::cost::BackendKind;
    use std::time::Duration;

    const OURS: Way = Way::Ours(SetjoinWay::Cheapest);
    const PPJOIN: Way = Way::Baseline(Beside::Cpu(Baseline::Ppjoin));

    fn figure(device: &str, threshold: f64, way: Way, seen: Seen) -> Figure {
        let (data, device, kind) = ("titles".to_owned(), device.to_owned(), BackendKind::Cpu);
        Figure { data, rows: 1000, q: 2, threshold, kind, device, way, seen }
    }

    fn took(ms: u64) -> Seen {
        let times = Times::new(vec![Duration::from_millis(ms)]);
        Seen::Measured(Measured { n_candidates: 17, times, kernels: None })
    }

    #[test]
    fn the_best_of_all_thresholds_on_each_device() {
        let no_filter = Way::Ours(SetjoinWay::NoFilter);
        let figures = [
            figure("cpu", 0.9, no_filter, took(70)),
            figure("cpu", 0.9, OURS, took(10)),
            figure("cpu (1 thread)", 0.9, PPJOIN, took(400)),
            figure("cuda", 0.9, OURS, took(1)),
            figure("cpu", 0.8, no_filter, Seen::LeftOut),
            figure("cpu", 0.8, OURS, took(20)),
            figure("cpu (1 thread)", 0.8, PPJOIN, took(900)),
            figure("cuda", 0.8, OURS, took(3)),
        ];
        assert_eq!(
            lines(&of(&figures))[1..],
            [
                "titles,cpu,1000,2,cheapest,noFilter,0.9,7.00,measured",
                "titles,cpu,1000,2,cheapest,ppjoin,0.8,45.00,measured",
                "titles,cuda,1000,2,cheapest,ppjoin,0.9,400.00,measured",
            ]
        );
    }

    #[test]
    fn what_was_stopped_has_a_bound() {
        let figures = [
            figure("cpu", 0.9, OURS, took(500)),
            figure("cpu (1 thread)", 0.9, PPJOIN, took(5000)),
            figure("cpu", 0.8, OURS, took(1000)),
            figure("cpu (1 thread)", 0.8, PPJOIN, Seen::Over(60)),
            figure("cpu", 0.7, OURS, took(1)),
            figure("cpu (1 thread)", 0.7, PPJOIN, Seen::LeftOut),
        ];
        let best = of(&figures);
        assert_eq!(best.iter().map(ToString::to_string).collect::<Vec<_>>(), [">60.0x (0.8)"]);
        assert!(lines(&best)[1].ends_with(",0.8,60.00,at least"));
        assert!(of(&figures[..1]).is_empty());
    }
}
