//! How lines of found pages stand, whichever repository they are of.

use std::ops::RangeInclusive;
use std::path::Path;

use crate::facade::Health;
use crate::lines::LinesHealth;
use crate::view::View;

/// Says of lines of pages how they stand. What cannot be found out is left out: a search must not fail because of it.
pub struct Marker<'h> {
    health: &'h Health,
    /// What was known of each repository when it was first asked about.
    views: Vec<(&'h Path, Option<View>)>,
}

impl<'h> Marker<'h> {
    /// For pages of this repository and of those beside.
    pub fn new(health: &'h Health) -> Self {
        Self { health, views: Vec::new() }
    }

    /// How some lines of a page stand that was read from `folder`; `None` where they claim nothing.
    pub fn lines(
        &mut self,
        folder: &Path,
        page: &str,
        lines: RangeInclusive<u32>,
        content_hash: &str,
    ) -> Option<LinesHealth> {
        let health = self.health.around(folder)?;
        let file = health.file_of(folder, page)?;
        let root = health.identity().root.as_path();
        if !self.views.iter().any(|(known, _)| *known == root) {
            self.views.push((root, health.view().ok()));
        }
        let (_, view) = self.views.iter().find(|(known, _)| *known == root)?;
        view.as_ref()?.lines(&file, lines, content_hash)
    }
}
