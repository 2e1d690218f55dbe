"""Runs a notebook from start to end in its own folder and writes its outputs into it; any error ends it."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

path = Path(sys.argv[1])
notebook = nbformat.read(path, as_version=4)
NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
for cell in notebook.cells:
    # times and the kernel's version change with every run and say nothing
    cell.metadata.pop("execution", None)
notebook.metadata["language_info"] = {"name": "python"}
if "--keep" not in sys.argv:
    nbformat.write(notebook, path)
print(f"{path}: {sum(c.cell_type == 'code' for c in notebook.cells)} cells")
