//! Names of choices, as users type them: strum derives them, and this says what the choices were.

use strum::VariantNames;

/// The answer to a name that is none of them: `expected a, b or c`.
pub(crate) fn expected<T: VariantNames>(_: &str) -> String {
    match T::VARIANTS {
        [others @ .., last] if !others.is_empty() => format!("expected {} or {last}", others.join(", ")),
        names => format!("expected {}", names.concat()),
    }
}
