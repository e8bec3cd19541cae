//! An answer for a terminal: a verdict in the margin, beside it what was asked, and below that what was found.
//!
//! ```text
//! rule "alike name": does not hold
//!   fails  levenshtein_similarity(lower(l.name), lower(r.name)) >= 0.8
//!          'robert smith' and 'rupert smyth': 0.7500 (9/12)
//! ```

use super::{Asked, Common, Conjunction, Finding, Measured, Verdict, Why};
use crate::base::shown::{shown, write_out};
use crate::rules::{Domain, Test};
use std::fmt::{self, Display, Formatter, Write};

/// Lines stay within so many columns, unless a predicate alone is longer.
const WIDTH: usize = 100;
/// What stands before the verdict and after it: `  fails  `.
const MARGIN: usize = 9;
/// A value is cut off after so many characters.
const MOST_CHARS: usize = 60;
/// Values that begin alike are shown from a little before the first difference.
const LEAD: usize = 20;

impl Display for Why {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let witness = self.witness_name();
        match &self.sources {
            None => writeln!(f, "{} and {}", Id(&self.left), Id(&self.right))?,
            Some((left, right)) => {
                let (left, right) = (format!("{left}:{}", self.left), format!("{right}:{}", self.right));
                writeln!(f, "{} and {}", Id(&left), Id(&right))?;
            }
        }
        // No two have the same name.
        let marked = |name: &str| if witness == Some(name) { " — the witness" } else { "" };
        for rule in &self.rules {
            let (holds, marked) = (holds(self.rule_holds(rule)), marked(&rule.name));
            writeln!(f, "\nrule \"{}\": {holds}{marked}", shown(&rule.name))?;
            for (ix, conjunction) in rule.conjunctions.iter().enumerate() {
                self.conjunction(f, rule, ix, conjunction)?;
            }
        }
        for near in &self.neighbourhoods {
            let (name, is_near) = (&near.neighbourhood.name, near.holds());
            writeln!(f, "\nneighbourhood \"{}\": {}{}", shown(name), holds(is_near), marked(name))?;
            writeln!(f, "  {}  {}", if is_near { "holds" } else { "fails" }, near.neighbourhood)?;
            match near.distance {
                Some(1) => writeln!(f, "{:1$}1 place apart", "", MARGIN)?,
                Some(n) => writeln!(f, "{:1$}{n} places apart", "", MARGIN)?,
                None => writeln!(f, "{:1$}a record without a key has no neighbours", "", MARGIN)?,
            }
        }
        if let Some(all) = &self.all {
            writeln!(f, "\nall pairs \"{}\": {}{}", shown(&all.name), holds(true), marked(&all.name))?;
        }
        match witness {
            Some(name) => writeln!(f, "\nThe pair is a candidate; its witness is \"{}\".", shown(name))?,
            None if self.neighbourhoods.is_empty() => {
                writeln!(f, "\nThe pair is not a candidate: no rule holds.")?;
            }
            None => writeln!(f, "\nThe pair is not a candidate: no rule holds, and no window has both.")?,
        }
        self.score.as_ref().map_or(Ok(()), |score| write!(f, "{score}"))
    }
}

impl Why {
    fn conjunction(
        &self,
        f: &mut Formatter<'_>,
        rule: &Asked,
        ix: usize,
        conjunction: &Conjunction,
    ) -> fmt::Result {
        let n = rule.conjunctions.len();
        if n > 1 {
            let holds = holds(self.conjunction_holds(conjunction));
            let mirror = conjunction.mirrors.map(|other| format!(", which is {} mirrored", other + 1));
            writeln!(f, "  conjunction {} of {n}{}: {holds}", ix + 1, mirror.unwrap_or_default())?;
        }
        let indent = if n > 1 { 2 } else { 0 };
        for &ix in &conjunction.predicates {
            let finding = &self.findings[ix];
            let verdict = match finding.verdict {
                Verdict::Holds => "holds",
                Verdict::Fails | Verdict::Missing => "fails",
            };
            let predicate = finding.predicate.to_string();
            writeln!(f, "{:indent$}  {verdict}  {}", "", shown(&predicate))?;
            for line in finding.lines(WIDTH - MARGIN - indent) {
                writeln!(f, "{:1$}{line}", "", MARGIN + indent)?;
            }
        }
        Ok(())
    }
}

fn holds(holds: bool) -> &'static str {
    if holds { "holds" } else { "does not hold" }
}

impl Finding {
    /// What was found, in lines of at most `width` characters where that is possible.
    fn lines(&self, width: usize) -> Vec<String> {
        let values = self.shown_values();
        let (remark, mut rest) = self.remarks(width);
        let remark = remark.map(|remark| format!(": {remark}")).unwrap_or_default();
        let line = format!("{}{remark}", values.join(" and "));
        let mut lines = match values.as_slice() {
            [left, right] if line.chars().count() > width => {
                let right = format!("{right}{remark}");
                vec![format!("{left} and"), right]
            }
            _ => vec![line],
        };
        lines.append(&mut rest);
        lines
    }

    /// The values that the predicate looked at, one or two.
    fn shown_values(&self) -> Vec<String> {
        let domain = match &self.predicate.test {
            Test::Value { domain, .. } | Test::Compare { domain, .. } => *domain,
        };
        let from = match (&self.left, &self.right) {
            (Some(Some(left)), Some(Some(right))) => first_shown(left, right),
            _ => 0,
        };
        let shown = |value: &Option<String>| match value {
            None => "missing".to_owned(),
            Some(value) if domain == Domain::Number => value.clone(),
            Some(value) if domain == Domain::Point => format!("({value})"),
            Some(value) => quoted(value, from),
        };
        [&self.left, &self.right].into_iter().flatten().map(shown).collect()
    }

    /// What is said right after the values, and what on lines of its own.
    fn remarks(&self, width: usize) -> (Option<String>, Vec<String>) {
        let is_missing = [&self.left, &self.right].into_iter().any(|value| *value == Some(None));
        match &self.measured {
            _ if is_missing && self.verdict == Verdict::Missing => {
                (Some("a comparison with a missing value never holds".to_owned()), Vec::new())
            }
            None => (None, Vec::new()),
            Some(Measured::Count(counted, n)) => (Some(counted.so_many(*n)), Vec::new()),
            Some(Measured::Similarity(ratio)) => (Some(ratio.to_string()), Vec::new()),
            Some(Measured::Sets(common, ratio)) => {
                let ratio = ratio.as_ref().map(ToString::to_string);
                (ratio, vec![common.shown(width)])
            }
            Some(Measured::Difference { decimal, is_days }) => {
                let unit = match decimal.as_deref() {
                    _ if !is_days => "",
                    Some("1" | "-1") => " day",
                    _ => " days",
                };
                (decimal.as_ref().map(|decimal| format!("{decimal}{unit}")), Vec::new())
            }
            Some(Measured::Distance(kilometres)) => (Some(format!("{kilometres} km")), Vec::new()),
        }
    }
}

impl Common {
    /// The numbers, and the tokens themselves if they fit on the line.
    fn shown(&self, width: usize) -> String {
        let Self { tokens, n_left, n_right } = self;
        if *n_left == 0 || *n_right == 0 {
            return "a value without tokens counts as missing, and a comparison with it never holds"
                .to_owned();
        }
        let n = tokens.len();
        let noun = if n == 1 { "token" } else { "tokens" };
        let counted = format!("{n} {noun} in common, of {n_left} and {n_right}");
        let listed: Vec<String> = tokens.iter().map(|token| quoted(token, 0)).collect();
        let whole = format!("{counted}: {}", listed.join(", "));
        if n > 0 && whole.chars().count() <= width { whole } else { counted }
    }
}

/// An id, in quotes if it would be hard to tell where it ends.
struct Id<'a>(&'a str);

impl Display for Id<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_plain = |char: char| !char.is_whitespace() && !is_invisible(char) && char != '\'';
        if self.0.chars().all(is_plain) { f.write_str(self.0) } else { f.write_str(&quoted(self.0, 0)) }
    }
}

/// Where to start showing two values of which one is too long to be shown whole: not long before they differ.
fn first_shown(left: &str, right: &str) -> usize {
    let is_long = |value: &str| value.chars().nth(MOST_CHARS).is_some();
    if left == right || !(is_long(left) || is_long(right)) {
        return 0;
    }
    let alike = left.chars().zip(right.chars()).take_while(|(l, r)| l == r).count();
    if alike > MOST_CHARS / 2 { alike - LEAD } else { 0 }
}

/// A value as rules write text, of at most [`MOST_CHARS`] characters from the one at `from`; what a terminal would not
/// show, or would obey, is written out.
fn quoted(value: &str, from: usize) -> String {
    let mut shown = String::from(if from > 0 { "…'" } else { "'" });
    let mut chars = value.chars().skip(from);
    for char in chars.by_ref().take(MOST_CHARS) {
        match char {
            '\'' => shown.push_str("''"),
            hidden if is_invisible(hidden) => write_out(&mut shown, hidden),
            plain => shown.push(plain),
        }
    }
    let _ = write!(shown, "'{}", if chars.next().is_some() { "…" } else { "" });
    shown
}

/// Control characters, marks of direction, and spaces that look like others or have no width.
fn is_invisible(char: char) -> bool {
    let ranges = ['\u{200b}'..='\u{200f}', '\u{202a}'..='\u{202e}', '\u{2060}'..='\u{2069}'];
    char.is_control()
        || matches!(char, '\u{a0}' | '\u{ad}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{feff}')
        || ranges.iter().any(|range| range.contains(&char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_cut() {
        assert_eq!(quoted("it's", 0), "'it''s'");
        assert_eq!(quoted("a\n\u{1b}[1m\u{a0}b", 0), r"'a\n\x1b[1m\u{a0}b'");
        assert_eq!(quoted("naïve 漢", 0), "'naïve 漢'");
        let long = "é".repeat(61);
        assert_eq!(quoted(&long, 0), format!("'{}'…", "é".repeat(60)));
        assert_eq!(quoted(&long[2..], 0), format!("'{}'", "é".repeat(60)));
        assert_eq!(quoted("abcdef", 4), "…'ef'");
        assert_eq!(Id("12-a").to_string(), "12-a");
        assert_eq!(Id("a b").to_string(), "'a b'");
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let long = "x".repeat(200);
        assert_eq!(first_shown(&long, &long), 0);
        assert_eq!(first_shown(&format!("{long}a"), &format!("{long}b")), 180);
        assert_eq!(first_shown(&format!("a{long}"), &long), 0);
        assert_eq!(first_shown("short", "shore"), 0);
    }
}
