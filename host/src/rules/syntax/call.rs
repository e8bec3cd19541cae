//! Function calls: transforms, token sets and measures, by the names they have here and elsewhere.

use super::made::{From, Made};
use super::makers::MAKERS;
use super::quantity::{Function as Called, Operands, Quantity};
use super::term::{Subject, pair};
use super::{Complaint, Constant, ConstantValue, Parsed, Rule, Term, complaint};
use crate::rules::measure::{By, MEASURES, Row};
use crate::rules::suggest::nearest;
use crate::rules::transform::{self, Argument, Does, Parameter, ParameterKind, TRANSFORMS, Takes};
use crate::rules::{Tokenizer, Transform};
use sqlparser::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Spanned};
use std::ops::RangeInclusive;

/// The distance on the sphere.
const DISTANCE: &str = "distance_km";
const KILOMETRES: &str =
    "write distance_km(l.lat, l.lon, r.lat, r.lon): latitude and longitude of the one, then of the other";

/// Functions that are neither measures nor transforms.
const OTHERS: [&str; 7] = ["words", "alphanumeric", "shingles", "qgrams", "chars", "abs", DISTANCE];

/// The name that a function has here, where other databases call it otherwise.
fn usual(name: &str) -> String {
    let measure = Row::named(name).map(|(row, form)| row.name(form));
    let transform = || transform::Row::named(name).map(|row| row.name);
    let maker = || matches!(name, "ifnull" | "nvl").then_some("coalesce");
    measure.or_else(transform).or_else(maker).unwrap_or(name).to_owned()
}

/// The names of all functions.
fn functions() -> impl Iterator<Item = &'static str> {
    let measures = MEASURES.iter().flat_map(Row::functions).map(|(name, _)| name);
    measures.chain(OTHERS).chain(MAKERS).chain(TRANSFORMS.iter().map(|row| row.name))
}

impl Rule<'_> {
    pub(super) fn call(&self, function: &Function, expr: &Expr) -> Parsed<Subject> {
        let (name, args) = self.plain_call(function, expr)?;
        let wrong = |form: &str| {
            let message = format!("{name} takes {form}, and here {}", counted(args.len()));
            Err(complaint(self.tokens.span(expr), message))
        };
        if let Some(row) = transform::Row::named(&name) {
            return match (&row.does, args.as_slice()) {
                (Does::Plain(transform, _), [inner]) => {
                    self.transformed(row.name, inner, transform.clone(), expr)
                }
                (Does::Plain(..), _) => wrong("one column"),
                (Does::Takes(takes), [inner, given @ ..])
                    if (takes.needed..=takes.parameters.len()).contains(&given.len()) =>
                {
                    let given: Vec<_> = given.iter().copied().map(Some).collect();
                    self.with_arguments(&name, takes, inner, &given, expr)
                }
                (Does::Takes(takes), _) => wrong(takes.form),
            };
        }
        if let Some((row, form)) = Row::named(&name) {
            return match (row.by, args.as_slice()) {
                (By::Texts(by), [a, b]) => {
                    let (a, b) = (self.term(a, &name)?, self.term(b, &name)?);
                    let (left, right) = pair(a, b, self.tokens.span(expr))?;
                    let function = Called { row, of: Operands::Texts(by) };
                    Ok(Subject::Quantity(function.quantity(form), left, right))
                }
                (By::Texts(_), _) => wrong("two columns"),
                (By::Sets(by), [a, b]) => {
                    let (tokenizer, left, right) = self.sets(&name, a, b, expr)?;
                    let function = Called { row, of: Operands::Sets(tokenizer, by) };
                    Ok(Subject::Quantity(function.quantity(form), left, right))
                }
                (By::Sets(_), _) => wrong("two sets"),
            };
        }
        if MAKERS.contains(&name.as_str()) {
            return match args.is_empty() {
                true => wrong("columns and constants"),
                false => self.maker(&name, &args, expr),
            };
        }
        match (name.as_str(), args.as_slice()) {
            ("words", [inner]) => Ok(Subject::Set(self.term(inner, &name)?, Tokenizer::Words)),
            ("chars", [inner]) => Ok(Subject::Set(self.term(inner, &name)?, Tokenizer::Qgrams(1))),
            ("alphanumeric", [inner]) => Ok(Subject::Set(self.term(inner, &name)?, Tokenizer::Alphanumeric)),
            ("words" | "chars" | "alphanumeric", _) => wrong("one column"),
            ("shingles", [inner, n]) => {
                let n = self.whole_number(n, 1..=16, "the words of a shingle")?;
                Ok(Subject::Set(self.term(inner, &name)?, Tokenizer::Shingles(n)))
            }
            ("shingles", _) => wrong("a column and a number of words"),
            ("qgrams", [inner, q]) => {
                let q = self.whole_number(q, 1..=16, "the length of q-grams")?;
                Ok(Subject::Set(self.term(inner, &name)?, Tokenizer::Qgrams(q)))
            }
            ("qgrams", _) => wrong("a column and a length"),
            ("abs", [inner]) => self.distance(inner),
            ("abs", _) => wrong("one difference"),
            (DISTANCE, &[a, b, c, d]) => self.kilometres([a, b, c, d], expr),
            (DISTANCE, _) => {
                let wrong: Parsed<Subject> = wrong("a latitude and a longitude of each record");
                wrong.map_err(|complaint| complaint.help(KILOMETRES))
            }
            _ => Err(self.unknown_function(&name, function)),
        }
    }

    /// The name of a known function, and the arguments if there is nothing else to the call.
    fn plain_call<'e>(&self, function: &'e Function, expr: &Expr) -> Parsed<(String, Vec<&'e Expr>)> {
        let name = match function.name.0.as_slice() {
            [part] => part.as_ident().map_or_else(|| part.to_string(), |ident| ident.value.clone()),
            _ => function.name.to_string(),
        };
        let name = usual(&name.to_ascii_lowercase());
        if !functions().any(|known| known == name) {
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
        let place = self.tokens.word(function.name.span());
        complaint(place, format!("there is no function `{name}`")).help(match nearest(name, functions()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the functions are {}", functions().collect::<Vec<_>>().join(", ")),
        })
    }

    /// A column under a transform that takes arguments. What is not `given` is left out.
    fn with_arguments(
        &self,
        function: &str,
        takes: &Takes,
        inner: &Expr,
        given: &[Option<&Expr>],
        expr: &Expr,
    ) -> Parsed<Subject> {
        let argument = |(given, parameter): (&Option<&Expr>, &Parameter)| {
            given.map(|expr| match parameter.kind {
                ParameterKind::Count => {
                    self.whole_number(expr, 1..=u32::MAX, parameter.what).map(Argument::Count)
                }
                ParameterKind::Text => self.text(expr, parameter.what).map(Argument::Text),
            })
        };
        let arguments = given.iter().zip(takes.parameters).map(|pair| argument(pair).transpose());
        let transform = (takes.make)(&arguments.collect::<Parsed<Vec<_>>>()?).map_err(|unfit| {
            let place = given.get(unfit.place).copied().flatten().unwrap_or(expr);
            complaint(self.tokens.span(place), unfit.message).help(unfit.help)
        })?;
        let place = self.tokens.span(given.first().copied().flatten().unwrap_or(expr));
        let file = match &transform {
            Transform::Lookup(lookup) => Some((lookup.file.clone(), place)),
            _ => None,
        };
        let mut subject = self.transformed(function, inner, transform, expr)?;
        if let Subject::Term(term) = &mut subject {
            term.made.files.extend(file);
        }
        Ok(subject)
    }

    /// `substring(x from 1 for 3)`, of which either may be left out.
    pub(super) fn substring(
        &self,
        inner: &Expr,
        from: Option<&Expr>,
        len: Option<&Expr>,
        expr: &Expr,
    ) -> Parsed<Subject> {
        let Some(transform::Row { name, does: Does::Takes(takes), .. }) = transform::Row::named("substr")
        else {
            return Err(self.unsupported(expr));
        };
        if from.or(len).is_none() {
            let message = format!("{name} takes {}", takes.form);
            return Err(complaint(self.tokens.span(expr), message).help("write substr(l.a, 1, 3)"));
        }
        self.with_arguments(name, takes, inner, &[from, len], expr)
    }

    fn text(&self, expr: &Expr, what: &str) -> Parsed<String> {
        match self.subject(expr)? {
            Subject::Constant(Constant { value: ConstantValue::Text(text), .. }) => Ok(text),
            other => {
                let message = format!("{what} must be a text, and this is {}", other.what());
                Err(complaint(self.tokens.span(expr), message).help("write it in single quotes"))
            }
        }
    }

    fn whole_number(&self, expr: &Expr, range: RangeInclusive<u32>, what: &str) -> Parsed<u32> {
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

    fn sets(&self, name: &str, a: &Expr, b: &Expr, expr: &Expr) -> Parsed<(Tokenizer, Term, Term)> {
        let forms =
            || format!("write {name}(words(l.a), words(r.a)) or {name}(qgrams(l.a, 3), qgrams(r.a, 3))");
        let set = |expr: &Expr| match self.subject(expr)? {
            Subject::Set(term, tokenizer) => Ok((term, tokenizer)),
            // A list is the set of its elements. As elsewhere, a text is that of its characters: what it is, its column says.
            Subject::Term(term) => Ok((term, Tokenizer::Elements)),
            other => {
                let message = format!("{name} compares sets, and this is {}", other.what());
                Err(complaint(self.tokens.span(expr), message).help(forms()))
            }
        };
        let ((a, tokenizer), (b, other)) = (set(a)?, set(b)?);
        let (tokenizer, other) = match (tokenizer, other) {
            (Tokenizer::Elements, chars @ Tokenizer::Qgrams(1))
            | (chars @ Tokenizer::Qgrams(1), Tokenizer::Elements) => (chars, chars),
            two => two,
        };
        if tokenizer != other {
            let message = format!("{name} compares sets of the same kind of token");
            return Err(complaint(self.tokens.span(expr), message).help(forms()));
        }
        let (left, right) = pair(a, b, self.tokens.span(expr))?;
        Ok((tokenizer, left, right))
    }

    /// The distance of two places on the sphere, each a latitude and a longitude of one record.
    fn kilometres(&self, args: [&Expr; 4], expr: &Expr) -> Parsed<Subject> {
        let span = self.tokens.span(expr);
        let [a, b, c, d] = args.map(|arg| self.term(arg, DISTANCE));
        let point = |latitude: Term, longitude: Term| {
            if latitude.side != longitude.side {
                let message = "a latitude and a longitude side by side are of two records here";
                return Err(complaint(longitude.span, message).help(KILOMETRES));
            }
            let span = latitude.span.start..longitude.span.end;
            let from = From::Point(Box::new([latitude.made, longitude.made]));
            let made = Made { from, transforms: Vec::new(), files: Vec::new(), span: span.clone() };
            Ok(Term { side: latitude.side, made, span })
        };
        let (left, right) = pair(point(a?, b?)?, point(c?, d?)?, span)?;
        Ok(Subject::Quantity(Quantity::Kilometres, left, right))
    }

    /// What stands in `abs(…)`.
    fn distance(&self, inner: &Expr) -> Parsed<Subject> {
        match self.subject(inner)? {
            Subject::Quantity(Quantity::Difference { .. }, left, right) => {
                Ok(Subject::Quantity(Quantity::Distance, left, right))
            }
            _ => {
                let message = "abs takes the difference of two columns";
                Err(complaint(self.tokens.span(inner), message).help("write abs(l.x - r.x)"))
            }
        }
    }
}

fn counted(n: usize) -> String {
    match n {
        0 => "is nothing".to_owned(),
        1 => "is one argument".to_owned(),
        n => format!("are {n} arguments"),
    }
}
