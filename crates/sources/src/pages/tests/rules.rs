//! Which addresses are asked, and that nobody is connected to otherwise.

use super::server::{Server, ok, reply};
use super::{PUBLIC, World, port};
use crate::pages::{FetchRules, page_address};

/// All addresses that hostile inputs are known to hide, and some public ones, lead to one server, which must not be asked.
fn trap() -> (Server, World) {
    let server = Server::start(|_| ok(b"secret"));
    let mut world = World::new();
    for address in [
        "127.0.0.1",
        "0.0.0.0",
        "::1",
        "::",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b:1::a9fe:a9fe",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "fe80::1",
        "fd00:ec2::254",
        "169.254.169.254",
        "169.254.170.2",
        "100.100.100.200",
        "168.63.129.16",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "224.0.0.1",
        "ff02::1",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "2001:db8::1",
        "240.0.0.1",
        "255.255.255.255",
        "::ffff:a9fe:a9fe",
        "198.18.0.1",
        "192.0.0.8",
        PUBLIC,
    ] {
        world = world.at(address, port(&server));
    }
    for name in
        ["localhost", "foo.localhost", "metadata.google.internal", "metadata", "printer.local", "example.com"]
    {
        world = world.name(name, &[&[PUBLIC]]);
    }
    (server, world)
}

/// Refused before anything is looked up.
fn refused(input: &str) {
    let (server, world) = trap();
    let error = world.refusal(input);
    assert!(error.is_usage, "{input:?}: {error}");
    assert!(page_address(input, &world.rules).is_err(), "{input:?}");
    assert_eq!(world.lookups(), [""; 0], "{input:?}");
    assert_eq!(world.dialled(), [""; 0], "{input:?}");
    assert!(server.requests().is_empty(), "{input:?}");
    // A redirect to it is refused as well.
    if !input.bytes().any(|byte| byte.is_ascii_control()) {
        let location = format!("Location: {input}");
        let public = Server::start(move |_| reply("302 Found", &location, b""));
        let world = world.name("public.test", &[&["93.184.216.35"]]).at("93.184.216.35", port(&public));
        // What names no host is an address on the same server.
        if input.contains(':') || input.starts_with("//") {
            world.refusal("http://public.test/");
            assert_eq!(world.lookups(), ["public.test"], "{input:?}");
        }
        assert!(server.requests().is_empty(), "{input:?}");
    }
}

/// Refused in the words for everything inside.
fn inside(input: &str) {
    refused(input);
    let error = trap().1.refusal(input);
    let (_, said) = error.message.split_once(' ').unwrap();
    assert_eq!(said, "is not fetched: it leads to this machine or into a private network", "{input:?}");
    assert!(error.hint.contains("library.allow_private_networks"), "{error:?}");
}

#[test]
fn names_of_this_machine_and_of_networks_inside() {
    inside("http://localhost/");
    inside("http://LOCALHOST/");
    inside("http://foo.localhost/");
    inside("http://metadata.google.internal/computeMetadata/v1/");
    inside("http://metadata/");
    inside("http://printer.local:8080/");
    inside("https://x.home.arpa/");
    refused("http://localhost./");
    refused("http://example.com./");
}

#[test]
fn ipv4_addresses_however_they_are_written() {
    inside("http://127.0.0.1/");
    inside("http://127.1/");
    inside("http://2130706433/");
    inside("http://0x7f000001/");
    inside("http://0x7f.1/");
    inside("http://017700000001/");
    inside("http://0177.0.0.1/");
    inside("http://0/");
    inside("http://0xa9fea9fe/");
    inside("http://0251.0376.0251.0376/");
    inside("http://2852039166/");
    inside("http://169.254.169.254/latest/meta-data/");
    inside("http://１２７.0.0.1/");
    inside("http://①②⑦.⓪.⓪.①/");
    inside("http://127。0。0。1/");
    inside("http://127．0．0．1/");
    inside("http://127.0.0.1#@example.com/");
    refused("http://127.0.0.1./");
    refused("http://127.0.0.256/");
    refused("http://1.2.3.4.5/");
}

#[test]
fn ipv6_addresses_and_what_is_inside_them() {
    inside("http://[::1]/");
    inside("http://[0000:0000:0000:0000:0000:0000:0000:0001]/");
    inside("http://[::]/");
    inside("http://[::ffff:127.0.0.1]/");
    inside("http://[::ffff:7f00:1]/");
    inside("http://[::ffff:a9fe:a9fe]/");
    inside("http://[::127.0.0.1]/");
    inside("http://[64:ff9b::7f00:1]/");
    inside("http://[64:ff9b:1::a9fe:a9fe]/");
    inside("http://[2002:7f00:1::]/");
    inside("http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/");
    inside("http://[fe80::1]/");
    inside("http://[fd00:ec2::254]/latest/meta-data/");
    inside("http://[ff02::1]/");
    inside("http://[2001:db8::1]/");
    refused("http://[fe80::1%25eth0]/");
    refused("http://[fe80::1%eth0]/");
    refused("http://[::1/");
}

#[test]
fn networks_that_are_not_public() {
    inside("http://10.0.0.1/");
    inside("http://172.16.0.1/");
    inside("http://172.31.255.255/");
    inside("http://192.168.1.1/");
    inside("http://100.64.0.1/");
    inside("http://100.100.100.200/latest/meta-data/");
    inside("http://168.63.129.16/");
    inside("http://169.254.170.2/v2/credentials");
    inside("http://224.0.0.1/");
    inside("http://240.0.0.1/");
    inside("http://255.255.255.255/");
    inside("http://192.0.2.1/");
    inside("http://198.51.100.1/");
    inside("http://203.0.113.1/");
    inside("http://198.18.0.1/");
    inside("http://192.0.0.8/");
}

#[test]
fn texts_that_readers_of_addresses_disagree_about() {
    refused("http://example.com@127.0.0.1/");
    refused("http://127.0.0.1@example.com/");
    refused("http://user:pa55@example.com/");
    refused("http://exa\tmple.com@127.0.0.1/");
    refused("http://exa\tmple.com/");
    refused("http://127.0.0.1:80\n.example.com/");
    refused("\0http://127.0.0.1/");
    refused(" http://127.0.0.1/");
    refused("http://example.com/\u{7f}");
    refused("http://example.com\\@127.0.0.1/");
    refused("http:\\\\127.0.0.1\\");
    refused("http://127.0.0.1\\.example.com/");
    refused("//127.0.0.1/");
    refused("http:127.0.0.1");
    refused("http:/127.0.0.1/");
    refused("http:///127.0.0.1/");
    refused("///127.0.0.1/");
    refused("https://");
    refused("http://:80/");
    refused("http://exa mple.com/");
    refused("http://a.b\r\nX-Injected: 1/");
    refused("http://example.com/ HTTP/1.1\r\nX-Injected: 1");
    refused("http://exa%6dple.com/");
    refused("http://127%2e0.0.1/");
    refused("http://exa\u{200b}mple.com/");
    refused("http://exa\u{ad}mple.com/");
    refused("http://-x.example.com/");
    refused("http://ex<ample.com/");
    refused("http://example.com:0/");
    refused("http://example.com:99999/");
    refused("http://example.com:80:80/");
    refused(&format!("http://example.com/{}", "a".repeat(70_000)));
}

#[test]
fn schemes_other_than_http() {
    for input in [
        "file:///etc/passwd",
        "FILE:///etc/passwd",
        "file://localhost/etc/passwd",
        "file:///srv/docs/%2e%2e/%2e%2e/etc/passwd",
        "gopher://127.0.0.1:6379/_FLUSHALL",
        "ftp://127.0.0.1/",
        "data:text/html,<h1>x</h1>",
        "javascript:alert(1)",
        "jar:http://127.0.0.1!/",
        "unix:/var/run/docker.sock",
        "view-source:http://127.0.0.1/",
        "ws://example.com/",
        "",
        "example.com",
    ] {
        refused(input);
    }
}

#[test]
fn ports_of_other_services() {
    for port in [22, 25, 6379, 8000, 9200, 65535] {
        refused(&format!("http://example.com:{port}/"));
    }
    let error = trap().1.refusal("http://example.com:22/");
    assert!(error.hint.contains("library.allow_private_networks"), "{error:?}");
}

#[test]
fn addresses_have_one_form() {
    let rules = FetchRules { allow_private_networks: false, max_bytes: 1 };
    for (input, expected) in [
        ("HTTP://Example.COM:80/a/../b?q#f", "http://example.com/b?q"),
        ("https://example.com", "https://example.com/"),
        ("https://example.com:8443/ü", "https://example.com:8443/%C3%BC"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://ｅｘａｍｐｌｅ.com/", "https://example.com/"),
        ("http://example.com/%0d%0aX-Injected:%201", "http://example.com/%0d%0aX-Injected:%201"),
        ("https://1.1.1.1/a|b^c", "https://1.1.1.1/a|b^c"),
        ("https://example.com/@x:y@z", "https://example.com/@x:y@z"),
    ] {
        assert_eq!(page_address(input, &rules).unwrap(), expected);
    }
}

#[test]
fn what_is_encoded_stays_encoded() {
    let server = Server::start(|_| ok(b"x"));
    World::public(&server).page("http://public.test/%0d%0aX-Injected:%201");
    let requests = server.requests();
    assert_eq!(requests[0].path, "/%0d%0aX-Injected:%201");
    assert_eq!(requests[0].header("x-injected"), None);
}

#[test]
fn credentials_are_not_repeated() {
    for input in [
        "http://user:s3cret@example.com/",
        "http:user:s3cret@example.com",
        "ftp://user:s3cret@example.com/",
        "http://us er:s3cret@example.com/",
        "http:///user:s3cret@example.com/",
    ] {
        let error = World::new().refusal(input);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    let server = Server::start(|_| reply("302 Found", "Location: http://user:s3cret@example.com/", b""));
    let error = World::public(&server).refusal("http://public.test/");
    assert!(!format!("{error:?}").contains("s3cret") && error.message.contains("credentials"), "{error:?}");
}

#[test]
fn every_address_of_the_answer_must_be_public() {
    let secret = Server::start(|_| ok(b"secret"));
    for answer in [
        &["127.0.0.1"][..],
        &["::ffff:127.0.0.1"],
        &[PUBLIC, "127.0.0.1"],
        &[PUBLIC, "fe80::1"],
        &["10.1.2.3", PUBLIC],
        &["64:ff9b::a9fe:a9fe"],
    ] {
        let mut world = World::new().name("rebound.test", &[answer]);
        for address in answer {
            world = world.at(address, port(&secret));
        }
        let said = world.refusal("http://rebound.test/");
        assert!(said.message.ends_with("it leads to this machine or into a private network"), "{said}");
        assert!(!said.message.contains("127") && !said.message.contains("10."), "{said}");
        assert_eq!(world.lookups(), ["rebound.test"]);
        assert_eq!(world.dialled(), [""; 0]);
    }
    assert!(secret.requests().is_empty());
}

#[test]
fn a_name_is_looked_up_once_for_each_hop() {
    let public = Server::start(|request| match request.path.as_str() {
        "/" => reply("302 Found", "Location: /b", b""),
        _ => ok(b"b"),
    });
    let secret = Server::start(|_| ok(b"secret"));
    // The second answer is another one: it counts for the second hop, and is checked there.
    let rebinding = |second: &str| {
        World::new()
            .name("public.test", &[&[PUBLIC], &[second]])
            .at(PUBLIC, port(&public))
            .at("127.0.0.1", port(&secret))
    };
    let world = rebinding("127.0.0.1");
    assert_eq!(world.page("http://public.test/b").bytes, b"b");
    assert_eq!(world.lookups(), ["public.test"]);
    let world = rebinding("127.0.0.1");
    let said = world.refusal("http://public.test/");
    assert!(said.message.contains("private network"), "{said}");
    assert_eq!(world.lookups(), ["public.test", "public.test"]);
    assert_eq!(world.dialled(), [format!("{PUBLIC}:80")]);
    assert!(secret.requests().is_empty());
    assert_eq!(rebinding(PUBLIC).page("http://public.test/").bytes, b"b");
}

#[test]
fn the_refusal_does_not_tell_what_is_there() {
    let said = |answer: &[&str]| World::new().name("x.test", &[answer]).refusal("http://x.test/");
    // One of them is listening and the other is not.
    let listening = Server::start(|_| ok(b"secret"));
    let there = World::new().name("x.test", &[&["127.0.0.1"]]).at("127.0.0.1", port(&listening));
    assert_eq!(there.refusal("http://x.test/"), said(&["10.9.8.7"]));
    let direct = World::new().refusal("http://10.9.8.7/");
    assert_eq!(direct.message.replace("10.9.8.7", "x.test"), said(&["10.9.8.7"]).message);
    let redirecting = Server::start(|_| reply("302 Found", "Location: http://192.168.0.1:22/", b""));
    let redirected = World::public(&redirecting).refusal("http://public.test/");
    assert_eq!(redirected.message.replace("public.test", "x.test"), said(&["10.9.8.7"]).message);
}

#[test]
fn private_networks_can_be_allowed_and_nothing_else() {
    let server = Server::start(|request| match request.path.as_str() {
        "/r" => reply("302 Found", "Location: http://localhost.test:81/x", b""),
        "/f" => reply("302 Found", "Location: file:///etc/passwd", b""),
        _ => ok(b"inside"),
    });
    let world = World::open().name("localhost.test", &[&["127.0.0.1"]]).at("127.0.0.1", port(&server));
    assert_eq!(world.page("http://127.0.0.1:81/x").bytes, b"inside");
    assert_eq!(world.page("http://127.0.0.1:81/r").bytes, b"inside");
    assert!(world.refusal("http://127.0.0.1:81/f").message.contains("neither http nor https"));
    for input in
        ["http://u:p@127.0.0.1/", "file:///etc/passwd", "http://127.0.0.1\\/", "http://[fe80::1%25lo]/"]
    {
        assert!(world.refusal(input).is_usage, "{input}");
    }
}

#[test]
fn a_proxy_of_the_environment_is_not_used() {
    let name = "pages::tests::rules::a_proxy_of_the_environment_is_not_used";
    // The environment cannot be changed in the middle of a process, so this test runs itself again in another one.
    if let Ok(port) = std::env::var("DOCENT_TEST_BEHIND_PROXY") {
        let world = World::new().name("public.test", &[&[PUBLIC]]).at(PUBLIC, port.parse().unwrap());
        assert_eq!(world.page("http://public.test/").bytes, b"direct");
        return;
    }
    let server = Server::start(|_| ok(b"direct"));
    let proxy = Server::start(|_| ok(b"by proxy"));
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", name]).env("DOCENT_TEST_BEHIND_PROXY", port(&server).to_string());
    for variable in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        again.env(variable, proxy.url(""));
    }
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((server.requests().len(), proxy.requests().len()), (1, 0));
}
