//! Operands are built: the columns of a value are found, and what kind of value is made of them.

use crate::read::table::{ColumnSchema, Kind, Schema, days};
use crate::rules::lookups::Lookups;
use crate::rules::suggest::nearest;
use crate::rules::syntax::{Complaint, Constant, ConstantValue, From, Made, Parsed, complaint};
use crate::rules::{Column, Domain, Operand, Part, Source};
use std::ops::Range;

/// The operand that a value is over a table, and what kind of value.
pub(super) fn operand(made: &Made, schema: &Schema, lookups: &Lookups) -> Parsed<(Operand, Domain)> {
    let mut building = Building { schema, lookups, columns: Vec::new() };
    let (Part { source, transforms }, domain) = building.part(made)?;
    Ok((Operand { columns: building.columns.into(), source, transforms }, domain))
}

/// An operand that is being built of columns of one table.
struct Building<'a> {
    schema: &'a Schema,
    lookups: &'a Lookups,
    /// Those that were met so far.
    columns: Vec<Column>,
}

impl Building<'_> {
    /// A value, and what kind it is of.
    fn part(&mut self, made: &Made) -> Parsed<(Part, Domain)> {
        let (source, domain) = self.source(made)?;
        let transforms = self.lookups.with(&made.transforms, &made.span)?;
        let part = Part { source, transforms };
        let domain = match part.transforms.last() {
            _ if part.is_list() => Domain::Text,
            None => domain,
            Some(last) if last.gives_numbers() => Domain::Number,
            Some(_) => Domain::Text,
        };
        Ok((part, domain))
    }

    fn source(&mut self, made: &Made) -> Parsed<(Source, Domain)> {
        match &made.from {
            From::Column(name) => {
                let found = self.schema.find(name);
                let found = found.and_then(|place| Some((place, self.schema.columns.get(place)?)));
                let (place, column) = found.ok_or_else(|| unknown_column(&made.span, name, self.schema))?;
                let domain = match column.kind {
                    Kind::Text | Kind::List => Domain::Text,
                    Kind::Integer | Kind::Float => Domain::Number,
                    Kind::Date => Domain::Date,
                };
                let nth = self.columns.iter().position(|known| known.place == place).unwrap_or_else(|| {
                    self.columns.push(Column { place, name: column.name.clone() });
                    self.columns.len() - 1
                });
                let source = if column.kind == Kind::List { Source::List } else { Source::Column };
                Ok((source(nth), domain))
            }
            From::Constant(Constant { value: ConstantValue::Text(text), .. }) => {
                Ok((Source::Constant(text.clone(), Domain::Text), Domain::Text))
            }
            From::Constant(Constant { value: ConstantValue::Number(number), .. }) => {
                Ok((Source::Constant(number.to_string(), Domain::Number), Domain::Number))
            }
            From::Joined { parts, skips_missing } => {
                let made = parts;
                let (parts, _) = self.parts(parts, Some(Domain::Text))?;
                if let Some((_, list)) = parts.iter().zip(made).find(|(part, _)| part.is_list()) {
                    let complaint = complaint(list.span.clone(), "a list is no text that can be joined");
                    return Err(complaint.help("join the texts, and split what comes of it"));
                }
                Ok((Source::Joined { parts, skips_missing: *skips_missing }, Domain::Text))
            }
            From::Coalesce(parts) => {
                let (parts, domain) = self.parts(parts, None)?;
                Ok((Source::Coalesce(parts), domain))
            }
            From::NullIf(two) => {
                let (parts, domain) = self.parts(&two[..], None)?;
                let own = self.part(&two[0])?.1;
                let parts = <[Part; 2]>::try_from(parts).map(Box::new);
                let lost = |_| complaint(made.span.clone(), "nullif takes two values");
                Ok((Source::NullIf { parts: parts.map_err(lost)?, domain }, own))
            }
            From::Point(two) => {
                let [latitude, longitude] = &**two;
                let parts = Box::new([self.degrees(latitude)?, self.degrees(longitude)?]);
                Ok((Source::Point(parts), Domain::Point))
            }
        }
    }

    /// A number of degrees: a column of numbers, or text that is made of columns, which is missing where it is no number.
    fn degrees(&mut self, made: &Made) -> Parsed<Part> {
        let (part, domain) = self.part(made)?;
        let column = match (&made.from, &part.source) {
            (From::Column(_), Source::Column(nth)) if made.transforms.is_empty() => {
                self.schema.columns.get(self.columns[*nth].place)
            }
            _ => None,
        };
        let what = match (domain, column) {
            (Domain::Date, _) => "dates",
            (Domain::Text, Some(_)) => "text",
            _ => return Ok(part),
        };
        let holds = match column {
            Some(ColumnSchema { name, why_text: Some(why), .. }) => format!("`{name}` holds {what} ({why})"),
            Some(ColumnSchema { name, .. }) => format!("`{name}` holds {what}"),
            None => format!("this gives {what}"),
        };
        let message = format!("distance_km needs degrees, as numbers, and {holds}");
        Err(complaint(made.span.clone(), message).help(match column.filter(|_| domain == Domain::Text) {
            Some(ColumnSchema { name, .. }) => {
                format!("mend the table, or write trim({name}), which is missing where it is no number")
            }
            None => "write the columns of latitudes and longitudes".to_owned(),
        }))
    }

    /// Values, and the kind that they have in common: text, if they have none. Constants are of the kind that the others are
    /// of, if they can be.
    fn parts(&mut self, list: &[Made], wanted: Option<Domain>) -> Parsed<(Vec<Part>, Domain)> {
        let bound = list.iter().map(|made| self.part(made)).collect::<Parsed<Vec<_>>>()?;
        let mut kinds = bound.iter().filter(|(part, _)| !part.is_constant()).map(|(_, domain)| *domain);
        let first = kinds.next().unwrap_or(Domain::Text);
        let mut domain = wanted.unwrap_or(if kinds.all(|kind| kind == first) { first } else { Domain::Text });
        let is_of = |(part, _): &(Part, Domain), domain: Domain| match (&part.source, domain) {
            (Source::Constant(text, Domain::Text), Domain::Date) => days(text).is_some(),
            (Source::Constant(_, of), domain) => *of == domain,
            _ => true,
        };
        // A text among numbers or dates makes texts of all of them.
        let has_text = |(part, domain): &(Part, Domain)| part.is_constant() && *domain == Domain::Text;
        if bound.iter().any(|part| !is_of(part, domain) && has_text(part)) {
            domain = Domain::Text;
        }
        if let Some(((part, _), made)) = bound.iter().zip(list).find(|(part, _)| !is_of(part, domain)) {
            let what = if domain == Domain::Date { "dates" } else { "texts" };
            let complaint = complaint(made.span.clone(), format!("this is a number, among {what}"));
            return Err(complaint.help(match (domain, &part.source) {
                (Domain::Text, Source::Constant(number, _)) => format!("quote it: '{number}'"),
                _ => "write a date: '2020-12-31'".to_owned(),
            }));
        }
        if wanted.is_none()
            && let Some(first) = bound.first()
            && let Some((_, made)) =
                bound.iter().zip(list).find(|((part, _), _)| part.is_list() != first.0.is_list())
        {
            let complaint = complaint(made.span.clone(), "here are a list and a text");
            return Err(complaint.help("make a list of the text: split(l.phone, ';')"));
        }
        let parts = bound.into_iter().map(|(part, _)| match part {
            Part { source: Source::Constant(text, _), transforms } => {
                Part { source: Source::Constant(text, domain), transforms }
            }
            part => part,
        });
        Ok((parts.collect(), domain))
    }
}

fn unknown_column(span: &Range<usize>, name: &str, schema: &Schema) -> Complaint {
    /// A table may have hundreds.
    const SHOWN: usize = 20;
    let names = || schema.columns.iter().map(|column| column.name.as_str());
    let near = nearest(name, names()).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    let mut list = names().take(SHOWN).collect::<Vec<_>>().join(", ");
    if let Some(more) = names().count().checked_sub(SHOWN).filter(|&more| more > 0) {
        list.push_str(&format!(" and {more} more"));
    }
    let complaint = complaint(span.clone(), format!("{} has no column `{}`", schema.table, name));
    if let Some(hint) = schema.hint() {
        return complaint.help(hint);
    }
    complaint.help(if list.is_empty() {
        "it has no columns at all".to_owned()
    } else {
        format!("{near}its columns are {list}")
    })
}
