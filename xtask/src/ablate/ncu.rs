//! What Nsight Compute's command line (`ncu --csv --page raw`) prints: a line of names, a line of units, a line for each
//! launch of a kernel; before, between and after them, what the profiler and the program under it have to say.

use anyhow::{Context, Result, bail};

const DURATION: &str = "gpu__time_duration.sum";
const THREADS: &str = "smsp__thread_inst_executed_per_inst_executed.ratio";
const BRANCHES: &str = "smsp__sass_average_branch_targets_threads_uniform.pct";
const LATENCY: &str = "smsp__average_warp_latency_per_inst_issued.ratio";

/// What the profiler is asked for.
pub(super) const METRICS: [&str; 4] = [DURATION, THREADS, BRANCHES, LATENCY];

/// What is known of some launches together.
#[derive(Debug, PartialEq)]
pub(super) struct Profile {
    pub(super) n_launches: usize,
    /// On the device, of all launches.
    pub(super) seconds: f64,
    /// Threads of a warp that execute an instruction, of 32; like the others, a mean by time, and nothing if the
    /// profiler does not know it.
    pub(super) threads: Option<f64>,
    /// Percent of branches at which all threads of a warp go the same way.
    pub(super) branches: Option<f64>,
    /// Cycles from one instruction of a warp to its next: the one that it takes, and those for which it is stalled.
    pub(super) cycles: Option<f64>,
}

/// Reads what the profiler printed.
pub(super) fn parse(printed: &str) -> Result<Profile> {
    let mut lines =
        printed.lines().map(str::trim).skip_while(|line| !line.starts_with("\"ID\",")).map(fields);
    let Some(names) = lines.next() else {
        let said: Vec<&str> = printed.lines().filter(|line| is_complaint(line)).collect();
        bail!("the profiler shows no launches {}", said.join(" "));
    };
    let units = lines.next().context("the profiler's table ends after its head")?;
    let rows: Vec<_> = lines.filter(|row| row.len() == names.len()).collect();
    let column = |name: &str| names.iter().position(|other| other == name);
    let values = |name: &str| -> Vec<Option<f64>> {
        let value = |row: &Vec<String>| number(row.get(column(name)?)?);
        rows.iter().map(value).collect()
    };
    let duration = column(DURATION).with_context(|| format!("the profiler shows no {DURATION}"))?;
    let unit = units.get(duration).map_or("", String::as_str);
    let unit =
        seconds_in(unit).with_context(|| format!("{DURATION} is in `{unit}`, which is no unit of time"))?;
    let times: Vec<f64> = values(DURATION)
        .into_iter()
        .map(|time| Some(time? * unit))
        .collect::<Option<_>>()
        .with_context(|| format!("a launch has no {DURATION}"))?;
    let mean = |name: &str| {
        let known = || values(name).into_iter().zip(&times).filter_map(|(value, time)| Some((value?, time)));
        let time: f64 = known().map(|(_, time)| time).sum();
        (time > 0.0).then(|| known().map(|(value, weight)| value * weight).sum::<f64>() / time)
    };
    Ok(Profile {
        n_launches: rows.len(),
        seconds: times.iter().sum(),
        threads: mean(THREADS),
        branches: mean(BRANCHES),
        cycles: mean(LATENCY),
    })
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
    use super::{METRICS, Profile, fields, parse, seconds_in};

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
        let profile = parse(&printed(units, rows)).unwrap();
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
        assert_eq!(parse(&printed).unwrap().n_launches, 1);
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
