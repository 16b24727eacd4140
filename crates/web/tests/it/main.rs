//! A real server on a free port, asked by a client that writes its HTTP by hand.

mod endpoint;
mod support;
