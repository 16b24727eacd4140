//! The child's side: reads one file from stdin, converts it, writes the outcome to stdout, and ends.

use std::io::{self, BufReader, BufWriter, Write};
use std::process::ExitCode;
use std::thread;

use docent_convert::Limits;

use super::confine;
use super::frame::{Reply, Request};

/// Nested structures that are allowed fit in easily, and a stack is memory like any other.
const STACK: usize = 16 << 20;

/// What a program does that was started to convert one file. It touches nothing but stdin, stdout and stderr.
pub fn serve_conversion() -> ExitCode {
    match convert_one() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn convert_one() -> io::Result<()> {
    confine::give_up()?;
    // The stack comes first: later there may be too little memory left, and that would look like something else.
    let worker = thread::Builder::new().stack_size(STACK).spawn(|| {
        let mut input = BufReader::new(io::stdin().lock());
        let request = Request::read(&mut input)?;
        confine::confine(&request)?;
        let bytes = request.read_bytes(&mut input)?;
        Ok(convert(&bytes, &request))
    })?;
    let reply: io::Result<Reply> = worker.join().unwrap_or_else(|_| Ok(panicked()));
    reply?.write(&mut BufWriter::new(io::stdout().lock()))
}

fn convert(bytes: &[u8], request: &Request) -> Reply {
    let limits = Limits { markdown_bytes: request.markdown_bytes, ..Limits::default() };
    match docent_convert::convert(bytes, &request.name, &limits) {
        Ok(converted) => Reply::Converted(converted),
        Err(error) => Reply::Failed { message: error.message, hint: error.hint },
    }
}

fn panicked() -> Reply {
    Reply::Failed {
        message: "the converter gave up on it, which is a bug in docent".to_owned(),
        hint: "please report it, with the file if you can; save the file in another format meanwhile"
            .to_owned(),
    }
}
