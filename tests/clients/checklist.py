"""What every client must be able to do with docent: one list of steps for all clients and transports.

The documents are those in docs/. Every fact in them stands in one place only, so each search has one right answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sessions import Failed

TOOLS = ["search_docs", "get_doc", "get_page", "get_section", "list_pages", "get_status"]
PAGES = [
    "guides/backups.md",
    "guides/installation.md",
    "index.md",
    "reference/python-client.md",
    "reference/rust-client.md",
]
MOON = "guides/backups.md#backups/moon-schedule"


class Client(Protocol):
    """A connected client."""

    can_complete: bool

    def ask(self, method: str, params: dict) -> dict: ...


@dataclass(frozen=True)
class Session:
    """A connected client and the folder that its server serves."""

    client: Client
    docs: Path

    def call(self, tool: str, **arguments: object) -> dict:
        """The structured answer of a tool, which its text must repeat."""
        result = self.client.ask("tools/call", {"name": tool, "arguments": arguments})
        expect(not result.get("isError"), f"{tool} answers", result)
        text, structure = json.loads(result["content"][0]["text"]), result["structuredContent"]
        expect(text == structure, "the text repeats the structure", result)
        return structure

    def first_hit(self, query: str, **filters: object) -> dict:
        """The best hit of a search."""
        results = self.call("search_docs", query=query, **filters)["results"]
        expect(len(results) > 0, f"a hit for {query!r}", results)
        return results[0]


def tools_come_in_order(session: Session) -> None:
    tools = session.client.ask("tools/list", {})["tools"]
    expect([tool["name"] for tool in tools][: len(TOOLS)] == TOOLS, "the tools come in order", tools)
    language = tools[0]["inputSchema"]["properties"].get("language", {})
    expect("rust" in json.dumps(language), "the facet `language` is a parameter of the search", tools[0]["inputSchema"])


def a_unique_phrase_is_found_first(session: Session) -> None:
    hit = session.first_hit("marmalade snapshot at full moon")
    expect(hit["chunk_id"] == MOON, f"the first hit is {MOON}", hit)
    expect("second card" in hit["content"], "the hit has its text", hit)


def a_facet_narrows_the_search(session: Session) -> None:
    hit = session.first_hit("reading a sensor", language="rust")
    expect(hit["metadata"]["file_path"] == "reference/rust-client.md", "only Rust pages are searched", hit)


def a_page_is_read(session: Session) -> None:
    page = session.call("get_page", file_path="guides/installation.md")
    headings = [chunk["heading_path"] for chunk in page["chunks"]]
    expect(page["title"] == "Installation", "the page has its title", page)
    expect("Installation > Wiring the beacon > Powering up" in headings, "the page has all its sections", headings)


def a_section_is_read(session: Session) -> None:
    heading = "Installation > Wiring the beacon"
    section = session.call("get_section", file_path="guides/installation.md", heading_path=heading)
    expect("terminal seven" in section["content"], "the section has its text", section)


def a_wrong_section_says_what_to_do(session: Session) -> None:
    arguments = {"file_path": "guides/installation.md", "heading_path": "Nowhere"}
    result = session.client.ask("tools/call", {"name": "get_section", "arguments": arguments})
    expect(result.get("isError") is True, "a section that is not there is an error of the tool", result)
    text = result["content"][0]["text"]
    expect("Use get_page to see available sections." in text, "the error says what to do", text)


def a_chunk_comes_with_its_neighbours(session: Session) -> None:
    chunk = session.call("get_doc", chunk_id=MOON, context=1)
    neighbours = [part["chunk_id"] for part in [*chunk["before"], *chunk["after"]]]
    wanted = ["guides/backups.md#backups", "guides/backups.md#backups/restoring-a-card"]
    expect(neighbours == wanted, "the chunks around it come along", neighbours)


def all_pages_are_listed(session: Session) -> None:
    pages = [page["file_path"] for page in session.call("list_pages")["pages"]]
    expect(pages == PAGES, "all pages are listed", pages)


def the_status_counts_the_pages(session: Session) -> None:
    status = session.call("get_status")
    expect(status["index"]["total_pages"] == len(PAGES), "the status counts the pages", status)


def collections_are_listed(session: Session) -> None:
    collections = session.call("documents_list_collections")["collections"]
    expect([it["collection"] for it in collections] == ["docs"], "the collection is listed", collections)
    expect(collections[0]["documentCount"] == len(PAGES), "its documents are counted", collections)
    listed = session.call("documents_list_documents", collection="docs", limit=2, offset=1)
    expect([it["id"] for it in listed["documents"]] == PAGES[1:3], "documents come in pages", listed)
    expect(listed["total"] == len(PAGES) and listed["hasMore"] is True, "more documents are announced", listed)


def several_questions_are_answered_in_order(session: Session) -> None:
    queries = [{"query": "terminal seven"}, {"query": "marmalade snapshot", "collections": ["docs"]}]
    answers = session.call("documents_search_batch", queries=queries, limit=1)["results"]
    expect([it["query"] for it in answers] == ["terminal seven", "marmalade snapshot"], "answers are in order", answers)
    found = [it["results"][0]["documentId"] for it in answers]
    expect(found == ["guides/installation.md", "guides/backups.md"], "each question has its answer", answers)


def a_section_is_found_by_its_heading(session: Session) -> None:
    page = {"collection": "docs", "document": "guides/installation.md"}
    outline = session.call("documents_get_outline", **page)["outline"]
    wiring = next(it for it in outline if it["text"] == "Wiring the beacon")
    section = session.call("documents_get_section", section="wiring", **page)
    expect(section["startLine"] == wiring["line"], "the section begins where the outline says", [section, wiring])
    expect("terminal seven" in section["content"], "the section has its text", section)


def related_content_is_of_other_documents(session: Session) -> None:
    related = session.call("documents_find_related", collection="docs", document="reference/rust-client.md")["related"]
    found = [it["document"] for it in related]
    expect(found != [] and "reference/rust-client.md" not in found, "the source is not its own relative", related)


def what_is_not_there_is_an_answer(session: Session) -> None:
    arguments = {"collection": "docs", "document": "nowhere.md"}
    result = session.client.ask("tools/call", {"name": "documents_get_document", "arguments": arguments})
    expect(not result.get("isError"), "a document that is not there is an ordinary answer", result)
    text = result["content"][0]["text"]
    expect(text == 'Document "nowhere.md" not found in collection "docs".', "the answer says so", result)


def resources_are_listed_and_read(session: Session) -> None:
    resources = session.client.ask("resources/list", {})["resources"]
    uris = {resource["name"]: resource["uri"] for resource in resources}
    expect(list(uris) == PAGES, "every page is a resource", resources)
    contents = session.client.ask("resources/read", {"uri": uris["guides/backups.md"]})["contents"]
    expect(contents[0]["text"].startswith("# Backups"), "a resource is the page's text", contents)
    templates = session.client.ask("resources/templates/list", {})["resourceTemplates"]
    expect(templates[0]["uriTemplate"] == "docent://{collection}/{+path}", "there is a template for pages", templates)


def a_template_is_completed(session: Session) -> None:
    if not session.client.can_complete:
        return
    template = {"type": "ref/resource", "uri": "docent://{collection}/{+path}"}
    asked = {"ref": template, "argument": {"name": "path", "value": "guides/b"}, "context": {"arguments": {}}}
    completion = session.client.ask("completion/complete", asked)["completion"]
    expect(completion["values"] == ["guides/backups.md"], "the path is completed", completion)


def a_prompt_is_filled_in(session: Session) -> None:
    names = [prompt["name"] for prompt in session.client.ask("prompts/list", {})["prompts"]]
    expect("answer_from_docs" in names, "there is a prompt for questions", names)
    asked = {"name": "answer_from_docs", "arguments": {"question": "Why two metres?"}}
    messages = session.client.ask("prompts/get", asked)["messages"]
    expect("Why two metres?" in messages[0]["content"]["text"], "the question is in the prompt", messages)


def an_edit_is_found_by_the_next_call(session: Session) -> None:
    page = session.docs / "guides" / "backups.md"
    page.write_text(page.read_text().replace("marmalade snapshot", "tangerine imprint"))
    hit = session.first_hit("tangerine imprint")
    expect(hit["chunk_id"] == MOON and "tangerine" in hit["content"], "new text is found by the next call", hit)
    old = session.call("search_docs", query="marmalade snapshot")["results"]
    expect(all("marmalade" not in hit["content"] for hit in old), "old text is not found any more", old)


def a_new_page_and_a_deleted_one_are_noticed(session: Session) -> None:
    (session.docs / "guides" / "storms.md").write_text("# Storms\n\nFold the cobalt mast before a storm.\n")
    (session.docs / "reference" / "python-client.md").unlink()
    hit = session.first_hit("cobalt mast in a storm")
    expect(hit["metadata"]["file_path"] == "guides/storms.md", "a new page is found by the next call", hit)
    pages = [page["file_path"] for page in session.call("list_pages")["pages"]]
    expect("reference/python-client.md" not in pages, "a deleted page is gone", pages)


NOTES = "# Field notes\n\nThe quokka sleeps by day.  \nAlone.\n\n## Food\n\nIt eats\tleaves \u2014 and herbs.\n"


def a_text_is_taken_in_and_read_back(session: Session) -> None:
    tools = {tool["name"]: tool for tool in session.client.ask("tools/list", {})["tools"]}
    expect("ingest_content" in tools, "documents can be taken in", list(tools))
    note = {"content": NOTES, "name": "field-notes.md", "library": "zoo", "metadata": {"author": "Ada", "year": 1843}}
    taken = session.call("ingest_content", **note)
    expect(taken["status"] == "indexed" and taken["source"] == "field-notes.md", "the text is taken in", taken)
    expect(session.call("ingest_content", **note)["status"] == "skipped", "the same text is skipped", taken)
    document = session.call("get_document", doc_id=taken["doc_id"])
    expect(document["content"] == NOTES, "the text comes back byte for byte", document)
    expect(document["metadata"] == note["metadata"], "what was said of it comes back", document)
    note["content"] = NOTES.replace("quokka", "wombat")
    replaced = session.call("ingest_content", **note)
    expect(replaced["status"] == "replaced", "another text under the name replaces it", replaced)
    expect(replaced["doc_id"] == taken["doc_id"], "its id stays", [taken, replaced])


def a_file_is_taken_in(session: Session) -> None:
    path = session.docs.parent / "files" / "storms.html"
    path.write_text("<html><title>Storms</title><body><h1>Storms</h1><p>Reef the vermilion sail.</p></body></html>")
    taken = session.call("ingest_file", path=str(path), library="zoo")
    expect(taken["status"] == "indexed", "the file is taken in", taken)
    hit = session.call("search", query="vermilion sail", top_k=1)["results"][0]
    expect(hit["doc_id"] == taken["doc_id"] and hit["file_type"] == "html", "the file is found at once", hit)
    hit = session.first_hit("vermilion sail")
    expect(hit["metadata"]["collection"] == "zoo", "the other search finds it, too", hit)


def a_filter_narrows_the_search_of_libraries(session: Session) -> None:
    found = session.call("search", query="wombat sail moon", top_k=20, filter={"metadata.author": "Ada"})["results"]
    expect({it["source"] for it in found} == {"field-notes.md"}, "only what the filter says is found", found)
    found = session.call("search", query="wombat", library="zoo", filter={"file_type": "html"})["results"]
    expect(all(it["file_type"] == "html" for it in found) and found != [], "only HTML is found", found)


def what_is_wrong_with_a_library_call_is_an_answer(session: Session) -> None:
    for tool, arguments in [
        ("search", {"query": "x", "filter": {"colour": "red"}}),
        ("search", {"query": "x", "top_k": 101}),
        ("ingest_file", {"path": "/etc/passwd"}),
        ("ingest_url", {"url": "http://169.254.169.254/"}),
        ("get_document", {"doc_id": "nowhere"}),
        ("delete_document", {"doc_id": "nowhere"}),
    ]:
        answer = session.call(tool, **arguments)
        expect(list(answer) == ["status", "error"] and answer["status"] == "error", f"{tool} says what is wrong", answer)


def documents_are_listed_and_deleted(session: Session) -> None:
    libraries = {it["library"]: it["document_count"] for it in session.call("list_libraries")["libraries"]}
    expect(libraries.get("zoo") == 2, "the library has two documents", libraries)
    documents = session.call("list_documents", library="zoo")
    expect(documents["count"] == 2, "they are listed", documents)
    for document in documents["documents"]:
        deleted = session.call("delete_document", doc_id=document["doc_id"])
        expect(deleted["deleted_chunks"] == document["chunk_count"], "all of its chunks go", [document, deleted])
    expect(session.call("list_documents", library="zoo")["count"] == 0, "nothing is left", libraries)
    left = session.call("search", query="wombat")["results"]
    expect(all("wombat" not in it["content"] for it in left), "nothing of it is found", left)


STEPS: list[Callable[[Session], None]] = [
    tools_come_in_order,
    a_unique_phrase_is_found_first,
    a_facet_narrows_the_search,
    a_page_is_read,
    a_section_is_read,
    a_wrong_section_says_what_to_do,
    a_chunk_comes_with_its_neighbours,
    all_pages_are_listed,
    the_status_counts_the_pages,
    collections_are_listed,
    several_questions_are_answered_in_order,
    a_section_is_found_by_its_heading,
    related_content_is_of_other_documents,
    what_is_not_there_is_an_answer,
    resources_are_listed_and_read,
    a_template_is_completed,
    a_prompt_is_filled_in,
    an_edit_is_found_by_the_next_call,
    a_new_page_and_a_deleted_one_are_noticed,
    a_text_is_taken_in_and_read_back,
    a_file_is_taken_in,
    a_filter_narrows_the_search_of_libraries,
    what_is_wrong_with_a_library_call_is_an_answer,
    documents_are_listed_and_deleted,
]


def run(session: Session) -> None:
    """All steps."""
    go_through(STEPS, session)


def go_through(steps: list[Callable[[Session], None]], session: Session) -> None:
    """The error names the step that failed."""
    for step in steps:
        try:
            step(session)
        except Failed as error:
            raise Failed(f"{step.__name__}: {error}") from None
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise Failed(f"{step.__name__}: the answer has another shape ({type(error).__name__}: {error})") from error


def expect(holds: bool, what: str, got: object) -> None:
    if not holds:
        raise Failed(f"expected that {what}; got\n{json.dumps(got, indent=2)[:4000]}")

