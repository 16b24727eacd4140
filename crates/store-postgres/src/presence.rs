//! Whether the server is there, so that whoever looks after a process reads once that it went and once that it came back.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::Outcome;

/// Tells somebody something.
pub(crate) type Teller = Box<dyn Fn(&str) + Send + Sync>;

/// Whether the server was there when it was last asked for.
#[derive(Default)]
pub(crate) struct Presence {
    is_lost: AtomicBool,
    /// Nobody, for a process that ends with the first error.
    teller: OnceLock<Teller>,
}

impl Presence {
    /// Tells of what happens from now on.
    pub(crate) fn on_change(&self, tell: Teller) {
        let _ = self.teller.set(tell);
    }

    /// Takes note of how an attempt ended. A fault that is not of the way says that the server is there.
    pub(crate) fn note<T>(&self, place: &str, done: &Outcome<T>) {
        let lost = done.as_ref().err().filter(|fault| fault.is_of_the_way());
        if self.is_lost.swap(lost.is_some(), Ordering::AcqRel) == lost.is_some() {
            return;
        }
        let Some(tell) = self.teller.get() else { return };
        match lost {
            Some(fault) => tell(&format!(
                "the database at {place} is lost: {}; docent connects again by itself",
                fault.detail()
            )),
            None => tell(&format!("the database at {place} is back")),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::fault::Fault;

    #[test]
    fn a_loss_and_a_return_are_told_once_each() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let presence = Presence::default();
        let heard = told.clone();
        presence.on_change(Box::new(move |word| heard.lock().unwrap().push(word.to_owned())));
        let lost = || Err::<(), _>(Fault::Unreachable("no answer".to_owned()));
        for done in [Ok(()), lost(), lost(), Err(Fault::Busy), Ok(()), lost()] {
            presence.note("here", &done);
        }
        let told = told.lock().unwrap();
        let kinds: Vec<bool> = told.iter().map(|word| word.contains("is lost: no answer")).collect();
        assert_eq!(kinds, [true, false, true], "{told:?}");
        assert_eq!(told[1], "the database at here is back");
    }
}
