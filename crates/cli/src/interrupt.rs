//! Ctrl-C: the first one asks the work to stop at the next safe point, the second one ends the process.

use docent_engine::Cancel;

use crate::errors::Exit;

/// Listens for Ctrl-C and termination from now on.
pub(crate) fn listen() -> Cancel {
    let cancel = Cancel::default();
    let ours = cancel.clone();
    // Without a handler Ctrl-C ends the process at once, which the index survives as well.
    let _ = ctrlc::set_handler(move || {
        if ours.is_cancelled() {
            std::process::exit(i32::from(Exit::Interrupted.code()));
        }
        ours.cancel();
    });
    cancel
}
