//! Promises that hold for every input, and for hostile input in time.

mod hostile;
mod properties;
mod strategy;
