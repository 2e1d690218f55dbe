//! `check --junit FILE`: the form that CI systems read test results in. A suite for each scenario, a case for each
//! strategy and one for the scenario as a whole.

use std::fmt::Write as _;

use super::finding::Finding;
use super::hold::Checked;

/// All scenarios as JUnit's XML.
#[must_use]
pub fn junit(all: &[Checked]) -> String {
    let failures: usize = all.iter().map(|checked| failed_cases(checked).len()).sum();
    let cases: usize = all.iter().map(|checked| checked.strategies.len() + 1).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"rebalance-sim check\" tests=\"{cases}\" failures=\"{failures}\">");
    for checked in all {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">",
            escaped(&checked.scenario),
            checked.strategies.len() + 1,
            failed_cases(checked).len()
        );
        let several = checked.strategies.iter().any(|(run, _)| *run > 1);
        let whole = checked.findings.iter().filter(|f| !belongs(checked, f));
        case(&mut out, checked, "the scenario", &whole.collect::<Vec<_>>());
        for (run, strategy) in &checked.strategies {
            let name = if several { format!("{strategy} run {run}") } else { strategy.clone() };
            let own = checked.findings.iter().filter(|f| f.strategy == *strategy && f.run.is_none_or(|r| r == *run));
            case(&mut out, checked, &name, &own.collect::<Vec<_>>());
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Is there a case for this very strategy? (There is none for one that is gone.)
fn belongs(checked: &Checked, finding: &Finding) -> bool {
    checked.strategies.iter().any(|(run, s)| *s == finding.strategy && finding.run.is_none_or(|r| r == *run))
}

fn failed_cases(checked: &Checked) -> Vec<(Option<u32>, &str)> {
    let mut cases: Vec<(Option<u32>, &str)> = checked
        .findings
        .iter()
        .map(|f| if belongs(checked, f) { (f.run, f.strategy.as_str()) } else { (None, "") })
        .collect();
    cases.sort_unstable();
    cases.dedup();
    cases
}

fn case(out: &mut String, checked: &Checked, name: &str, findings: &[&Finding]) {
    let (class, name) = (escaped(&checked.scenario), escaped(name));
    if findings.is_empty() {
        let _ = writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\"/>");
        return;
    }
    let _ = writeln!(out, "    <testcase classname=\"{class}\" name=\"{name}\">");
    let lines: Vec<String> = findings.iter().map(|finding| finding.line()).collect();
    let first = escaped(&findings[0].told());
    let _ = writeln!(out, "      <failure message=\"{first}\">{}</failure>", escaped(&lines.join("\n")));
    out.push_str("    </testcase>\n");
}

/// What XML 1.0 takes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::finding::State;
    use super::*;

    #[test]
    fn a_suite_has_a_case_for_each_strategy_and_failures_where_they_belong() {
        let finding = |strategy: &str, message: &str| Finding {
            scenario: "a&b".into(),
            file: "a.yaml".into(),
            state: State::Differs,
            run: None,
            strategy: strategy.into(),
            column: String::new(),
            then: String::new(),
            now: String::new(),
            message: message.into(),
        };
        let checked = Checked {
            scenario: "a&b".into(),
            strategies: vec![(1, "x".into()), (1, "y".into())],
            findings: vec![finding("x", "rebalances 0 → \"2\""), finding("x", "late < 1"), finding("old", "gone")],
            ..Checked::default()
        };
        assert_eq!(
            junit(&[checked]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"rebalance-sim check\" tests=\"3\" failures=\"2\">
  <testsuite name=\"a&amp;b\" tests=\"3\" failures=\"2\">
    <testcase classname=\"a&amp;b\" name=\"the scenario\">
      <failure message=\"old  gone\">FAIL a&amp;b  old  gone</failure>
    </testcase>
    <testcase classname=\"a&amp;b\" name=\"x\">
      <failure message=\"x  rebalances 0 → &quot;2&quot;\">FAIL a&amp;b  x  rebalances 0 → &quot;2&quot;
FAIL a&amp;b  x  late &lt; 1</failure>
    </testcase>
    <testcase classname=\"a&amp;b\" name=\"y\"/>
  </testsuite>
</testsuites>
"
        );
    }
}
