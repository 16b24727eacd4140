use super::*;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(tokens(text), expected, "{text:?}");
}

#[test]
fn words_are_stemmed() {
    check("Running the Deployments, quickly.", &["run", "the", "deploy", "quick"]);
    check("a I of", &["a", "i", "of"]);
    check("", &[]);
    check("…!? -- —", &[]);
}

#[test]
fn accents_are_folded() {
    check("Café naïve STRASSE straße", &["cafe", "naiv", "strass", "strass"]);
    check("Cafe\u{301}", &["cafe"]);
    check("Ærøskøbing Łódź", &["aeroskob", "lodz"]);
    check("Ｋ８ｓ", &["k8s"]);
    check("ΆΛΦΑ άλφας", &["αλφα", "αλφασ"]);
}

#[test]
fn other_scripts_keep_their_letters() {
    check("Привет мир й", &["привет", "мир", "й"]);
    check("שָׁלוֹם", &["שלום"]);
    check("हिन्दी", &["हिन्दी"]);
}

#[test]
fn camel_case() {
    check("readOnlyRoot", &["readonlyroot", "read", "onli", "root"]);
    check("StatefulSets", &["statefulset", "state", "set"]);
    check("HTTPServer", &["httpserver", "http", "server"]);
    check("utf8Decoder", &["utf8decoder", "utf8", "decod"]);
    check("CoW", &["cow"]);
    check("IPv4 iOS eBPF k8s sha256", &["ipv4", "io", "ebpf", "k8s", "sha256"]);
}

#[test]
fn plural_acronyms() {
    check("URLs VMs APIs DNS IDs", &["url", "vm", "api", "dns", "id"]);
}

#[test]
fn identifiers_as_a_whole_and_in_parts() {
    check("snake_case", &["snake_case", "snake", "case"]);
    check("kube-apiserver", &["kube-apiserver", "kube", "apiserv"]);
    check("spec.replicas", &["spec.replicas", "spec", "replica"]);
    check("path/to/x", &["path/to/x", "path", "to", "x"]);
    check("std::fs::read", &["std::fs::read", "std", "fs", "read"]);
    check("MAX_RETRIES", &["max_retries", "max", "retri"]);
    check("a.maxRetries", &["a.maxretries", "a", "maxretri", "max", "retri"]);
    check("__init__", &["init"]);
}

#[test]
fn path_components_that_are_identifiers() {
    check("docs/my-pod.md", &["docs/my-pod.md", "my-pod.md", "doc", "my", "pod", "md"]);
    check("https://k8s.io/docs", &["https", "k8s.io/docs", "k8s.io", "k8s", "io", "doc"]);
}

#[test]
fn flags() {
    check("--dry-run=client", &["--dry-run", "dry-run", "dri", "run", "client"]);
    check("-v ls", &["-v", "v", "ls"]);
    check("a -- b - c", &["a", "b", "c"]);
    check("-5", &["5"]);
    check("(--all)", &["--all", "all"]);
}

#[test]
fn signs_that_belong_to_a_name() {
    check("$match", &["$match", "match"]);
    check(".NET", &[".net", "net"]);
    check("C++ and C# or F#.", &["c++", "c", "and", "c#", "c", "or", "f#", "f"]);
    check("@scope/pkg", &["@scope/pkg", "scope/pkg", "scope", "pkg"]);
    check("issue #12", &["issu", "12"]);
    check("end.\nNext", &["end", "next"]);
}

#[test]
fn versions() {
    check("1.2.3", &["1.2.3", "1.2"]);
    check("v1.25", &["v1.25", "1.25"]);
    check("v1.25.3", &["v1.25.3", "1.25.3", "1.25"]);
    check("nginx:1.14.2-alpine", &["nginx", "1.14.2-alpine", "1.14.2", "1.14", "alpin"]);
    check("v1", &["v1"]);
    check("3.5", &["3.5"]);
}

#[test]
fn apostrophes() {
    check("the pod's don't users'", &["the", "pod", "don't", "user"]);
    check("the pod’s", &["the", "pod"]);
}

#[test]
fn scripts_without_spaces_become_bigrams() {
    check("日本語", &["日本", "本語"]);
    check("猫", &["猫"]);
    check("Kubernetes集群管理", &["kubernet", "集群", "群管", "管理"]);
    check("한국어", &["한국", "국어"]);
    check("ไทย", &["ไท", "ทย"]);
    check("カ\u{3099}キ", &["ガキ"]);
}

#[test]
fn long_words_are_cut() {
    check(&"a".repeat(100), &[&"a".repeat(64)]);
    check(&"é".repeat(100), &[&"e".repeat(64)]);
    let path = vec!["abc"; 40].join("/");
    assert!(tokens(&path).iter().all(|token| token.len() <= MAX_BYTES));
}

#[test]
fn blobs_do_not_explode() {
    let blob = "aGVsbG8gd29ybGQgdGhpcyBpcyBhIHRlc3Qgb2YgYmFzZTY0IGVuY29kaW5n";
    check(blob, &[&blob.to_lowercase()]);
}

#[test]
fn a_callback_may_tokenise() {
    let mut inner = Vec::new();
    for_each_token("one two", &mut |token| inner.extend(tokens(token)));
    assert_eq!(inner, ["one", "two"]);
}
