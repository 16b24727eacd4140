//! The docent binary: arguments, settings, wiring, commands, printer.
fn main() {}
