//! Whatever text comes, nothing panics and what is read once is read the same again.

use proptest::prelude::*;

use crate::pages::address::PageAddress;
use crate::pages::crawl::{Robots, Sitemap};
use crate::pages::links::PageLinks;
use crate::pages::{FetchRules, page_address};

/// Pieces that addresses, pages and lists are made of.
fn text() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "http://",
        "https://",
        "HTTP:",
        "//",
        "/",
        "\\",
        "@",
        ":",
        "#",
        "?",
        "%",
        "%2e",
        "..",
        "[",
        "]",
        "::1",
        "127.0.0.1",
        "0x7f",
        "localhost",
        "x.org",
        "。",
        "①",
        "ü",
        "xn--",
        "\t",
        "\n",
        "\0",
        " ",
        "<",
        "<a href=",
        "<base href=",
        "\"",
        ">",
        "<!--",
        "<script>",
        "</",
        "](",
        "[a]: ",
        "<http",
        "User-agent: *\n",
        "Disallow: ",
        "*",
        "$",
        "<urlset>",
        "<url><loc>",
        "</loc>",
        "&amp;",
        "&#x",
        ";",
        "<![CDATA[",
        "80",
        "65536",
    ]);
    let piece = prop_oneof![4 => pieces.prop_map(str::to_owned), 1 => any::<String>()];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn an_address_that_is_read_is_the_one_that_is_asked(text in text(), start in any::<bool>()) {
        let text = if start { format!("http://{text}") } else { text };
        if let Ok(address) = PageAddress::parse(&text) {
            let uri = address.uri().unwrap();
            prop_assert_eq!(uri.to_string(), address.as_str());
            prop_assert!(uri.authority().is_some_and(|authority| !authority.as_str().contains('@')));
            prop_assert_eq!(format!("{}{}", address.origin(), address.target()), address.as_str());
            prop_assert_eq!(PageAddress::parse(address.as_str()).unwrap(), address);
        }
        let page = PageAddress::parse("https://x.org/d/a?b").unwrap();
        if let Ok(joined) = page.join(&text) {
            prop_assert_eq!(PageAddress::parse(joined.as_str()).unwrap(), joined);
        }
        let rules = FetchRules { allow_private_networks: false, max_bytes: 1 };
        let allowed = page_address(&text, &rules).ok().and_then(|url| url::Url::parse(&url).ok());
        let is_inside = allowed.is_some_and(|url| match url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            host => host.is_none_or(|host| host == url::Host::Domain("localhost")),
        });
        prop_assert!(!is_inside);
    }

    #[test]
    fn what_servers_send_is_read_without_harm(text in text(), bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let page = PageAddress::parse("https://x.org/d/a?b").unwrap();
        for input in [text.as_bytes(), &bytes] {
            let _ = PageLinks::of_html(input).resolved(&page).count();
            let _ = PageLinks::of_markdown(input).resolved(&page).count();
            let _ = Robots::parse(input).allows(&text);
            let _ = Sitemap::parse(input);
        }
    }
}
