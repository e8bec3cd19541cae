//! What stands on one side of an operator: a column under its transforms, a constant, a measure of two columns.

use super::{Complaint, Constant, ConstantValue, Parsed, Rule, Term, complaint};
use crate::decimal::Decimal;
use crate::rules::suggest::nearest;
use crate::rules::{Side, Tokenizer, Transform};
use sqlparser::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Spanned,
    UnaryOperator, Value,
};
use std::ops::Range;

/// One side of an operator.
pub(super) enum Subject {
    Term(Term),
    Constant(Constant),
    /// A value's tokens.
    Set(Term, Tokenizer),
    Score(Score, Term, Term),
    /// `abs(l.x - r.x)`
    Difference(Term, Term),
}

/// A measure that has not been compared with a number yet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Score {
    Levenshtein,
    LevenshteinSimilarity,
    JaroWinklerSimilarity,
    Jaccard(Tokenizer),
}

impl Subject {
    /// For people.
    pub(super) fn what(&self) -> &'static str {
        match self {
            Self::Term(_) => "a column",
            Self::Constant(Constant { value: ConstantValue::Text(_), .. }) => "a text",
            Self::Constant(_) => "a number",
            Self::Set(..) => "a set of tokens",
            Self::Score(..) | Self::Difference(..) => "a measure",
        }
    }

    /// What to write where it stands alone.
    pub(super) fn how_to_compare(&self) -> &'static str {
        match self {
            Self::Term(_) | Self::Constant(_) => "compare it: l.a = r.a, or l.a = 'x'",
            Self::Set(..) => "compare sets by jaccard(words(l.a), words(r.a)) >= 0.8",
            Self::Score(Score::Levenshtein, ..) => "compare it with a number of edits: <= 2",
            Self::Score(..) => "compare it with a number between 0 and 1: >= 0.8",
            Self::Difference(..) => "compare it with a number: <= 2",
        }
    }
}

const FUNCTIONS: [&str; 12] = [
    "levenshtein",
    "levenshtein_similarity",
    "jaro_winkler_similarity",
    "jaccard",
    "words",
    "qgrams",
    "abs",
    "lower",
    "trim",
    "substr",
    "substring",
    "soundex",
];

const SIDES: &str = "write l. for a column of the left record, r. for one of the right record";
const SETS: &str = "write jaccard(words(l.a), words(r.a)) or jaccard(qgrams(l.a, 3), qgrams(r.a, 3))";

impl Rule<'_> {
    pub(super) fn subject(&self, expr: &Expr) -> Parsed<Subject> {
        match expr {
            Expr::Nested(inner) => self.subject(inner),
            Expr::CompoundIdentifier(parts) => self.column(parts, expr).map(Subject::Term),
            Expr::Identifier(name) => Err(self.unqualified(name)),
            Expr::Value(value) => self.constant(&value.value, expr).map(Subject::Constant),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr: inner } => match inner.as_ref() {
                Expr::Value(value) if matches!(value.value, Value::Number(..)) => {
                    self.constant(&value.value, expr).map(Subject::Constant)
                }
                _ => Err(self.unsupported(expr)),
            },
            Expr::Trim { expr: inner, trim_where: None, trim_what: None, trim_characters: None } => {
                self.transformed("trim", inner, Transform::Trim, expr)
            }
            Expr::Trim { .. } => {
                Err(complaint(self.tokens.span(expr), "trim takes one column").help("write trim(l.a)"))
            }
            Expr::Substring { expr: inner, substring_from, substring_for, .. } => {
                self.substring(inner, substring_from.as_deref(), substring_for.as_deref(), expr)
            }
            Expr::Function(function) => self.call(function, expr),
            other => Err(self.unsupported(other)),
        }
    }

    fn column(&self, parts: &[Ident], expr: &Expr) -> Parsed<Term> {
        let span = self.tokens.span(expr);
        let [table, name] = parts else {
            let message = "a column is written with its side and its name";
            return Err(complaint(span, message).help("if the name has a dot in it, quote it: l.\"a.b\""));
        };
        let side = match table.value.to_ascii_lowercase().as_str() {
            "l" | "t" => Side::Left,
            "r" | "s" => Side::Right,
            _ => {
                let message = format!("`{}` is neither l nor r", table.value);
                return Err(complaint(self.tokens.word(table.span), message).help(SIDES));
            }
        };
        Ok(Term { side, name: name.value.clone(), transforms: Vec::new(), span })
    }

    fn unqualified(&self, name: &Ident) -> Complaint {
        let span = self.tokens.word(name.span);
        let quoted = matches!(name.quote_style, Some('"'));
        let complaint = complaint(span, format!("`{}` could be a column of l or of r", name.value));
        let (name, text) = (name.to_string(), name.value.replace('\'', "''"));
        complaint.help(match quoted {
            true => format!("write l.{name} or r.{name}; a text stands in single quotes: '{text}'"),
            false => format!("write l.{name} or r.{name}"),
        })
    }

    /// A constant; `expr` may put a minus before it.
    fn constant(&self, value: &Value, expr: &Expr) -> Parsed<Constant> {
        let span = self.tokens.span(expr);
        let value = match value {
            Value::SingleQuotedString(text) => ConstantValue::Text(text.clone()),
            Value::Number(digits, false) => {
                let minus = matches!(expr, Expr::UnaryOp { .. });
                ConstantValue::Number(number(digits, minus).ok_or_else(|| {
                    complaint(span.clone(), format!("cannot read `{digits}` as a number"))
                        .help("a number has at most 36 digits")
                })?)
            }
            Value::Null => {
                let message = "a comparison with NULL is never true";
                return Err(complaint(span, message).help("missing is not equal: leave it out"));
            }
            _ => {
                return Err(
                    complaint(span, "this constant is not supported here").help("write 'text' or a number")
                );
            }
        };
        Ok(Constant { value, span })
    }

    fn call(&self, function: &Function, expr: &Expr) -> Parsed<Subject> {
        let (name, args) = self.plain_call(function, expr)?;
        let wrong = |form: &str| {
            let message = format!("{name} takes {form}, and here {}", counted(args.len()));
            Err(complaint(self.tokens.span(expr), message))
        };
        match (name.as_str(), args.as_slice()) {
            ("lower", [inner]) => self.transformed(&name, inner, Transform::Lower, expr),
            ("trim", [inner]) => self.transformed(&name, inner, Transform::Trim, expr),
            ("soundex", [inner]) => self.transformed(&name, inner, Transform::Soundex, expr),
            ("lower" | "trim" | "soundex", _) => wrong("one column"),
            ("substr" | "substring", [inner, from]) => self.substring(inner, Some(from), None, expr),
            ("substr" | "substring", [inner, from, len]) => {
                self.substring(inner, Some(from), Some(len), expr)
            }
            ("substr" | "substring", _) => wrong("a column, a start and perhaps a length"),
            ("words", [inner]) => Ok(Subject::Set(self.term(inner, "words")?, Tokenizer::Words)),
            ("words", _) => wrong("one column"),
            ("qgrams", [inner, q]) => {
                let q = self.whole_number(q, 1..=16, "the length of q-grams")?;
                Ok(Subject::Set(self.term(inner, "qgrams")?, Tokenizer::Qgrams(q)))
            }
            ("qgrams", _) => wrong("a column and a length"),
            ("levenshtein", [a, b]) => self.score(Score::Levenshtein, &name, a, b, expr),
            ("levenshtein_similarity", [a, b]) => self.score(Score::LevenshteinSimilarity, &name, a, b, expr),
            ("jaro_winkler_similarity", [a, b]) => {
                self.score(Score::JaroWinklerSimilarity, &name, a, b, expr)
            }
            ("levenshtein" | "levenshtein_similarity" | "jaro_winkler_similarity", _) => wrong("two columns"),
            ("jaccard", [a, b]) => self.jaccard(a, b, expr),
            ("jaccard", _) => wrong("two sets"),
            ("abs", [inner]) => self.difference(inner, expr),
            ("abs", _) => wrong("one difference"),
            _ => Err(self.unknown_function(&name, function)),
        }
    }

    /// The name of a known function, and the arguments if there is nothing else to the call.
    fn plain_call<'e>(&self, function: &'e Function, expr: &Expr) -> Parsed<(String, Vec<&'e Expr>)> {
        let name = match function.name.0.as_slice() {
            [part] => part.as_ident().map_or_else(|| part.to_string(), |ident| ident.value.clone()),
            _ => function.name.to_string(),
        };
        let name = name.to_ascii_lowercase();
        if !FUNCTIONS.contains(&name.as_str()) {
            return Err(self.unknown_function(&name, function));
        }
        let odd = || {
            complaint(self.tokens.span(expr), "this form of a call is not supported here")
                .help("write the arguments alone, as in lower(l.a)")
        };
        let (FunctionArguments::List(list), FunctionArguments::None) = (&function.args, &function.parameters)
        else {
            return Err(odd());
        };
        if function.filter.is_some()
            || function.null_treatment.is_some()
            || function.over.is_some()
            || !function.within_group.is_empty()
            || function.uses_odbc_syntax
            || list.duplicate_treatment.is_some()
            || !list.clauses.is_empty()
        {
            return Err(odd());
        }
        let plain = |arg: &'e FunctionArg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Ok(expr),
            _ => Err(odd()),
        };
        Ok((name, list.args.iter().map(plain).collect::<Parsed<_>>()?))
    }

    fn unknown_function(&self, name: &str, function: &Function) -> Complaint {
        let complaint =
            complaint(self.tokens.word(function.name.span()), format!("there is no function `{name}`"));
        complaint.help(match nearest(name, FUNCTIONS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the functions are {}", FUNCTIONS.join(", ")),
        })
    }

    /// A column, perhaps transformed: what all functions take.
    fn term(&self, expr: &Expr, function: &str) -> Parsed<Term> {
        match self.subject(expr)? {
            Subject::Term(term) => Ok(term),
            other => {
                let message = format!("{function} takes a column, not {}", other.what());
                Err(complaint(self.tokens.span(expr), message)
                    .help("write a column of l or of r, perhaps in lower, trim, substr or soundex"))
            }
        }
    }

    fn transformed(
        &self,
        function: &str,
        inner: &Expr,
        transform: Transform,
        expr: &Expr,
    ) -> Parsed<Subject> {
        let mut term = self.term(inner, function)?;
        term.transforms.push(transform);
        Ok(Subject::Term(Term { span: self.tokens.span(expr), ..term }))
    }

    fn substring(
        &self,
        inner: &Expr,
        from: Option<&Expr>,
        len: Option<&Expr>,
        expr: &Expr,
    ) -> Parsed<Subject> {
        if from.or(len).is_none() {
            return Err(complaint(
                self.tokens.span(expr),
                "substr takes a column, a start and perhaps a length",
            )
            .help("write substr(l.a, 1, 3)"));
        }
        let all = 1..=u32::MAX;
        let from = from.map_or(Ok(1), |from| self.whole_number(from, all.clone(), "the start of substr"))?;
        let len = len.map(|len| self.whole_number(len, all, "the length of substr")).transpose()?;
        self.transformed("substr", inner, Transform::Substr { from, len }, expr)
    }

    fn whole_number(&self, expr: &Expr, range: std::ops::RangeInclusive<u32>, what: &str) -> Parsed<u32> {
        let number = match self.subject(expr)? {
            Subject::Constant(Constant { value: ConstantValue::Number(number), .. })
                if number.is_integer() =>
            {
                u32::try_from(number.floor()).ok().filter(|number| range.contains(number))
            }
            _ => None,
        };
        number.ok_or_else(|| {
            let least = range.start();
            let most = if *range.end() == u32::MAX { "up".to_owned() } else { format!("to {}", range.end()) };
            let message = format!("{what} must be a whole number from {least} {most}");
            complaint(self.tokens.span(expr), message)
        })
    }

    fn score(&self, score: Score, name: &str, a: &Expr, b: &Expr, expr: &Expr) -> Parsed<Subject> {
        let (left, right) = pair(self.term(a, name)?, self.term(b, name)?, self.tokens.span(expr))?;
        Ok(Subject::Score(score, left, right))
    }

    fn jaccard(&self, a: &Expr, b: &Expr, expr: &Expr) -> Parsed<Subject> {
        let set = |expr: &Expr| match self.subject(expr)? {
            Subject::Set(term, tokenizer) => Ok((term, tokenizer)),
            other => {
                let message = format!("jaccard compares sets, and this is {}", other.what());
                Err(complaint(self.tokens.span(expr), message).help(SETS))
            }
        };
        let ((a, tokenizer), (b, other)) = (set(a)?, set(b)?);
        if tokenizer != other {
            let message = "jaccard compares sets of the same kind of token";
            return Err(complaint(self.tokens.span(expr), message).help(SETS));
        }
        let (left, right) = pair(a, b, self.tokens.span(expr))?;
        Ok(Subject::Score(Score::Jaccard(tokenizer), left, right))
    }

    fn difference(&self, inner: &Expr, expr: &Expr) -> Parsed<Subject> {
        let mut difference = inner;
        while let Expr::Nested(inner) = difference {
            difference = inner;
        }
        let Expr::BinaryOp { left, op: BinaryOperator::Minus, right } = difference else {
            let message = "abs takes the difference of two columns";
            return Err(complaint(self.tokens.span(inner), message).help("write abs(l.x - r.x)"));
        };
        let number = |expr: &Expr| {
            let term = self.term(expr, "a difference")?;
            if term.transforms.is_empty() {
                return Ok(term);
            }
            let message = "a transform gives text, and abs needs numbers or dates";
            Err(complaint(term.span, message).help("write abs(l.x - r.x), with columns alone"))
        };
        let (left, right) = pair(number(left)?, number(right)?, self.tokens.span(expr))?;
        Ok(Subject::Difference(left, right))
    }
}

/// The two, left one first.
pub(super) fn pair(a: Term, b: Term, span: Range<usize>) -> Parsed<(Term, Term)> {
    match (a.side, b.side) {
        (Side::Left, Side::Right) => Ok((a, b)),
        (Side::Right, Side::Left) => Ok((b, a)),
        _ => Err(complaint(span, "both columns are of the same record")
            .help("a rule compares l with r: one column must be of l, the other of r")),
    }
}

/// A number as SQL writes it, which is more than [`Decimal::parse`] takes: `.5`, `5.`, `007`.
fn number(digits: &str, minus: bool) -> Option<Decimal> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, format!("e{exponent}")),
        None => (digits, String::new()),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    let plain = format!("{whole}{fraction}{exponent}");
    // There is no negative zero.
    Decimal::parse(&format!("{}{plain}", if minus { "-" } else { "" })).or_else(|| {
        let zero = Decimal::new(0, 0);
        Decimal::parse(&plain).filter(|number| Some(*number) == zero)
    })
}

fn counted(n: usize) -> String {
    match n {
        0 => "is nothing".to_owned(),
        1 => "is one argument".to_owned(),
        n => format!("are {n} arguments"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_as_sql_writes_them() {
        for (digits, minus, shown) in [
            ("0.8", false, "0.8"),
            (".8", false, "0.8"),
            ("5.", false, "5"),
            ("007", false, "7"),
            ("1.50", true, "-1.5"),
            ("0", true, "0"),
            ("0.00", true, "0"),
            ("1e3", false, "1000"),
            ("1E-2", true, "-0.01"),
        ] {
            assert_eq!(
                number(digits, minus).map(|number| number.to_string()).as_deref(),
                Some(shown),
                "{digits}"
            );
        }
        assert_eq!(number("1e99", false), None);
    }
}
