//! The tree as a graph.

use super::{Explained, What, about};
use indicatif::HumanCount;

impl Explained<'_> {
    /// The tree as a graph, for Graphviz.
    pub fn dot(&self) -> String {
        let mut dot =
            String::from("digraph plan {\n  node [shape=box, fontname=\"sans-serif\"];\n  root [label=\"");
        let planned_for = self.planned_for.map_or_else(String::new, |kind| format!("\\nplanned for {kind}"));
        dot.push_str(&format!("all pairs\\n{}{planned_for}\"];\n", HumanCount(self.n_pairs)));
        // By depth: the last node there, which what follows one level deeper hangs on.
        let mut parents: Vec<String> = vec!["root".to_owned()];
        for line in self.lines() {
            let name = format!("step{}", line.step);
            let pairs = about(line.passing);
            let (label, style) = match &line.what {
                What::Node { predicate, selectivity, cost, .. } => (
                    format!("{}\\nsp {selectivity:.2e}, {cost:.1} ns\\n≈ {pairs} pairs", escaped(predicate)),
                    "",
                ),
                What::Witness { rule } => {
                    (format!("{}\\n≈ {pairs} pairs", escaped(rule)), ", shape=ellipse, style=bold")
                }
            };
            dot.push_str(&format!("  {name} [label=\"{label}\"{style}];\n"));
            let edge = match &line.what {
                What::Node { score, .. } => format!(" [label=\"{score:.1e}\"]"),
                What::Witness { .. } => String::new(),
            };
            dot.push_str(&format!("  {} -> {name}{edge};\n", parents[line.depth]));
            parents.truncate(line.depth + 1);
            parents.push(name);
        }
        for (ix, near) in self.neighbourhoods.iter().enumerate() {
            let (name, what) = (escaped(&near.neighbourhood.name), escaped(&near.neighbourhood.to_string()));
            let label = format!("{name}\\nsorted neighbourhood, approximate\\n{what}");
            dot.push_str(&format!("  near{ix} [label=\"{label}\", shape=ellipse, style=dashed];\n"));
        }
        if let Some((all, n_pairs)) = self.all {
            let label = format!("{}\\nall {n_pairs} pairs", escaped(&all.name));
            dot.push_str(&format!("  all [label=\"{label}\", shape=ellipse, style=bold];\n"));
        }
        dot.push_str("}\n");
        dot
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
