//! Whether a server goes on sending after the page that it announced.
//!
//! A client stops at the stated length, and what follows would never be seen: a page of ten bytes with a gibibyte behind it would
//! pass for a page of ten bytes. So the connection is looked at once more before it is closed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// How long to wait for what must not come. A server that closes the connection, as it is asked to, ends it at once.
const BRIEF: Duration = Duration::from_millis(50);

/// Puts a look-out on connections; the last link of a chain of connectors.
#[derive(Debug, Clone, Default)]
pub(super) struct Surplus(Arc<AtomicBool>);

impl Surplus {
    /// Whether more came than was read, on a connection that is closed by now.
    pub(super) fn has_come(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl<In: Transport> Connector<In> for Surplus {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        Ok(chained.map(|inner| Watched { inner, surplus: self.clone() }))
    }
}

/// A connection that is looked at when it is closed.
#[derive(Debug)]
pub(super) struct Watched<T: Transport> {
    inner: T,
    surplus: Surplus,
}

impl<T: Transport> Watched<T> {
    /// Some servers end everything with an empty line.
    fn has_input(&mut self) -> bool {
        self.inner.buffers().input().iter().any(|byte| !matches!(byte, b'\r' | b'\n'))
    }
}

impl<T: Transport> Transport for Watched<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<T: Transport> Drop for Watched<T> {
    fn drop(&mut self) {
        let brief = NextTimeout { after: BRIEF.into(), ..NextTimeout::default() };
        let has_more = self.has_input() || (self.inner.await_input(brief).is_ok() && self.has_input());
        if has_more {
            self.surplus.0.store(true, Ordering::Release);
        }
    }
}
