//! Names in PTX that depend on the source alone.
//!
//! The compiler's names carry hashes of crates and modules, which differ between versions of cargo and, for all that it
//! promises, between checkouts. Only the entry points are called from outside, and those have plain names; the others
//! are renamed to what they would be called without hashes, so that equal sources make equal files.

use std::collections::{HashMap, HashSet};

/// The PTX with steady names.
pub(super) fn steady(ptx: &str) -> String {
    let mut names = Names::default();
    let mut steady = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(start) = rest.find(is_name) {
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |len| start + len);
        steady.push_str(&rest[..start]);
        steady.push_str(&names.steady(&rest[start..end]));
        rest = &rest[end..];
    }
    steady + rest
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// LLVM's way to write the dots of its own names in PTX.
const DOT: &str = "_$_";

#[derive(Default)]
struct Names {
    steady: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Names {
    fn steady(&mut self, name: &str) -> String {
        // A function's parameters are named after it.
        let (stem, parameter) = name.rfind("_param_").map_or((name, ""), |at| name.split_at(at));
        let Some(readable) = readable(stem) else { return name.to_owned() };
        if !self.steady.contains_key(stem) {
            let numbered = (2..).map(|n| format!("{readable}_{n}"));
            let free = [readable.clone()].into_iter().chain(numbered).find(|name| !self.taken.contains(name));
            let free = free.unwrap_or(readable);
            self.taken.insert(free.clone());
            self.steady.insert(stem.to_owned(), free);
        }
        self.steady[stem].clone() + parameter
    }
}

/// What to call a symbol whose name has hashes in it.
fn readable(name: &str) -> Option<String> {
    if name.starts_with(&format!("anon{DOT}")) {
        // A constant: `anon.<hash>.<number>`.
        return Some("constant".to_owned());
    }
    // Tables and copies have the name of their function after or before LLVM's own words.
    let start = name.find("_R")?;
    let end = name[start..].find(DOT).map_or(name.len(), |len| start + len);
    let demangled = rustc_demangle::try_demangle(&name[start..end]).ok()?;
    let words = format!("{}{demangled:#}", name[..start].replace(DOT, "_"));
    let words: Vec<_> =
        words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    Some(words.join("_"))
}

#[cfg(test)]
mod tests {
    use super::steady;

    const FAIL: &str = "_RNvNtNtCsekQVkFLoVwc_4core5slice5index16slice_index_fail";

    #[test]
    fn hashes_are_left_out() {
        let ptx = format!(
            ".func {FAIL}(\n\t.param .b64 {FAIL}_param_0\n)\n{{\n\tmov.b64 \t%SPL, __local_depot0;\n"
        );
        let expected = ".func core_slice_index_slice_index_fail(\n\t.param .b64 core_slice_index_slice_index_fail_param_0\n)\n\
                        {\n\tmov.b64 \t%SPL, __local_depot0;\n";
        assert_eq!(steady(&ptx), expected);
        assert_eq!(steady(&ptx.replace("ekQVkFLoVwc", "l5A5CCIDnty")), expected);
    }

    #[test]
    fn different_symbols_stay_different() {
        let other = FAIL.replace("ekQVkFLoVwc", "l5A5CCIDnty");
        assert_eq!(
            steady(&format!("{FAIL} {other} {FAIL}")),
            "core_slice_index_slice_index_fail core_slice_index_slice_index_fail_2 core_slice_index_slice_index_fail"
        );
        assert_eq!(
            steady("anon_$_0123abcd_$_4 anon_$_0123abcd_$_7 anon_$_0123abcd_$_4"),
            "constant constant_2 constant"
        );
        assert_eq!(
            steady(&format!("switch_$_table_$_{FAIL}_$_12")),
            "switch_table_core_slice_index_slice_index_fail"
        );
    }

    #[test]
    fn plain_names_stay() {
        let ptx =
            ".visible .entry hyperblock_scan(\n\t.param .u64 hyperblock_scan_param_0\n)\n$L__BB0_1:\n\tret;";
        assert_eq!(steady(ptx), ptx);
    }
}
