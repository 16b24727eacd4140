//! What the tags of HTML and of components hold.

use std::ops::Range;

use super::html;
use super::reader::{Reader, is_open, language};
use super::{Block, Kind, Piece};

const CLOSE: &[u8] = b"</code>";
/// A longer element is no name.
const MOST_CODE: usize = 500;

impl Reader<'_, '_> {
    /// The lines of a component that are not tags. Fences are found here, because the parser does not know how deep a
    /// component's content is indented.
    pub(super) fn between_tags(&mut self, html: Range<usize>) {
        if !self.is_mdx {
            return;
        }
        let text = self.page.text;
        let mut at = html.start;
        let mut run: Option<Range<usize>> = None;
        let mut fence: Option<(usize, String)> = None;
        for line in text.get(html).unwrap_or_default().split_inclusive('\n').chain(["<"]) {
            let (line_start, content) = (at, line.trim());
            at += line.len();
            if let Some((inside, language)) = fence.take_if(|_| content.starts_with("```")) {
                self.page.blocks.push(Block { bytes: inside..line_start, is_prose: false });
                self.piece(inside..line_start, Kind::Fence(language));
                continue;
            }
            if fence.is_some() {
                continue;
            }
            let is_tag =
                content.starts_with(['<', '{', '}', '/', '>']) || content.ends_with(['>', '{', '(', ';']);
            if is_tag && content.contains('`') && !content.starts_with("```") {
                self.between_brackets(line_start..at);
            }
            if let Some(info) = content.strip_prefix("```") {
                fence = Some((at, language(info)));
            } else if !is_tag && !content.is_empty() {
                let start = line_start + (line.len() - line.trim_start().len());
                run.get_or_insert(start..at).end = at;
                continue;
            }
            if let Some(run) = run.take() {
                let inside = text.get(run.clone()).unwrap_or_default();
                Reader::new(self.page, run.start, false).read(inside);
            }
        }
    }

    /// What stands between tags on one line: `<td>`a` or [b](c)</td>`.
    fn between_brackets(&mut self, line: Range<usize>) {
        let text = self.page.text;
        let mut at = line.start;
        for part in text.get(line).unwrap_or_default().split_inclusive('>') {
            let inside = part.split('<').next().unwrap_or(part);
            // Before the first bracket there is nothing but a tag's attributes, or an indent.
            if inside.len() < part.len() && inside.contains('`') {
                Reader::new(self.page, at, false).read(inside);
            }
            at += part.len();
        }
    }

    /// What stands between `<code>` and `</code>` in a block of tags.
    pub(super) fn codes(&mut self, html: Range<usize>) {
        let source = self.page.text.get(html.clone()).unwrap_or_default();
        let mut at = 0;
        let mut comment = source.find("<!--").unwrap_or(source.len());
        while let Some(open) = source.get(at..).and_then(|rest| rest.find("<code")) {
            let tag = at + open;
            if comment < tag {
                let end = source.get(comment..).and_then(|rest| rest.find("-->")).map(|end| comment + end);
                at = end.unwrap_or(source.len()).max(at);
                comment = source
                    .get(at..)
                    .and_then(|rest| rest.find("<!--"))
                    .map_or(source.len(), |next| at + next);
                continue;
            }
            let rest = source.get(tag..).unwrap_or_default();
            at = tag + "<code".len();
            if !is_open(rest, "code") {
                continue;
            }
            let near = rest.as_bytes().get(..MOST_CODE.min(rest.len())).unwrap_or_default();
            let start = near.iter().position(|byte| *byte == b'>').map(|start| start + 1);
            let end = near.windows(CLOSE.len()).position(|bytes| bytes == CLOSE);
            if let (Some(start), Some(end)) = (start, end)
                && start < end
            {
                self.coded(html.start + tag + start..html.start + tag + end);
                at = tag + end;
            }
        }
    }

    /// A file that a component gets: `src={require('./image.png')}`, where the parser sees no tag.
    pub(super) fn required(&mut self, at: Range<usize>, target: &str) {
        let holds = |block: &Block| block.bytes.start <= at.start && at.end <= block.bytes.end;
        match self.page.blocks.iter().position(holds) {
            Some(block) if !self.page.blocks.get(block).is_some_and(|block| block.is_prose) => {}
            Some(block) => {
                let kind = Kind::Image(target.to_owned());
                self.page.pieces.push(Piece { bytes: at, block, kind, is_label: false });
            }
            None => {}
        }
    }

    /// What stands between `<code>` and `</code>`, when it is as plain as a span.
    pub(super) fn coded(&mut self, bytes: Range<usize>) {
        let source = self.page.text.get(bytes.clone()).unwrap_or_default();
        let (start, trimmed) = (bytes.start + (source.len() - source.trim_start().len()), source.trim());
        if !trimmed.is_empty() && !trimmed.contains(['\n', '<', '&', '`']) {
            self.piece(start..start + trimmed.len(), Kind::Span);
        }
    }

    pub(super) fn attributes(&mut self, bytes: Range<usize>) {
        for (at, is_image) in html::targets(self.page.text, bytes) {
            let target = self.page.text.get(at.clone()).unwrap_or_default().to_owned();
            self.piece(at, if is_image { Kind::Image(target) } else { Kind::Link(target) });
        }
    }
}
