//! What kernels take of a GPU, as ptxas reports it.

use std::fmt::Write;

/// What one function takes, for one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    name: String,
    is_entry: bool,
    /// Known for entries only: other functions share their caller's.
    registers: u32,
    shared_memory: u32,
    stack: u32,
    spill_stores: u32,
    spill_loads: u32,
}

impl Usage {
    fn spills(&self) -> u32 {
        self.spill_stores + self.spill_loads
    }
}

/// The functions in a report of `ptxas -v`, in its order.
pub(super) fn parse(report: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = Vec::new();
    let mut entry = "";
    for line in report.lines() {
        if let Some(rest) = line.split_once("Compiling entry function '") {
            entry = rest.1.split('\'').next().unwrap_or_default();
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            usages.push(Usage { name: name.into(), is_entry: name == entry, ..Usage::default() });
        } else if let Some(usage) = usages.last_mut() {
            if line.contains("bytes stack frame") {
                usage.stack = number_before(line, " bytes stack frame");
                usage.spill_stores = number_before(line, " bytes spill stores");
                usage.spill_loads = number_before(line, " bytes spill loads");
            } else if line.contains("Used ") {
                usage.registers = number_before(line, " registers");
                usage.shared_memory = number_before(line, " bytes smem");
            }
        }
    }
    usages
}

/// The number that stands before some words, or 0: ptxas leaves out what is not used.
fn number_before(line: &str, words: &str) -> u32 {
    let number = line.split_once(words).and_then(|(before, _)| before.rsplit([' ', ',']).next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A table of the entries, with the worst of the other functions in the last line of each architecture.
pub(super) fn table(usages: &[(&str, Vec<Usage>)]) -> String {
    let mut rows = vec![
        ["kernel", "arch", "registers", "shared", "stack", "spill stores", "spill loads"].map(str::to_owned),
    ];
    for (architecture, usages) in usages {
        let row = |name: String, registers: String, usage: &Usage| {
            let bytes = [usage.shared_memory, usage.stack, usage.spill_stores, usage.spill_loads];
            let [shared, stack, stores, loads] = bytes.map(|bytes| format!("{bytes} B"));
            [name, (*architecture).to_owned(), registers, shared, stack, stores, loads]
        };
        let (entries, functions): (Vec<_>, Vec<_>) = usages.iter().partition(|usage| usage.is_entry);
        rows.extend(entries.iter().map(|usage| row(usage.name.clone(), usage.registers.to_string(), usage)));
        if let Some(worst) = functions.iter().max_by_key(|usage| (usage.spills(), usage.stack)) {
            rows.push(row(format!("worst of {} functions", functions.len()), "-".into(), worst));
        }
    }
    let widths: [usize; 7] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut table = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            0 | 1 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        // Writing to a string cannot fail.
        let _ = writeln!(table, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    table
}

/// What no kernel may do: keep in slow memory what belongs in registers.
pub(super) fn faults(usages: &[(&str, Vec<Usage>)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (architecture, usages) in usages {
        for usage in usages {
            if usage.spills() > 0 {
                let Usage { name, spill_stores, spill_loads, .. } = usage;
                faults.push(format!(
                    "{name} spills on {architecture}: {spill_stores} B stored, {spill_loads} B loaded"
                ));
            }
            if usage.is_entry && usage.stack > 0 {
                faults
                    .push(format!("{} has a stack frame of {} B on {architecture}", usage.name, usage.stack));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::{Usage, faults, parse, table};

    const REPORT: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'hyperblock_scan' for 'sm_80'
ptxas info    : Function properties for hyperblock_scan
    56 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 2048 bytes smem, 56 bytes cumulative stack size, 436 bytes cmem[0]
ptxas info    : Compile time = 1089.998 ms
ptxas info    : Compiling entry function 'hyperblock_probe' for 'sm_80'
ptxas info    : Function properties for hyperblock_probe
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers
ptxas info    : Function properties for core_panicking_panic
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Function properties for outcome
    16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";

    #[test]
    fn reports_are_read() {
        let usages = parse(REPORT);
        assert_eq!(usages.len(), 4);
        assert_eq!(
            usages[0],
            Usage {
                name: "hyperblock_scan".into(),
                is_entry: true,
                registers: 255,
                shared_memory: 2048,
                stack: 56,
                spill_stores: 4,
                spill_loads: 8,
            }
        );
        let probe =
            Usage { name: "hyperblock_probe".into(), is_entry: true, registers: 32, ..Usage::default() };
        assert_eq!(usages[1], probe);
        assert_eq!(usages[3], Usage { name: "outcome".into(), stack: 16, ..Usage::default() });
    }

    #[test]
    fn the_table_has_a_line_an_entry_and_one_for_the_rest() {
        let table = table(&[("sm_80", parse(REPORT))]);
        let lines: Vec<_> =
            table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines,
            [
                "kernel arch registers shared stack spill stores spill loads",
                "hyperblock_scan sm_80 255 2048 B 56 B 4 B 8 B",
                "hyperblock_probe sm_80 32 0 B 0 B 0 B 0 B",
                "worst of 2 functions sm_80 - 0 B 16 B 0 B 0 B",
            ]
        );
    }

    #[test]
    fn spills_and_stack_frames_of_entries_are_faults() {
        let faults = faults(&[("sm_80", parse(REPORT))]);
        assert_eq!(
            faults,
            [
                "hyperblock_scan spills on sm_80: 4 B stored, 8 B loaded",
                "hyperblock_scan has a stack frame of 56 B on sm_80",
            ]
        );
    }
}
