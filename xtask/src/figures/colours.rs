//! Colours are those of Okabe and Ito, which colour-blind readers tell apart. There are eight of them and more variants, so those
//! that never meet share one; ours is always blue. Marks differ, too, for prints without colour.

/// A variant as it is drawn.
#[derive(Debug)]
pub(super) struct Variant {
    /// As in the files of results.
    pub(super) name: &'static str,
    /// As in the legend.
    pub(super) label: &'static str,
    pub(super) colour: &'static str,
    pub(super) mark: &'static str,
}

/// Black, but white on a dark page.
pub(super) const INK: &str = "ink";
pub(super) const ORANGE: &str = "#E69F00";
pub(super) const SKY: &str = "#56B4E9";
pub(super) const GREEN: &str = "#009E73";
pub(super) const YELLOW: &str = "#F0E442";
pub(super) const BLUE: &str = "#0072B2";
pub(super) const VERMILION: &str = "#D55E00";
pub(super) const PURPLE: &str = "#CC79A7";

pub(super) const fn variant(
    name: &'static str,
    label: &'static str,
    colour: &'static str,
    mark: &'static str,
) -> Variant {
    Variant { name, label, colour, mark }
}
