//! The operators that compare.

use sqlparser::ast::BinaryOperator;

/// An operator that compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Eq,
    NotEq,
    Lt,
    LtEq,
    Gt,
    GtEq,
}

impl Op {
    /// What SQL writes so, if it compares.
    pub(super) fn of(op: &BinaryOperator) -> Option<Self> {
        Some(match op {
            BinaryOperator::Eq => Self::Eq,
            BinaryOperator::NotEq => Self::NotEq,
            BinaryOperator::Lt => Self::Lt,
            BinaryOperator::LtEq => Self::LtEq,
            BinaryOperator::Gt => Self::Gt,
            BinaryOperator::GtEq => Self::GtEq,
            _ => return None,
        })
    }

    /// The same, seen from the other side.
    pub(super) fn flipped(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::LtEq => Self::GtEq,
            Self::Gt => Self::Lt,
            Self::GtEq => Self::LtEq,
            same => same,
        }
    }
}
