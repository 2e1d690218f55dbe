//! Colours that everybody can tell apart (Okabe and Ito), the same for a strategy in every chart and for a
//! verdict in every chart.

use plotters::style::RGBColor;

use crate::scenario::{StrategyKind, StrategySpec};

const BLUE: RGBColor = RGBColor(0, 114, 178);
const ORANGE: RGBColor = RGBColor(230, 159, 0);
const GREEN: RGBColor = RGBColor(0, 158, 115);
const VERMILION: RGBColor = RGBColor(213, 94, 0);
const SKY: RGBColor = RGBColor(86, 180, 233);
const PURPLE: RGBColor = RGBColor(204, 121, 167);
const BLACK: RGBColor = RGBColor(60, 60, 60);
const OLIVE: RGBColor = RGBColor(170, 160, 20);
// of Tol's muted set, for scenarios with many variants
const INDIGO: RGBColor = RGBColor(51, 34, 136);
const WINE: RGBColor = RGBColor(136, 34, 85);
const TEAL: RGBColor = RGBColor(68, 190, 190);
const SAND: RGBColor = RGBColor(200, 180, 110);

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(40, 40, 40);
/// Second-rate text.
pub(super) const SOFT: RGBColor = RGBColor(110, 110, 110);
/// Lines behind the data.
pub(super) const LINE: RGBColor = RGBColor(225, 225, 225);
/// Paper.
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

/// Colours of what a rebalance was.
pub(super) const MEMBERSHIP: RGBColor = RGBColor(190, 190, 190);
pub(super) const NEEDED: RGBColor = GREEN;
pub(super) const LATE: RGBColor = ORANGE;
pub(super) const SPURIOUS: RGBColor = VERMILION;
pub(super) const REPEAT: RGBColor = PURPLE;
pub(super) const MISSED: RGBColor = BLUE;

/// Colours of who holds memory, in the order of [`crate::coordinator::HOLDERS`].
pub(super) const HOLDER_COLOURS: [RGBColor; 8] =
    [VERMILION, SKY, GREEN, ORANGE, RGBColor(190, 190, 190), PURPLE, BLACK, OLIVE];

/// Colours of causes, of most to least.
pub(super) const CAUSES: [RGBColor; 8] = [BLUE, GREEN, SKY, PURPLE, OLIVE, INDIGO, TEAL, SAND];

/// Few to many, of what is called for and of what is needless.
pub(super) const CALLED_FOR: [RGBColor; 4] =
    [RGBColor(189, 215, 231), RGBColor(107, 174, 214), RGBColor(33, 113, 181), RGBColor(8, 48, 107)];
pub(super) const NEEDLESS: [RGBColor; 4] =
    [RGBColor(253, 208, 162), RGBColor(253, 141, 60), RGBColor(217, 72, 1), RGBColor(127, 39, 4)];

/// A strategy's colour; where two of a scenario would share it, the later one takes the next that is free.
/// With more strategies than colours they begin again.
pub(super) fn strategy_colours(strategies: &[StrategySpec]) -> Vec<RGBColor> {
    const ALL: [RGBColor; 12] = [BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, BLACK, OLIVE, INDIGO, WINE, TEAL, SAND];
    let own = |kind: StrategyKind| match kind {
        StrategyKind::FullMetadata => BLUE,
        StrategyKind::PartitionCount => SKY,
        StrategyKind::TopicHash => ORANGE,
        StrategyKind::GroupHash => GREEN,
        StrategyKind::GroupHashUncached => VERMILION,
        StrategyKind::DeltaFlag => PURPLE,
        StrategyKind::AsDeployed => BLACK,
        StrategyKind::ClassicClient => OLIVE,
    };
    let mut taken: Vec<RGBColor> = Vec::new();
    // first come the plain owners, so that a variant never takes a colour from a strategy further down
    let mut colours: Vec<Option<RGBColor>> = Vec::new();
    for spec in strategies {
        let colour = own(spec.kind);
        let free = !taken.contains(&colour);
        if free {
            taken.push(colour);
        }
        colours.push(free.then_some(colour));
    }
    let mut rest = ALL.into_iter().filter(|c| !taken.contains(c)).collect::<Vec<_>>().into_iter();
    let mut again = ALL.into_iter().cycle();
    colours.into_iter().map(|c| c.or_else(|| rest.next()).or_else(|| again.next()).unwrap_or(BLACK)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_keeps_its_colour_beside_others_and_variants_take_free_ones() {
        let bare = StrategySpec::bare;
        let alone = strategy_colours(&[bare(StrategyKind::GroupHash)]);
        let beside = strategy_colours(&[
            bare(StrategyKind::FullMetadata),
            bare(StrategyKind::GroupHash),
            bare(StrategyKind::GroupHash),
        ]);
        assert_eq!(alone[0], beside[1]);
        assert_ne!(beside[1], beside[2]);
        assert_ne!(beside[0], beside[2]);
        let mut twelve = strategy_colours(&vec![bare(StrategyKind::DeltaFlag); 12]);
        twelve.sort_unstable_by_key(|c| (c.0, c.1, c.2));
        twelve.dedup();
        assert_eq!(twelve.len(), 12, "each its own");
    }
}
