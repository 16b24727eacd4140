//! Writes small PDF files by hand.

/// A file while it is being written. Objects 1 to 5 are catalog, page tree and three standard fonts.
#[derive(Default)]
pub(super) struct MadePdf {
    pages: Vec<String>,
    extra: Vec<(usize, Vec<u8>)>,
}

impl MadePdf {
    /// Adds a page of this content.
    pub(super) fn page(&mut self, content: &str) {
        self.pages.push(content.to_owned());
    }

    /// Adds an object by its number and its whole body.
    pub(super) fn object(&mut self, number: usize, body: impl Into<Vec<u8>>) {
        self.extra.push((number, body.into()));
    }

    /// The bytes of the file, with a cross-reference table.
    pub(super) fn finish(self) -> Vec<u8> {
        let first_page = 10;
        let kids: String =
            (0..self.pages.len()).map(|page| format!("{} 0 R ", first_page + 2 * page)).collect();
        let count = self.pages.len();
        let font = |name: &str| format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} >>").into_bytes();
        let mut objects = vec![
            (1, b"<< /Type /Catalog /Pages 2 0 R >>".to_vec()),
            (2, format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>").into_bytes()),
            (3, font("Times-Roman")),
            (4, font("Helvetica-Bold")),
            (5, font("Courier")),
        ];
        for (index, content) in self.pages.iter().enumerate() {
            let number = first_page + 2 * index;
            let resources = "<< /Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >> /XObject << /X 6 0 R >> >>";
            let contents = number + 1;
            objects.push((
                number,
                format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources {resources} /Contents {contents} 0 R >>")
                    .into_bytes(),
            ));
            objects.push((contents, stream("", content.as_bytes())));
        }
        for (number, body) in self.extra {
            objects.retain(|(other, _)| *other != number);
            objects.push((number, body));
        }
        objects.sort_by_key(|(number, _)| *number);
        let mut out = b"%PDF-1.7\n".to_vec();
        let mut table = String::new();
        for (number, body) in &objects {
            table.push_str(&format!("{number} 1\n{:010} 00000 n \n", out.len()));
            out.extend(format!("{number} 0 obj\n").bytes());
            out.extend(body);
            out.extend(b"\nendobj\n");
        }
        let at = out.len();
        let size = objects.last().map_or(1, |(number, _)| number + 1);
        out.extend(
            format!("xref\n{table}trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{at}\n%%EOF\n").bytes(),
        );
        out
    }
}

/// The body of a stream object.
pub(super) fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<< /Length {} {entries} >>\nstream\n", data.len()).into_bytes();
    out.extend(data);
    out.extend(b"\nendstream");
    out
}
