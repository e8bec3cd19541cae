//! What Nsight Compute's command line (`ncu --csv --page raw`) prints: a line of names, a line of units, a line for each
//! launch of a kernel; before, between and after them, what the profiler and the program under it have to say.

use anyhow::{Context, Result, bail};

const KERNEL: &str = "Kernel Name";
const DURATION: &str = "gpu__time_duration.sum";
const THREADS: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
const BRANCHES: &str = "smsp__sass_average_branch_targets_threads_uniform.pct";
const LATENCY: &str = "smsp__average_warp_latency_per_inst_issued.ratio";

/// What the profiler is asked for.
pub(super) const METRICS: [&str; 4] = [DURATION, THREADS, BRANCHES, LATENCY];

/// One launch of a kernel. What the profiler does not know of it is nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launch {
    /// Its name.
    pub(crate) kernel: String,
    /// On the device.
    pub(crate) seconds: f64,
    /// Threads of a warp that execute an instruction, of 32.
    pub(crate) threads: Option<f64>,
    /// Percent of branches at which all threads of a warp go the same way.
    pub(crate) branches: Option<f64>,
    /// Cycles from one instruction of a warp to its next: the one that it takes, and those for which it is stalled.
    pub(crate) cycles: Option<f64>,
}

/// What is known of some launches together: figures of the device are means by time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Profile {
    pub(crate) n_launches: usize,
    /// Of all launches.
    pub(crate) seconds: f64,
    pub(crate) threads: Option<f64>,
    pub(crate) branches: Option<f64>,
    pub(crate) cycles: Option<f64>,
}

impl Profile {
    pub(crate) fn of<'a>(launches: impl Iterator<Item = &'a Launch> + Clone) -> Self {
        let mean = |figure: fn(&Launch) -> Option<f64>| {
            let known = || launches.clone().filter_map(|launch| Some((figure(launch)?, launch.seconds)));
            let time: f64 = known().map(|(_, seconds)| seconds).sum();
            (time > 0.0).then(|| known().map(|(figure, seconds)| figure * seconds).sum::<f64>() / time)
        };
        Self {
            n_launches: launches.clone().count(),
            seconds: launches.clone().map(|launch| launch.seconds).sum(),
            threads: mean(|launch| launch.threads),
            branches: mean(|launch| launch.branches),
            cycles: mean(|launch| launch.cycles),
        }
    }

    /// Threads, branches and cycles, with so many digits behind the point; what is not known is empty.
    pub(crate) fn figures(&self, digits: usize) -> [String; 3] {
        let known =
            |figure: Option<f64>| figure.map_or_else(String::new, |known| format!("{known:.digits$}"));
        [self.threads, self.branches, self.cycles].map(known)
    }
}

/// The launches of each kernel together; what takes longest comes first.
pub(crate) fn by_kernel(launches: &[Launch]) -> Vec<(&str, Profile)> {
    let mut kernels: Vec<&str> = launches.iter().map(|launch| launch.kernel.as_str()).collect();
    kernels.sort_unstable();
    kernels.dedup();
    let of = |kernel| Profile::of(launches.iter().filter(move |launch| launch.kernel == kernel));
    let mut profiles: Vec<_> = kernels.into_iter().map(|kernel| (kernel, of(kernel))).collect();
    profiles.sort_by(|(_, some), (_, others)| others.seconds.total_cmp(&some.seconds));
    profiles
}

/// Reads what the profiler printed.
pub(super) fn parse(printed: &str) -> Result<Vec<Launch>> {
    let mut lines =
        printed.lines().map(str::trim).skip_while(|line| !line.starts_with("\"ID\",")).map(fields);
    let Some(names) = lines.next() else {
        let said: Vec<&str> = printed.lines().filter(|line| is_complaint(line)).collect();
        bail!("the profiler shows no launches {}", said.join(" "));
    };
    let units = lines.next().context("the profiler's table ends after its head")?;
    let column = |name: &str| names.iter().position(|other| other == name);
    let wanted = |name: &str| column(name).with_context(|| format!("the profiler shows no {name}"));
    let (kernel, duration) = (wanted(KERNEL)?, wanted(DURATION)?);
    let unit = units.get(duration).map_or("", String::as_str);
    let unit =
        seconds_in(unit).with_context(|| format!("{DURATION} is in `{unit}`, which is no unit of time"))?;
    let [threads, branches, cycles] = [THREADS, BRANCHES, LATENCY].map(column);
    let launch = |row: Vec<String>| {
        let figure = |column: Option<usize>| number(&row[column?]);
        Ok(Launch {
            kernel: row[kernel].clone(),
            seconds: unit * number(&row[duration]).with_context(|| format!("a launch has no {DURATION}"))?,
            threads: figure(threads),
            branches: figure(branches),
            cycles: figure(cycles),
        })
    };
    lines.filter(|row| row.len() == names.len()).map(launch).collect()
}

/// Whether the profiler says on this line that something is wrong.
pub(super) fn is_complaint(line: &str) -> bool {
    line.starts_with("==ERROR==") || line.starts_with("==WARNING==")
}

/// The fields of a line; no field goes on in the next.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(std::mem::take(&mut field)),
            _ => field.push(character),
        }
    }
    fields.push(field);
    fields
}

/// A number as the profiler writes it, with commas in large ones; `n/a` is none.
fn number(text: &str) -> Option<f64> {
    text.replace(',', "").trim().parse().ok()
}

/// Old profilers write `usecond`, others `us`.
fn seconds_in(unit: &str) -> Option<f64> {
    match unit.strip_suffix("econd").unwrap_or(unit) {
        "s" => Some(1.0),
        "ms" => Some(1e-3),
        "us" => Some(1e-6),
        "ns" => Some(1e-9),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Launch, METRICS, Profile, by_kernel, fields, parse, seconds_in};

    const HEAD: &str = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","smsp__average_warp_latency_per_inst_issued.ratio","smsp__sass_average_branch_targets_threads_uniform.pct","smsp__thread_inst_executed_per_inst_executed.ratio""#;

    /// What `ncu` prints of launches with these values, with units of the four metrics.
    fn printed(units: &str, rows: &[&str]) -> String {
        let launch = |(ix, values): (usize, &&str)| {
            let which = r#""4711","xtask","127.0.0.1","hyperblock_scan","1","13","(256, 1, 1)","(1056, 1, 1)","0","9.0""#;
            format!("\"{ix}\",{which},{values}\n")
        };
        let launches: String = rows.iter().enumerate().map(launch).collect();
        format!(
            "==PROF== Connected to process 4711 (/xtask)\n\
             wrote names.csv: 100 distinct names\n\
             ==PROF== Profiling \"hyperblock_scan\" - 0: 0%....50%....100% - 7 passes\n\
             ==PROF== Disconnected from process 4711\n\
             {HEAD}\n\
             \"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",{units}\n\
             {launches}"
        )
    }

    fn check(units: &str, rows: &[&str], expected: &Profile) {
        let profile = Profile::of(parse(&printed(units, rows)).unwrap().iter());
        let close = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        let is_same = profile.n_launches == expected.n_launches
            && (profile.seconds - expected.seconds).abs() < 1e-12
            && close(profile.threads, expected.threads)
            && close(profile.branches, expected.branches)
            && close(profile.cycles, expected.cycles);
        assert!(is_same, "{profile:?} is not {expected:?}");
    }

    #[test]
    fn one_launch() {
        let expected = Profile {
            n_launches: 1,
            seconds: 1.205e-3,
            threads: Some(23.5),
            branches: Some(88.25),
            cycles: Some(12.75),
        };
        check(r#""us","inst","%","""#, &[r#""1,205.00","12.75","88.25","23.5""#], &expected);
        check(r#""usecond","inst","%","""#, &[r#""1,205.00","12.75","88.25","23.5""#], &expected);
        check(r#""ns","inst","%","""#, &[r#""1,205,000","12.75","88.25","23.5""#], &expected);
        check(r#""ms","inst","%","""#, &[r#""1.205","12.75","88.25","23.5""#], &expected);
    }

    #[test]
    fn launches_weigh_as_much_as_they_take() {
        let rows = [r#""3.0","10","50","32""#, r#""1.0","20","90","16""#];
        let expected = Profile {
            n_launches: 2,
            seconds: 4e-3,
            threads: Some(28.0),
            branches: Some(60.0),
            cycles: Some(12.5),
        };
        check(r#""ms","inst","%","""#, &rows, &expected);
    }

    #[test]
    fn what_is_not_known_is_left_out() {
        let rows = [r#""3.0","10","n/a","32""#, r#""1.0","20","n/a","n/a""#];
        let expected =
            Profile { n_launches: 2, seconds: 4.0, threads: Some(32.0), branches: None, cycles: Some(12.5) };
        check(r#""s","inst","","""#, &rows, &expected);
    }

    #[test]
    fn what_is_said_after_the_table_is_not_part_of_it() {
        let printed =
            printed(r#""ms","","%","""#, &[r#""3.0","10","50","32""#]) + "==WARNING== Bye, \"you\"\n\n";
        assert_eq!(parse(&printed).unwrap().len(), 1);
    }

    #[test]
    fn kernels_are_told_apart() {
        let launch = |kernel: &str, seconds: f64, threads: Option<f64>| Launch {
            kernel: kernel.to_owned(),
            seconds,
            threads,
            branches: Some(100.0),
            cycles: None,
        };
        let launches = [
            launch("hyperblock_join_count", 1.0, Some(32.0)),
            launch("hyperblock_join_light_pairs", 6.0, Some(20.0)),
            launch("hyperblock_join_count", 3.0, Some(24.0)),
        ];
        let profiles = by_kernel(&launches);
        let told: Vec<_> =
            profiles.iter().map(|(kernel, profile)| (*kernel, profile.n_launches, profile.seconds)).collect();
        assert_eq!(told, [("hyperblock_join_light_pairs", 1, 6.0), ("hyperblock_join_count", 2, 4.0)]);
        assert_eq!(profiles[1].1.figures(1), ["26.0", "100.0", ""]);
        assert!(by_kernel(&[]).is_empty());
    }

    #[test]
    fn launches_have_the_names_of_their_kernels() {
        let launches = parse(&printed(r#""ms","","%","""#, &[r#""3.0","10","50","32""#])).unwrap();
        assert_eq!(launches[0].kernel, "hyperblock_scan");
        let nameless = printed(r#""ms","","%","""#, &[r#""3.0","1","1","1""#]).replace("Kernel Name", "Name");
        assert!(parse(&nameless).unwrap_err().to_string().contains("Kernel Name"));
    }

    #[test]
    fn errors_say_what_the_profiler_said() {
        let refused = "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n";
        let said = parse(refused).unwrap_err().to_string();
        assert!(said.contains("ERR_NVGPUCTRPERM") && !said.contains("PROF"), "{said}");
        let said =
            parse(&printed(r#""cycle","","%","""#, &[r#""3.0","1","1","1""#])).unwrap_err().to_string();
        assert!(said.contains("`cycle`"), "{said}");
        let said = parse(&printed(r#""ms","","%","""#, &[r#""n/a","1","1","1""#])).unwrap_err().to_string();
        assert!(said.contains("gpu__time_duration.sum"), "{said}");
    }

    #[test]
    fn fields_may_have_commas_and_quotes() {
        assert_eq!(fields(r#""a","(1, 2)","say ""x""","",plain"#), ["a", "(1, 2)", "say \"x\"", "", "plain"]);
        assert!(METRICS.iter().all(|metric| fields(HEAD).iter().any(|name| name == metric)));
        assert_eq!(seconds_in("minute"), None);
    }
}
