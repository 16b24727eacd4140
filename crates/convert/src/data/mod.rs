//! Data files: what stands on their top level becomes sections, the rest is shown as it is, indented and fenced.

mod json;
mod xml;
mod yaml;

pub(crate) use json::{convert as json, is_too_large};
pub(crate) use xml::convert as xml;
pub(crate) use yaml::convert as yaml;

/// With more parts than this on the top level, they are not told apart.
const MOST_SECTIONS: usize = 500;
