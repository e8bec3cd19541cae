//! Which characters of the rule file an expression stands for.
//!
//! sqlparser knows lines and columns within the `when`, and its spans leave things out: closing parentheses, the name
//! of `trim`, a minus sign. The tokens are all there, though, so spans are mended by looking at the neighbours.

use super::{Complaint, Parsed, complaint, syntax_error};
use crate::rules::literal::Literal;
use sqlparser::ast::{CastKind, Expr, FunctionArguments, Spanned, UnaryOperator};
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan, Tokenizer};
use std::ops::Range;

/// The tokens of a `when`, without white space and comments.
pub(super) struct Tokens<'a> {
    when: &'a Literal,
    /// Where every character stands in the text, line by line.
    lines: Vec<Vec<usize>>,
    tokens: Vec<Piece>,
}

struct Piece {
    /// In the text of the `when`.
    text: Range<usize>,
    kind: Kind,
}

/// As much of a token as tells where expressions end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open,
    Close,
    /// AND, OR, a comma, or an operator that compares.
    Between,
    Other,
}

impl<'a> Tokens<'a> {
    /// A chain of so many tokens makes a tree of half that depth, which is still safe to drop and walk recursively.
    const MOST: usize = 8192;

    /// Cuts the `when` into tokens: ours, and those that sqlparser goes on with.
    pub(super) fn read(when: &'a Literal, dialect: &GenericDialect) -> Parsed<(Self, Vec<TokenWithSpan>)> {
        let text = when.text();
        let mut lines = vec![Vec::new()];
        for (at, char) in text.char_indices() {
            lines.last_mut().into_iter().for_each(|line| line.push(at));
            if char == '\n' {
                lines.push(Vec::new());
            }
        }
        let mut tokens = Self { when, lines, tokens: Vec::new() };
        let located = Tokenizer::new(dialect, text)
            .tokenize_with_location()
            .map_err(|error| syntax_error(&tokens, &error.into()))?;
        for TokenWithSpan { token, span } in &located {
            let kind = match token {
                Token::Whitespace(_) => continue,
                Token::LParen => Kind::Open,
                Token::RParen => Kind::Close,
                Token::Comma => Kind::Between,
                Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => Kind::Between,
                Token::Word(word) if matches!(word.keyword, Keyword::AND | Keyword::OR) => Kind::Between,
                _ => Kind::Other,
            };
            let text = tokens.offset(span.start)..tokens.offset(span.end);
            tokens.tokens.push(Piece { text, kind });
        }
        match tokens.tokens.get(Self::MOST) {
            None => Ok((tokens, located)),
            Some(_) => Err(tokens.too_long()),
        }
    }

    fn too_long(&self) -> Complaint {
        let message = format!("the rule is longer than {} words and signs", Self::MOST);
        complaint(self.when.whole(), message).help("split it into several rules at its ORs")
    }

    /// Whether there is nothing but white space and comments.
    pub(super) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// All of the `when`, in the file.
    pub(super) fn all(&self) -> Range<usize> {
        self.when.whole()
    }

    /// Where the `when` ends, in the file.
    pub(super) fn end(&self) -> Range<usize> {
        let end = self.when.text().len();
        self.when.place(end..end)
    }

    /// The token that stands at a place of sqlparser's, or the rest from there if none was read, in the file.
    /// `None` at the end.
    pub(super) fn token_at(&self, place: Location) -> Option<Range<usize>> {
        let (at, end) = (self.offset(place), self.when.text().len());
        let token = self.tokens.iter().find(|token| token.text.contains(&at));
        let text = token.map_or(at..end, |token| token.text.clone());
        (place.line > 0 && at < end).then(|| self.when.place(text))
    }

    /// An expression, in the file.
    pub(super) fn span(&self, expr: &Expr) -> Range<usize> {
        let pieces = self.pieces(expr);
        match self.tokens.get(pieces.clone()) {
            Some([first, .., last]) => self.when.place(first.text.start..last.text.end),
            Some([only]) => self.when.place(only.text.clone()),
            _ => self.when.whole(),
        }
    }

    /// An identifier or another single token, in the file.
    pub(super) fn word(&self, span: Span) -> Range<usize> {
        self.when.place(self.offset(span.start)..self.offset(span.end))
    }

    /// The tokens of an expression.
    fn pieces(&self, expr: &Expr) -> Range<usize> {
        match expr {
            Expr::Nested(inner) => {
                let inner = self.pieces(inner);
                inner.start.saturating_sub(1)..inner.end + 1
            }
            Expr::UnaryOp { op: UnaryOperator::Not | UnaryOperator::Minus | UnaryOperator::Plus, expr } => {
                let inner = self.pieces(expr);
                inner.start.saturating_sub(1)..inner.end
            }
            Expr::BinaryOp { left, right, .. } => self.pieces(left).start..self.pieces(right).end,
            Expr::Function(function) if !matches!(function.args, FunctionArguments::None) => {
                let start = self.known(function.name.span()).start;
                let open = (start..self.tokens.len()).find(|&ix| self.tokens[ix].kind == Kind::Open);
                start..open.map_or(start + 1, |open| self.closing(open) + 1)
            }
            // Their names are not in sqlparser's spans: they stand before the parenthesis that encloses them.
            Expr::Trim { .. }
            | Expr::Substring { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. }
            | Expr::Position { .. }
            | Expr::Extract { .. }
            | Expr::Overlay { .. }
            | Expr::Convert { .. }
            | Expr::Cast { kind: CastKind::Cast | CastKind::TryCast | CastKind::SafeCast, .. }
            | Expr::Exists { .. } => {
                let open = self.opening(self.known(expr.span()).start);
                open.saturating_sub(1)..self.closing(open) + 1
            }
            Expr::Tuple(_) | Expr::Subquery(_) => {
                let open = self.opening(self.known(expr.span()).start);
                open..self.closing(open) + 1
            }
            // The type stands before the text.
            Expr::TypedString(_) => {
                let known = self.known(expr.span());
                known.start.saturating_sub(1)..known.end
            }
            Expr::Value(_) | Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Case { .. } => {
                self.known(expr.span())
            }
            Expr::IsNull(inner)
            | Expr::IsNotNull(inner)
            | Expr::InList { expr: inner, .. }
            | Expr::Between { expr: inner, .. }
            | Expr::Like { expr: inner, .. }
            | Expr::ILike { expr: inner, .. } => {
                self.up_to_the_next(self.pieces(inner).start, self.known(expr.span()).end)
            }
            other => {
                let known = self.known(other.span());
                self.up_to_the_next(known.start, known.end)
            }
        }
    }

    /// The tokens of a span of sqlparser's; all of them if it does not know.
    fn known(&self, span: Span) -> Range<usize> {
        if span.start.line == 0 {
            return 0..self.tokens.len();
        }
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        let from = self.tokens.partition_point(|token| token.text.start < start);
        let to = self.tokens.partition_point(|token| token.text.start < end);
        from..to.max(from)
    }

    /// From a token to where its comparison ends, but not before `least`.
    fn up_to_the_next(&self, start: usize, least: usize) -> Range<usize> {
        let mut end = start;
        while let Some(token) = self.tokens.get(end) {
            match token.kind {
                Kind::Open => end = self.closing(end),
                Kind::Close | Kind::Between if end >= least => break,
                _ => {}
            }
            end += 1;
        }
        start..end
    }

    /// The parenthesis that closes the one at `open`; the last token if there is none.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0;
        for (ix, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                _ => {}
            }
            if depth <= 0 && ix > open {
                return ix;
            }
        }
        self.tokens.len().saturating_sub(1)
    }

    /// The parenthesis that is open before the token at `ix`; the first token if there is none.
    fn opening(&self, ix: usize) -> usize {
        let mut depth = 0;
        for (ix, token) in self.tokens.iter().enumerate().take(ix).rev() {
            match token.kind {
                Kind::Close => depth += 1,
                Kind::Open if depth == 0 => return ix,
                Kind::Open => depth -= 1,
                _ => {}
            }
        }
        0
    }

    /// The byte of the text at a line and a column, which count from 1.
    fn offset(&self, place: Location) -> usize {
        let line = usize::try_from(place.line).unwrap_or(usize::MAX).saturating_sub(1);
        let column = usize::try_from(place.column).unwrap_or(usize::MAX).saturating_sub(1);
        self.lines.get(line).and_then(|line| line.get(column)).copied().unwrap_or_else(|| {
            // Past the end of a line is the start of the next.
            self.lines.get(line + 1).and_then(|line| line.first()).copied().unwrap_or(self.when.text().len())
        })
    }
}

/// Splits ` at Line: 1, Column: 7` off a message.
pub(super) fn split_place(message: &str) -> (&str, Option<Location>) {
    let place = || {
        let (before, place) = message.rsplit_once(" at Line: ")?;
        let (line, column) = place.split_once(", Column: ")?;
        Some((before, Some(Location::new(line.parse().ok()?, column.parse().ok()?))))
    };
    place().unwrap_or((message, None))
}
