//! Host and Origin, on every route.

use docent_web::WebConfig;

use crate::support::*;

const ROUTES: [&str; 7] = ["/mcp", "/sse", "/messages", "/livez", "/readyz", "/metrics", "/nowhere"];

fn server() -> Server {
    let allowed_hosts = vec!["docs.example.com".to_owned(), "proxy.example.com:8443".to_owned()];
    let allowed_origins = vec!["https://app.example.com".to_owned()];
    Server::start(WebConfig { sse: true, allowed_hosts, allowed_origins, ..WebConfig::default() })
}

#[test]
fn a_request_for_another_host_is_misdirected_on_every_route() {
    let server = server();
    let port = server.addr.port();
    for route in ROUTES {
        for host in [
            "evil.example.com",
            &format!("evil.example.com:{port}"),
            "localhost:1",
            "0.0.0.0",
            "127.0.0.1.nip.io",
        ] {
            let answer = server.get(route).header("Host", host).send();
            assert_eq!(answer.status, 421, "{route} {host}");
            assert_eq!(answer.code(), 421);
        }
    }
}

#[test]
fn a_host_with_a_user_name_is_no_host() {
    let server = server();
    let port = server.addr.port();
    for host in [
        &format!("localhost:{port}@evil.com"),
        "user@localhost",
        "localhost,evil.com",
        "",
        "[::1",
        "localhost:x",
    ] {
        assert_eq!(server.get("/livez").header("Host", host).send().status, 400, "{host}");
    }
}

#[test]
fn two_hosts_or_none_are_a_bad_request() {
    let server = server();
    let host = server.addr.to_string();
    for route in ROUTES {
        assert_eq!(server.get(route).without("Host").send().status, 400);
        assert_eq!(server.get(route).header("Host", &host).header("Host", &host).send().status, 400);
        assert_eq!(server.get(route).header("Host", &host).header("host", "evil.com").send().status, 400);
    }
}

#[test]
fn own_names_and_allowed_hosts_are_answered() {
    let server = server();
    let port = server.addr.port();
    for host in [
        "localhost",
        &format!("localhost:{port}"),
        "LocalHost",
        "127.0.0.1",
        &format!("127.0.0.1:{port}"),
        &format!("127.3.2.1:{port}"),
        &format!("[::1]:{port}"),
        "docs.example.com",
        &format!("docs.example.com:{port}"),
        "proxy.example.com:8443",
    ] {
        assert_eq!(server.get("/livez").header("Host", host).send().status, 200, "{host}");
    }
}

#[test]
fn a_target_with_a_host_counts_too() {
    let server = server();
    let own = server.addr;
    let ask = |target: &str, host: &str| {
        raw(own, format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).finish().status
    };
    assert_eq!(ask(&format!("http://{own}/livez"), &own.to_string()), 200);
    assert_eq!(ask("http://evil.example.com/livez", &own.to_string()), 421);
    assert_eq!(ask(&format!("http://{own}/livez"), "evil.example.com"), 421);
    assert_eq!(ask(&format!("http://x@{own}/livez"), &own.to_string()), 400);
    assert_eq!(ask(&format!("ftp://{own}/livez"), &own.to_string()), 400);
    assert_eq!(ask("*", &own.to_string()), 404);
}

#[test]
fn http_1_0_is_answered_and_needs_a_host_too() {
    let server = server();
    let ask = |head: &str| raw(server.addr, format!("GET /livez HTTP/1.0\r\n{head}\r\n").as_bytes()).finish();
    let answer = ask("Host: localhost\r\n");
    assert_eq!((answer.status, answer.text().as_str()), (200, "ok\n"));
    assert_eq!(ask("").status, 400);
    assert_eq!(ask("Host: evil.example.com\r\n").status, 421);
}

#[test]
fn an_origin_that_may_not_call_is_forbidden_on_every_route() {
    let server = server();
    let own = format!("http://{}@evil.com", server.addr);
    for route in ROUTES {
        for origin in [
            "http://evil.example.com",
            "null",
            "",
            "file://",
            &own,
            "http://localhost.evil.com",
            "https://localhost/",
        ] {
            let answer = server.get(route).header("Origin", origin).send();
            assert_eq!((answer.status, answer.code()), (403, 403), "{route} {origin}");
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
    let two = server.get("/livez").header("Origin", "http://localhost").header("Origin", "http://evil.com");
    assert_eq!(two.send().status, 403);
    let preflight = server.get("/mcp").method("OPTIONS").header("Origin", "http://evil.com");
    assert_eq!(preflight.header("Access-Control-Request-Method", "POST").send().status, 403);
}

#[test]
fn an_origin_that_may_call_is_told_so() {
    let server = server();
    for origin in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:9", "https://app.example.com"]
    {
        let answer = server.modern_call("echo").header("Origin", origin).send();
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
        assert_eq!(answer.header("vary"), Some("origin"));
        assert!(answer.header("access-control-expose-headers").unwrap().contains("mcp-session-id"));
    }
    assert_eq!(server.modern_call("echo").send().header("access-control-allow-origin"), None);
}

#[test]
fn a_preflight_is_answered() {
    let server = server();
    let preflight = server.get("/mcp").method("OPTIONS").header("Origin", "http://localhost:5173");
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let answer =
        preflight.header("Access-Control-Request-Headers", "content-type, mcp-param-region, x-other").send();
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, POST, DELETE"));
    let headers = answer.header("access-control-allow-headers").unwrap();
    assert!(headers.contains("mcp-protocol-version") && headers.contains("mcp-param-region"), "{headers}");
    assert!(!headers.contains("x-other"), "{headers}");
}
