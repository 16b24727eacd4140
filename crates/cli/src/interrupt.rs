//! Ctrl-C and termination: the first signal asks the work to stop at the next safe point, the second ends the process.
//! Work that does not stop, because it waits for a file or a reader, is ended after a while: nobody should need `kill -9`.

use std::thread;
use std::time::Duration;

use docent_engine::Cancel;

use crate::args::Command;
use crate::errors::Exit;

/// How long work may take to notice; the index is whole at any moment, so nothing is lost after that.
const PATIENCE: Duration = Duration::from_secs(5);
/// A server first lets the requests that it has finish, for about as long.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);

/// Listens for Ctrl-C and termination from now on.
pub(crate) fn listen(command: &Command) -> Cancel {
    let patience = if matches!(command, Command::Serve(_)) { SERVER_PATIENCE } else { PATIENCE };
    let cancel = Cancel::default();
    let ours = cancel.clone();
    // Without a handler Ctrl-C ends the process at once, which the index survives as well.
    let _ = ctrlc::set_handler(move || {
        if ours.is_cancelled() {
            end();
        }
        ours.cancel();
        // The handler must return to hear a second signal. Without a thread there is still that one.
        let _ = thread::Builder::new().spawn(move || {
            thread::sleep(patience);
            end();
        });
    });
    cancel
}

fn end() -> ! {
    std::process::exit(i32::from(Exit::Interrupted.code()))
}
