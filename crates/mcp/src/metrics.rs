//! Counters of tool calls, for Prometheus.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Milliseconds to seconds, where answers are expected to lie.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 10.0];

/// Counters of tool calls; clones count together.
#[derive(Debug, Clone)]
pub struct Metrics {
    calls: Family<CallLabels, Counter>,
    seconds: Family<ToolLabel, Histogram>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabel {
    tool: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { calls: Family::default(), seconds: Family::new_with_constructor(|| Histogram::new(BUCKETS)) }
    }
}

impl Metrics {
    /// Makes the counters part of a registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("docent_tool_calls", "Tool calls by tool and outcome", self.calls.clone());
        registry.register("docent_tool_seconds", "Time from call to answer", self.seconds.clone());
    }

    pub(crate) fn count(&self, tool: &'static str, outcome: &'static str, took: Duration) {
        self.calls.get_or_create(&CallLabels { tool, outcome }).inc();
        self.seconds.get_or_create(&ToolLabel { tool }).observe(took.as_secs_f64());
    }
}
