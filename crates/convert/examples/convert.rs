//! Converts files and says what each of them cost: format, milliseconds, peak memory in MiB, bytes of Markdown, outcome.
//!
//! `convert FILE...` runs each file in a process of its own, so that the peak is that of this file alone (Linux only).
//! `convert --here FILE...` converts all of them in this process, which measures time without that of starting processes.
//! `--out FOLDER` keeps the Markdown, with a line `<!-- page N -->` before each page.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use docent_convert::{Converted, Limits, convert};

fn main() -> std::io::Result<()> {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    let is_here = files.first().is_some_and(|argument| argument == "--here");
    if is_here {
        files.remove(0);
    }
    let out = files.first().is_some_and(|argument| argument == "--out").then(|| {
        let folder = files.get(1).cloned().unwrap_or_default();
        files.drain(..2.min(files.len()));
        folder
    });
    if is_here {
        return files.iter().try_for_each(|file| one(file, out.as_deref()));
    }
    for file in &files {
        let mut child = Command::new(std::env::current_exe()?);
        child.arg("--here");
        if let Some(folder) = &out {
            child.args(["--out", folder]);
        }
        let status = child.arg(file).status()?;
        if !status.success() {
            writeln!(std::io::stdout(), "?\t0\t0\t0\tended with {status}\t{file}")?;
        }
    }
    Ok(())
}

fn one(file: &str, out: Option<&str>) -> std::io::Result<()> {
    let bytes = std::fs::read(file)?;
    let start = Instant::now();
    let done = convert(&bytes, file, &Limits::default());
    let time = start.elapsed().as_secs_f64() * 1000.0;
    let (format, size, outcome) = match &done {
        Ok(done) if done.notes.is_empty() => (done.format.extension(), done.markdown.len(), "ok".to_owned()),
        Ok(done) => (done.format.extension(), done.markdown.len(), format!("ok: {}", done.notes.join("; "))),
        Err(error) => ("-", 0, format!("{}: {}", error.kind.name(), error.message)),
    };
    let peak = peak_mib();
    writeln!(std::io::stdout(), "{format}\t{time:.1}\t{peak}\t{size}\t{outcome}\t{file}")?;
    if let (Some(folder), Ok(done)) = (out, &done) {
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::write(Path::new(folder).join(name + ".md"), with_pages(done))?;
    }
    Ok(())
}

/// The Markdown with a comment before each page.
fn with_pages(done: &Converted) -> String {
    let mut shown = String::new();
    let mut page = None;
    for (line, number) in done.markdown.lines().zip(1..) {
        let of_line = done.origin_of(number).and_then(|origin| origin.page);
        if let Some(of_line) = of_line.filter(|_| of_line != page) {
            shown.push_str(&format!("<!-- page {of_line} -->\n"));
        }
        page = of_line;
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

/// The largest resident size that this process ever had.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}
