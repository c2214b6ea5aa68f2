"""One peer's whole job: read an nvidia-smi CSV and take the mean power of each GPU over block windows.

usage: peers.py {polars,duckdb,pandas} FILE WINDOW_S...

Prints one JSON object: for each window and GPU the number of whole windows and the largest mean, in the order of the GPUs.
The log's samples lie on a fixed grid that divides the windows, so that the plain mean of a window's rows is its
time-weighted mean, and every tool can say it in its own idiom. A last window that is not full is left out.
"""

import json
import sys

PERIOD_MS = 100


def polars_job(path, windows_s):
    import polars as pl

    rows = (
        pl.scan_csv(path, has_header=True, schema_overrides={" index": pl.String, " power.draw [W]": pl.String})
        .select(
            time=pl.col("timestamp").str.to_datetime("%Y/%m/%d %H:%M:%S%.3f", time_unit="ms"),
            gpu=pl.col(" index").str.strip_chars().cast(pl.Int16),
            power=pl.col(" power.draw [W]").str.strip_chars(" W").cast(pl.Float64),
        )
        .collect()
    )
    start = rows["time"].min()
    out = {}
    for width_s in windows_s:
        full = int(width_s * 1000 / PERIOD_MS)
        means = (
            rows.lazy()
            .group_by("gpu", ((pl.col("time") - start).dt.total_milliseconds() // int(width_s * 1000)).alias("k"))
            .agg(pl.col("power").mean(), pl.len().alias("n"))
            .filter(pl.col("n") == full)
            .group_by("gpu")
            .agg(pl.len().alias("count"), pl.col("power").max())
            .sort("gpu")
            .collect()
        )
        out[str(width_s)] = [[c, m] for c, m in zip(means["count"], means["power"], strict=True)]
    return out


def duckdb_job(path, windows_s):
    import duckdb

    con = duckdb.connect()
    con.execute(
        """create table rows as select
             epoch_ms(strptime(trim("timestamp"), '%Y/%m/%d %H:%M:%S.%g')) as time_ms,
             cast(trim(gpu) as smallint) as gpu,
             cast(replace(power, ' W', '') as double) as power
           from read_csv(?, header=true, delim=',', auto_detect=false, columns={'timestamp': 'varchar', 'gpu': 'varchar',
             'power': 'varchar', 'util': 'varchar', 'memory': 'varchar'})""",
        [path],
    )
    out = {}
    for width_s in windows_s:
        width = int(width_s * 1000)
        found = con.execute(
            """with first as (select min(time_ms) as t0 from rows),
                 means as (select gpu, (time_ms - t0) // ? as k, avg(power) as power, count(*) as n
                           from rows, first group by gpu, k)
               select count(*), max(power) from means where n = ? group by gpu order by gpu""",
            [width, width // PERIOD_MS],
        ).fetchall()
        out[str(width_s)] = [list(row) for row in found]
    return out


def pandas_job(path, windows_s):
    import pandas as pd

    rows = pd.read_csv(path, skipinitialspace=True, usecols=[0, 1, 2])
    rows.columns = ["time", "gpu", "power"]
    rows["time"] = pd.to_datetime(rows["time"], format="%Y/%m/%d %H:%M:%S.%f")
    rows["power"] = rows["power"].str.removesuffix(" W").astype("float64")
    since = (rows["time"] - rows["time"].min()) // pd.Timedelta(milliseconds=1)
    out = {}
    for width_s in windows_s:
        width = int(width_s * 1000)
        groups = rows["power"].groupby([rows["gpu"], since // width]).agg(["mean", "size"])
        full = groups[groups["size"] == width // PERIOD_MS]["mean"].groupby(level=0).agg(["size", "max"])
        out[str(width_s)] = [[int(n), float(m)] for n, m in zip(full["size"], full["max"], strict=True)]
    return out


if __name__ == "__main__":
    job = {"polars": polars_job, "duckdb": duckdb_job, "pandas": pandas_job}[sys.argv[1]]
    json.dump(job(sys.argv[2], [float(w) for w in sys.argv[3:]]), sys.stdout)
