#!/usr/bin/env bash
# Times `docent validate` on 5,000 files.
#   benches/validate/run.sh [FOLDER]        (pages to copy under varied names; without it they are generated)
set -euo pipefail
docent="${DOCENT:-$(dirname "$0")/../../target/release/docent}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" "${1:-}" <<'PYTHON'
import pathlib, random, sys
work, seeds = pathlib.Path(sys.argv[1]), sys.argv[2]
random.seed(1)
def generated(number):
    parts = [f"---\ntitle: Page {number}\nmetadata:\n  language: {random.choice(['go', 'rust'])}\n---\n# Page {number}\n"]
    for section in range(random.randint(3, 12)):
        words = " ".join(random.choice("retry pod token schema cache index shard queue lease".split()) for _ in range(120))
        parts.append(f"\n## Section {section}\n\n{words} [next](page-{(number + 1) % 5000}.md#section-1)\n\n```go\nfunc f() {{}}\n```\n")
    return "".join(parts)
pages = [path.read_text() for path in sorted(pathlib.Path(seeds).rglob("*.md"))] if seeds else []
total = 0
for number in range(5000):
    text = pages[number % len(pages)] if pages else generated(number)
    folder = work / f"part-{number % 40}" if pages else work
    folder.mkdir(exist_ok=True)
    (folder / f"page-{number}.md").write_text(text)
    total += len(text.encode())
(work / ".docs-mcp.json").write_text('{"version": "1", "strategy": {"chunk_by": "h2"}, "taxonomy": {"language": ["go", "rust"]},'
    ' "overrides": [{"pattern": "part-1/**", "strategy": {"chunk_by": "h3"}}]}')
print(f"5000 files, {total / 1e6:.1f} MB")
PYTHON
for run in 1 2 3 4 5; do
    start=$(date +%s%N)
    "$docent" validate --docs-dir "$work" --json >"$work.json" || true
    echo "run $run: $(( ($(date +%s%N) - start) / 1000000 )) ms, $(python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(report["files"], "files,", report["errors"], "errors,", report["warnings"], "warnings")' "$work.json")"
done
rm -f "$work.json"
