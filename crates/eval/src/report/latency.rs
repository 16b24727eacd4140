//! Latency: which share of the searches was done after how long.

use std::fmt::Write;

use super::escape::percent;
use crate::intervals::percentile;
use crate::outcome::Run;

/// Points of the curve; more cannot be told apart.
const POINTS: usize = 200;

/// The curve with p50 and p95 marked.
pub(super) fn section(run: &Run) -> String {
    let mut times: Vec<f64> =
        run.cases.iter().map(|case| case.latency_ms).filter(|time| time.is_finite()).collect();
    times.sort_by(f64::total_cmp);
    let Some(&slowest) = times.last() else { return String::new() };
    let end = nice_end(slowest);
    let (p50, p95) = (percentile(&times, 0.5), percentile(&times, 0.95));
    let mut html = "<section>\n<h2>Latency</h2>\n<p class=\"dim\">Share of the searches that were done after so many milliseconds, the query's vector included.</p>\n".to_owned();
    let _ = write!(
        html,
        "<p class=\"keys\"><span class=\"key p50\">p50 {p50:.1} ms</span> <span class=\"key p95\">p95 {p95:.1} ms</span></p>\n<div class=\"plot\"><span class=\"y top\">100 %</span><span class=\"y middle\">50 %</span>\n{}\n",
        curve(&times, end, p50, p95)
    );
    let _ = write!(
        html,
        "<div class=\"ticks\" aria-hidden=\"true\"><i>0</i><i>{}</i><i>{} ms</i></div>\n</div>\n",
        short(end / 2.0),
        short(end)
    );
    html.push_str("<details><summary>As a table</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Latency\"><table>\n<thead><tr><th scope=\"col\">Share</th><th scope=\"col\">Done within</th></tr></thead>\n<tbody>\n");
    for share in [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0] {
        let _ = writeln!(
            html,
            "<tr><th scope=\"row\">{:.0} %</th><td>{:.1} ms</td></tr>",
            share * 100.0,
            percentile(&times, share)
        );
    }
    html.push_str("</tbody></table></div>\n</details>\n</section>\n");
    html
}

fn curve(times: &[f64], end: f64, p50: f64, p95: f64) -> String {
    let mut points = "0,100".to_owned();
    let mut height = 100.0;
    for step in 1..=POINTS.min(times.len()) {
        let share = step as f64 / POINTS.min(times.len()) as f64;
        let x = percent(percentile(times, share) / end);
        let _ = write!(points, " {x},{height:.2}");
        height = 100.0 - 100.0 * share;
        let _ = write!(points, " {x},{height:.2}");
    }
    let _ = write!(points, " 100,{height:.2}");
    let (x50, x95) = (percent(p50 / end), percent(p95 / end));
    format!(
        "<svg class=\"curve\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" role=\"img\"><title>Latency: half of the searches within {p50:.1} ms, 95 % within {p95:.1} ms</title>\
         <line class=\"grid\" x1=\"0\" y1=\"0\" x2=\"100\" y2=\"0\"/><line class=\"grid\" x1=\"0\" y1=\"50\" x2=\"100\" y2=\"50\"/><line class=\"grid\" x1=\"0\" y1=\"100\" x2=\"100\" y2=\"100\"/>\
         <line class=\"p50\" x1=\"{x50}\" y1=\"0\" x2=\"{x50}\" y2=\"100\"/><line class=\"p95\" x1=\"{x95}\" y1=\"0\" x2=\"{x95}\" y2=\"100\"/>\
         <polyline class=\"line\" points=\"{points}\"/></svg>"
    )
}

/// The next of 1, 2 and 5 times a power of ten.
fn nice_end(value: f64) -> f64 {
    let power = 10f64.powf(value.max(1e-3).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * power).find(|end| *end >= value).unwrap_or(value)
}

fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{nice_end, short};

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!(
            [3.2, 0.7, 10.0, 5.01, 0.0].map(|value| short(nice_end(value))),
            ["5", "1", "10", "10", "0.001"]
        );
    }
}
