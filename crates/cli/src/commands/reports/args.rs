//! The flags of `docent reports` and of its subcommands.

use clap::{Args, Subcommand, ValueEnum};
use docent_health::Decision;

pub(crate) const REPORTS_EXAMPLES: &str = "\
Agents report what they find to be wrong with the tool report_drift. A report changes nothing by
itself: when you accept one, the claim that it names counts as drifted for searches and tools until
its line is rewritten; when you reject it, the checks decide again. `docent verify` does not look
at reports.

Examples:
  docent reports
  docent reports list --status all
  docent reports show 3f2a
  docent reports accept 3f2a";

#[derive(Debug, Args)]
pub(crate) struct ReportsArgs {
    #[command(subcommand)]
    pub(super) command: Option<ReportsCommand>,
    /// Print one JSON document
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ReportsCommand {
    /// List the reports, the newest first; the same as no subcommand
    List(ListArgs),
    /// Show one report
    Show(ReportArgs),
    /// Agree with a report: the claim that it names counts as drifted
    Accept(ReportArgs),
    /// Do not agree with a report
    Reject(ReportArgs),
}

#[derive(Debug, Args, Default)]
pub(super) struct ListArgs {
    /// Which reports
    #[arg(long, default_value = "pending")]
    pub(super) status: StatusArg,
}

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// Id of the report, or the beginning of it
    #[arg(value_name = "ID")]
    pub(super) id: String,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum StatusArg {
    /// Nobody has decided yet
    #[default]
    Pending,
    /// Agreed to
    Accepted,
    /// Not agreed to
    Rejected,
    /// All of them
    All,
}

impl StatusArg {
    pub(super) fn decision(self) -> Option<Decision> {
        match self {
            Self::Pending => Some(Decision::Pending),
            Self::Accepted => Some(Decision::Accepted),
            Self::Rejected => Some(Decision::Rejected),
            Self::All => None,
        }
    }
}
