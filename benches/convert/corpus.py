#!/usr/bin/env python3
"""Builds a corpus of a few hundred real files of many formats, for `bench.py`.

usage: corpus.py OUT REPOS

OUT gets the files and `sources.tsv`, which says where each came from. REPOS is a folder with bare clones of the public
repositories in SOURCES, named `owner+name/repo`; one that is missing is left out. What this machine can make is made: Word,
PowerPoint, Excel and OpenDocument files, books, notebooks and PDFs out of this repository's own documentation, and web pages
of several generators (MkDocs, Sphinx, and mdBook and rustdoc from the documentation of the Rust toolchain).

Needs: pip install python-docx python-pptx openpyxl odfpy ebooklib weasyprint markdown mkdocs-material sphinx furo myst-parser pypdf

A PDF is left out when it needs a password or when pypdf finds fewer than 40 letters in it, because neither program does OCR.
"""
import json, random, re, subprocess, sys, tempfile
from pathlib import Path

OUT, REPOS = Path(sys.argv[1]), Path(sys.argv[2])
HERE = Path(__file__).resolve().parent
DOCS = HERE.parent.parent / "docs"
RUST = Path(subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()) / "share/doc/rust/html"

# repository, pattern of paths, most files
SOURCES = [
    ("microsoft+markitdown", r"\.(pdf|docx|pptx|xlsx|epub|ipynb|html|rtf)$", 60),
    ("jsvine+pdfplumber", r"\.pdf$", 22),
    ("py-pdf+sample-files", r"\.(pdf|odt)$", 16),
    ("pdfminer+pdfminer.six", r"\.pdf$", 12),
    ("mozilla+pdf.js", r"^test/pdfs/[a-z].*\.pdf$", 24),
    ("jgm+pandoc", r"^test/docx/[^/]*\.docx$", 14),
    ("jgm+pandoc", r"^test/pptx/.*/output\.pptx$", 8),
    ("jgm+pandoc", r"\.odt$", 8),
    ("jgm+pandoc", r"\.epub$", 4),
    ("jgm+pandoc", r"\.rtf$", 6),
    ("jgm+pandoc", r"^(doc|test)/[^/]*\.(rst|org|textile)$", 6),
    ("scanny+python-pptx", r"features/steps/test_files/.*\.pptx$", 8),
    ("python-openxml+python-docx", r"features/steps/test_files/.*\.docx$", 8),
    ("tidyverse+readxl", r"(tests|inst)/.*\.xlsx$", 12),
    ("jakevdp+PythonDataScienceHandbook", r"^notebooks/.*\.ipynb$", 20),
    ("apache+tika", r"test-documents/test[^/]*\.(html|csv|xml)$", 12),
]

random.seed(2026)
sources = []


def keep(name, data, source):
    name = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    if isinstance(data, str):
        data = data.encode()
    if not data or data.startswith(b"version https://git-lfs") or (OUT / name).exists():
        return
    if name.endswith(".pdf") and not has_text(data):
        return
    (OUT / name).write_bytes(data)
    sources.append((name, source))


def has_text(data):
    import io, logging, pypdf
    logging.disable(logging.CRITICAL)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return False
        letters = 0
        for page in reader.pages[:5]:
            letters += sum(char.isalpha() for char in page.extract_text())
        return letters >= 40
    except Exception:
        return False


def public():
    for repo, pattern, most in SOURCES:
        git = ["git", f"--git-dir={REPOS / repo / 'repo'}"]
        listed = subprocess.run([*git, "ls-tree", "-r", "-l", "HEAD"], capture_output=True, text=True).stdout
        found = []
        for line in listed.splitlines():
            info, path = line.split("\t", 1)
            size = info.split()[3]
            if re.search(pattern, path) and size.isdigit() and 200 < int(size) < 6_000_000 and "encrypt" not in path and "password" not in path:
                found.append(path)
        random.shuffle(found)
        done = 0
        for path in found:
            if done >= most:
                break
            data = subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True).stdout
            before = len(sources)
            short = path.replace("/output.", "-output.").rsplit("/", 2)
            keep(f"{repo.split('+')[1]}-{'-'.join(short[-2:]) if 'output' in path else short[-1]}", data, f"github.com/{repo.replace('+', '/')} {path}")
            done += len(sources) - before


def pages():
    """(name, title, Markdown) of our own documentation."""
    for path in sorted(DOCS.glob("*/*.md")):
        yield path.stem, path.read_text().splitlines()[0].lstrip("# "), path.read_text()


def html_of(text):
    import markdown
    return markdown.markdown(text, extensions=["tables", "fenced_code"])


def own():
    import docx, openpyxl, pptx, weasyprint
    from ebooklib import epub
    book = epub.EpubBook()
    book.set_title("Documentation")
    spine = []
    for number, (name, title, text) in enumerate(pages()):
        page = html_of(text)
        styles = ["body{font:11pt serif} table{border-collapse:collapse} td,th{border:1px solid #333;padding:3px}",
                  "body{font:10pt sans-serif;columns:2} pre{white-space:pre-wrap;font-size:7pt}",
                  "body{font:11pt serif} td,th{padding:3px 12px;text-align:left} @page{@top-center{content:'Documentation'}@bottom-center{content:counter(page)}}"]
        pdf = weasyprint.HTML(string=f"<title>{title}</title><style>{styles[number % 3]}</style>{page}").write_pdf()
        keep(f"own-{name}.pdf", pdf, "made here with weasyprint")
        keep(f"own-{name}-plain.html", f"<!doctype html><html><head><title>{title}</title></head><body>{page}</body></html>", "made here")
        chapter = epub.EpubHtml(title=title, file_name=f"{name}.xhtml")
        chapter.content = page
        book.add_item(chapter)
        spine.append(chapter)
        lines = text.splitlines()
        if number % 2 == 0:
            document, deck, slide = docx.Document(), pptx.Presentation(), None
            for line in lines:
                if heading := re.match(r"(#+) (.*)", line):
                    document.add_heading(heading[2], min(len(heading[1]), 9))
                    slide = deck.slides.add_slide(deck.slide_layouts[1])
                    slide.shapes.title.text = heading[2]
                elif line.startswith("- "):
                    document.add_paragraph(line[2:], style="List Bullet")
                elif line.strip():
                    document.add_paragraph(line)
                if slide and line.strip() and not line.startswith("#"):
                    slide.placeholders[1].text_frame.add_paragraph().text = line[:200]
            document.save(OUT / f"own-{name}.docx")
            deck.save(OUT / f"own-{name}.pptx")
            sources.extend([(f"own-{name}.docx", "made here with python-docx"), (f"own-{name}.pptx", "made here with python-pptx")])
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
        if len(rows) > 5:
            workbook = openpyxl.Workbook()
            for row in rows:
                workbook.active.append(row)
            workbook.save(OUT / f"own-{name}.xlsx")
            sources.append((f"own-{name}.xlsx", "made here with openpyxl"))
            keep(f"own-{name}.csv", "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows), "made here")
        cells = [{"cell_type": "markdown", "metadata": {}, "source": part} for part in text.split("\n\n")]
        if number % 3 == 0:
            keep(f"own-{name}.ipynb", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}), "made here")
        keep(f"own-{name}.md", text, "this repository")
    book.spine = spine
    book.toc = spine
    book.add_item(epub.EpubNcx())
    epub.write_epub(str(OUT / "own-documentation.epub"), book)
    sources.append(("own-documentation.epub", "made here with ebooklib"))


def sites():
    """The same documentation as pages of site generators."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "mkdocs.yml").write_text(f"site_name: Docs\ndocs_dir: {DOCS}\ntheme: {{name: material}}\n")
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "-q", "-f", folder / "mkdocs.yml", "-d", folder / "mk"])
        (folder / "conf.py").write_text("extensions=['myst_parser']\nhtml_theme='furo'\n")
        subprocess.run(["cp", "-r", DOCS, folder / "src"])
        (folder / "src" / "conf.py").write_text("extensions=['myst_parser']\nhtml_theme='furo'\n")
        (folder / "src" / "index.md").write_text("# Docs\n\n```{toctree}\n:glob:\n*/*\n```\n")
        subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", folder / "src", folder / "sphinx"])
        for site in ["mk", "sphinx"]:
            for path in sorted((folder / site).glob("*/**/*.html"))[:40]:
                if path.stat().st_size > 4000 and "_" not in path.parts[-2]:
                    keep(f"{site}-{'-'.join(path.relative_to(folder / site).parts)}", path.read_bytes(), f"made here with {'MkDocs' if site == 'mk' else 'Sphinx'}")
    for generator, pattern, most in [("mdbook", "book/ch*.html", 10), ("rustdoc", "std/*/struct.*.html", 10), ("rustdoc", "std/*/index.html", 5), ("mdbook", "cargo/reference/*.html", 5)]:
        found = [path for path in sorted(RUST.glob(pattern)) if path.stat().st_size < 2_000_000]
        random.shuffle(found)
        for path in found[:most]:
            keep(f"{generator}-{path.parent.name}-{path.name}", path.read_bytes(), f"documentation of the Rust toolchain, {path.relative_to(RUST)}")


OUT.mkdir(parents=True, exist_ok=True)
public()
own()
sites()
(OUT / "sources.tsv").write_text("".join(f"{name}\t{source}\n" for name, source in sorted(sources)))
counts = {}
for name, _ in sources:
    counts[name.rsplit(".", 1)[-1]] = counts.get(name.rsplit(".", 1)[-1], 0) + 1
print(len(sources), "files:", ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items(), key=lambda item: -item[1])))
