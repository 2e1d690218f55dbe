"""Reads results folders; nothing here simulates."""

import os
from pathlib import Path

import pandas as pd

#: Where `run` and `sweep` wrote: the folder `results/` of the repository, unless RESULTS names another.
RESULTS = Path(os.environ.get("RESULTS", Path(__file__).parent.parent / "results"))

#: The colours of the charts, by strategy.
COLOURS = {
    "full-metadata": "#0072b2", "kafka-3.9": "#0072b2",
    "partition-count": "#56b4e9", "kafka-4.0": "#56b4e9",
    "topic-hash": "#e69f00",
    "group-hash": "#009e73", "kafka-4.1": "#009e73",
    "group-hash-uncached": "#d55e00",
    "delta-flag": "#cc79a7",
    "rehash-all": "#e69f00",
}


def read(name: str, file: str) -> pd.DataFrame:
    """One CSV file of one results folder."""
    path = RESULTS / name / file
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: make it with notebooks/run.sh")
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def sweep(name: str) -> tuple[pd.DataFrame, list[str]]:
    """The outcomes of a sweep with a column for each axis, and the axes: from the folder that `sweep` writes, or from
    a folder of plain runs named `axis=value`."""
    folder = RESULTS / name
    if (folder / "points.csv").exists():
        points = read(name, "points.csv")
        axes = list(points.columns[5:])
        return read(name, "outcomes.csv").merge(points[["point", "run", *axes]], on=["point", "run"]), axes
    frames = []
    for one in sorted(folder.glob("*=*/*/outcomes.csv")):
        axis, value = one.parent.parent.name.split("=")
        frames.append(pd.read_csv(one).assign(**{axis: value}))
    if not frames:
        raise FileNotFoundError(f"{folder} holds no sweep: make it with notebooks/run.sh")
    return pd.concat(frames, ignore_index=True), [axis]
