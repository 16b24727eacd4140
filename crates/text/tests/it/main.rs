//! Promises that hold for every input, and for hostile input in time.

mod hostile;
mod outline;
mod properties;
mod strategy;
