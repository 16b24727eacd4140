//! x
#![allow(clippy::print_stdout)]
use docent_embed::MiniLm;
use docent_index::Embedder;
use docent_kernels::Isa;
fn main() {
    for isa in Isa::available() {
        let m = MiniLm::with(isa, 1);
        let v = m.embed_query("hello world, how are you?").unwrap();
        println!("{isa} {:?}", &v[..6]);
        println!("{:?}", m.tokens("hello world, how are you?"));
    }
}
