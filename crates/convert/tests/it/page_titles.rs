//! What web pages are called: by their own heading, by the one above their content, by the title of the window.

use docent_convert::{Limits, convert};

const TEXT: &str =
    "<p>Whales are mammals that live in the sea, and there are about ninety kinds of them.</p>";

fn check(page: &str, title: &str, start: &str) {
    let done = convert(page.as_bytes(), "a.html", &Limits::default()).unwrap();
    assert_eq!(done.title.as_deref(), Some(title), "{page}");
    assert!(done.markdown.starts_with(start), "{}", done.markdown);
}

#[test]
fn a_heading_above_the_content_comes_first() {
    let page = |header: &str| {
        format!(
            "<title>Whale - Encyclopedia</title><body><nav><h1>Menu</h1></nav><main>{header}\
             <div id=mw-content-text>{TEXT}<h2>Kinds</h2>{TEXT}</div></main><footer><h1>About</h1></footer>"
        )
    };
    check(
        &page("<header><h1 id=firstHeading><span>Whale</span></h1></header>"),
        "Whale",
        "# Whale\n\nWhales are",
    );
    // None, several or unseen ones say nothing.
    check(&page(""), "Whale", "Whales are");
    check(&page("<h1>Hello</h1><h1>You</h1>"), "Whale", "Whales are");
    check(&page("<h1 hidden>Hello</h1>"), "Whale", "Whales are");
    check(&page("<h1> </h1>"), "Whale", "Whales are");
    check(&page("<div class=sidebar><h1>News</h1></div>"), "Whale", "Whales are");
}

#[test]
fn a_heading_in_the_content_counts_alone() {
    let page = format!("<title>x - y</title><h1>Site</h1><main><h1>Whale</h1>{TEXT}<h2>Kinds</h2></main>");
    check(&page, "Whale", "# Whale\n");
}

#[test]
fn the_title_of_the_window_counts_before_lower_headings() {
    let page = |head: &str| format!("<head>{head}</head><main>{TEXT}<h2>Kinds</h2>{TEXT}</main>");
    check(&page("<title>All about whales | Sea</title>"), "All about whales", "Whales are");
    let named = "<meta property='og:site_name' content='The open sea'><title>Whales — The open sea</title>";
    check(&page(named), "Whales", "Whales are");
    let other = "<meta property='og:site_name' content='Sea'><title>Whales - part 2</title>";
    check(&page(other), "Whales - part 2", "Whales are");
    check(&page(""), "Kinds", "Whales are");
}
