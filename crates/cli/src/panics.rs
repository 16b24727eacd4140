//! A bug of ours, told like any other error.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use crate::env_vars;
use crate::printer::Printer;

/// Runs `work`; `None` when it panicked, after telling so in two lines.
pub(crate) fn guard<T>(printer: Printer, work: impl FnOnce(&Printer) -> T) -> Option<T> {
    let raw = env_vars::process(env_vars::RUST_BACKTRACE).is_some_and(|value| value != "0");
    if !raw {
        let teller = printer.clone();
        panic::set_hook(Box::new(move |info| tell(&teller, info)));
    }
    panic::catch_unwind(AssertUnwindSafe(|| work(&printer))).ok()
}

fn tell(printer: &Printer, info: &PanicHookInfo<'_>) {
    let what = info.payload_as_str().unwrap_or("something that should not happen");
    let place =
        info.location().map(|place| format!(" ({}:{})", place.file(), place.line())).unwrap_or_default();
    printer.error(
        &format!("docent broke: {what}{place}"),
        "this is a bug; please report it with the output of RUST_BACKTRACE=1 docent …; the index is kept",
    );
}
