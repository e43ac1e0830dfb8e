r"""What mkdocs does for our pages beyond the usual; mkdocs.yml names this file.

- The shelves of docs/index.md are the navigation: a page is entered once, there.
- Formulas, written as ``$x$`` or ``$$x$$``, become MathML, which browsers show by themselves:
  no script, no fonts from elsewhere.
- A link that leads out of docs/, to NOTICE say, leads to a copy of that file in the site.
"""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]

SHELF = re.compile(r"^## ([^:\n]+)(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"^- \[([^\]]+)\]\(([^)#]+\.md)\)", re.MULTILINE)
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
OUTSIDE = re.compile(r"\]\((?:\.\./)+([A-Z]+(?:\.md)?)\)")  # README.md, NOTICE and their like


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation, from the shelves of the index."""
    index = (Path(config.docs_dir) / "index.md").read_text(encoding="utf-8")
    shelves = {name.strip(): ENTRY.findall(text) for name, text in SHELF.findall(index)}
    config.nav = [
        {"Start": "index.md"},
        *({name: [{title: page} for title, page in pages]} for name, pages in shelves.items()),
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Files outside docs/ that pages link to."""
    pages = [Path(config.docs_dir, page.src_uri) for page in files.documentation_pages()]
    named = {name for page in pages for name in OUTSIDE.findall(page.read_text(encoding="utf-8"))}
    for name in sorted(named):
        copy = f"{Path(name).stem}.txt"  # as it stands: its own links are those of the repository
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, copy, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Links to such files, as they are in the site."""
    up = "../" * page.file.src_uri.count("/")
    return OUTSIDE.sub(lambda link: f"]({up}{Path(link[1]).stem}.txt)", markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Formulas as MathML."""
    shown = {"span": "inline", "div": "block"}
    return FORMULA.sub(
        lambda it: (
            f'<{it[1]} class="arithmatex">{convert(unescape(it[2]), display=shown[it[1]])}'
            f"</{it[1]}>"
        ),
        html,
    )
