//! Lines of two fields. A tab separates them; in a line without one a comma; in one without either, blanks.
//! Lines that begin with # or %, and empty ones, are no edges. Beside a tab or a comma, fields may be quoted as in CSV: so a
//! node's name may begin with # or %, or with a blank.

use crate::base::control::Control;
use crate::base::error::{Error, Result};
use crate::read::table::Source;
use std::borrow::Cow;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The fields of a line.
pub(super) struct Fields<'a> {
    /// Counted from 1.
    pub(super) line: u64,
    pub(super) source: Cow<'a, str>,
    pub(super) target: Cow<'a, str>,
}

/// All edges from `start` on, if every line has two integers and nothing else; with `header`, but for the first.
pub(super) fn integers(
    source: &Source,
    mut start: u64,
    header: bool,
    control: &Control,
) -> Result<Option<Vec<(i64, i64)>>> {
    if header {
        let (mut reader, mut line) = (BufReader::new(source.reader(start)), Vec::new());
        while line.is_empty() || is_comment(&line) {
            line.clear();
            let n = reader.read_until(b'\n', &mut line).map_err(Error::io(source.path()))?;
            if n == 0 {
                break;
            }
            start += n as u64;
        }
    }
    let parts = source.lines(start, control, Vec::new, |pairs, lines| part(lines, pairs))?;
    Ok(parts.map(|parts| parts.concat()))
}

fn part(mut bytes: &[u8], pairs: &mut Vec<(i64, i64)>) -> Option<()> {
    // A line has some ten bytes or more.
    pairs.reserve(bytes.len() / 8);
    while let Some(first) = bytes.first() {
        if matches!(first, b'#' | b'%' | b'\r' | b'\n') {
            bytes = split(bytes)?.1;
            continue;
        }
        let (source, rest) = integer(bytes)?;
        let after = blanks(rest);
        let after = match after.first()? {
            b'\t' | b',' => blanks(&after[1..]),
            _ if after.len() < rest.len() => after,
            _ => return None,
        };
        let (target, rest) = integer(after)?;
        pairs.push((source, target));
        let rest = blanks(rest);
        bytes = rest.strip_prefix(b"\r").unwrap_or(rest);
        match bytes.split_first() {
            Some((b'\n', after)) => bytes = after,
            Some(_) => return None,
            None => break,
        }
    }
    Some(())
}

/// An integer of at most 18 digits as one writes it ([`plain_integer`](crate::read::table::plain_integer)), and what
/// follows it.
fn integer(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let mut value = 0;
    let mut n = 0;
    while let Some(digit @ b'0'..=b'9') = digits.get(n).copied() {
        if n == 18 {
            return None;
        }
        value = 10 * value + i64::from(digit - b'0');
        n += 1;
    }
    let is_negative = digits.len() < bytes.len();
    let is_label = n == 0 || (digits[0] == b'0' && (n > 1 || is_negative));
    (!is_label).then_some((if is_negative { -value } else { value }, &digits[n..]))
}

fn blanks(bytes: &[u8]) -> &[u8] {
    let n = bytes.iter().take_while(|byte| **byte == b' ').count();
    &bytes[n..]
}

/// The first line, and what follows it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    if bytes.is_empty() {
        return None;
    }
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    Some((&bytes[..end], bytes.get(end + 1..).unwrap_or_default()))
}

fn is_comment(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || matches!(line.first(), Some(b'#' | b'%'))
}

/// The fields of all lines, whatever they hold; with `header`, but for the first.
pub(super) fn fields<'a>(path: &Path, bytes: &'a [u8], header: bool) -> Result<Vec<Fields<'a>>> {
    let mut all = Vec::new();
    let (mut rest, mut n_lines, mut skips) = (bytes, 0, header);
    while let Some((line, after)) = split(rest) {
        (rest, n_lines) = (after, n_lines + 1);
        if is_comment(line) || std::mem::take(&mut skips) {
            continue;
        }
        let wrong = |what: String| Error::table(path, format!("line {n_lines}: {what}"));
        let text = std::str::from_utf8(line)
            .map_err(|_| wrong("not valid UTF-8; convert the file to UTF-8".into()))?;
        let fields = of_line(text)
            .ok_or_else(|| wrong("a quote is opened and not closed at the end of its field".into()))?;
        let [source, target] = <[_; 2]>::try_from(fields).map_err(|fields: Vec<_>| {
            let (n, s) = (fields.len(), if fields.len() == 1 { "" } else { "s" });
            wrong(format!(
                "{n} field{s}, not a source and a target; they are separated by a tab, a comma or blanks"
            ))
        })?;
        if source.is_empty() || target.is_empty() {
            let which = if source.is_empty() { "source" } else { "target" };
            return Err(wrong(format!("the {which} is missing")));
        }
        all.push(Fields { line: n_lines, source, target });
    }
    Ok(all)
}

/// The fields of a line; none, if a quote is left open, or closed within a field.
fn of_line(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let trimmed = line.trim_matches([' ', '\r']);
    let Some(delimiter) = ['\t', ','].into_iter().find(|it| trimmed.contains(*it)) else {
        return Some(trimmed.split_whitespace().map(Cow::Borrowed).collect());
    };
    if !trimmed.contains('"') {
        return Some(trimmed.split(delimiter).map(|field| Cow::Borrowed(field.trim())).collect());
    }
    let mut fields = Vec::new();
    let mut rest = Some(trimmed);
    while let Some(text) = rest {
        let (field, after) = field(text, delimiter)?;
        fields.push(field);
        rest = after;
    }
    Some(fields)
}

/// The first field of a line, quoted as in CSV or not, and what follows its delimiter, if there is one; none, if a quote is
/// left open.
fn field(text: &str, delimiter: char) -> Option<(Cow<'_, str>, Option<&str>)> {
    let start = text.trim_start_matches(' ');
    let Some(quoted) = start.strip_prefix('"') else {
        let (field, after) =
            text.split_once(delimiter).map_or((text, None), |(field, rest)| (field, Some(rest)));
        return Some((Cow::Borrowed(field.trim()), after));
    };
    let mut ends = quoted.match_indices('"').map(|(at, _)| at);
    let mut end = ends.next()?;
    // Two quotes are one that does not end the field.
    while quoted[end + 1..].starts_with('"') {
        (_, end) = (ends.next()?, ends.next()?);
    }
    let (inside, after) = (&quoted[..end], quoted[end + 1..].trim_start_matches(' '));
    let name =
        if inside.contains('"') { Cow::Owned(inside.replace("\"\"", "\"")) } else { Cow::Borrowed(inside) };
    match after.strip_prefix(delimiter) {
        Some(rest) => Some((name, Some(rest))),
        None if after.is_empty() => Some((name, None)),
        None => None,
    }
}
