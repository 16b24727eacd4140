//! Which collections are served: those that the settings name, and every library, because libraries come and go while a server
//! runs and whoever hands a document over wants to find it.

use docent_engine::{Engine, EngineError};

/// The names of the collections that are served now; none means all.
pub(crate) fn reach(engine: &Engine, named: &[String]) -> Result<Vec<String>, EngineError> {
    let mut names = named.to_vec();
    if !names.is_empty() {
        let libraries = engine.libraries()?;
        names.extend(libraries.into_iter().filter(|library| !named.contains(library)));
    }
    Ok(names)
}
