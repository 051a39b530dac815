"""One machine, fifty readers: requests a second and how long the slow ones wait; start and memory."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.browsing import CURVE, chromium
from benchmarks.measure import RUNS, Measure, median, quantile
from benchmarks.stores import make_store
from tests.serving import Served, serving

CLIENTS = 50
SECONDS = 6.0


@dataclass(frozen=True, slots=True)
class Answers:
    """Latencies (s) of good answers, how many were not, and how long all took (s)."""

    latencies: list[float]
    errors: int
    duration: float

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.duration

    @property
    def p95_ms(self) -> float:
        return quantile(self.latencies, 0.95) * 1e3


def program(store: Path) -> list[str]:
    return [str(Path(sys.executable).with_name("agentx-dashboard")), "serve", "--store", str(store)]


def first_answer(folder: Path) -> Iterator[Measure]:
    """From starting the command to the first page, with 50 runs of five points in the store; memory then."""
    store = make_store(folder / "store", 250)
    times, sizes = zip(*(start(store, folder) for _ in range(RUNS)), strict=True)
    yield Measure("start to first answer", median(times), "s", 3)
    yield Measure("memory of all its processes", median(sizes), "MB", 300, note="proportional set size")


def start(store: Path, folder: Path) -> tuple[float, float]:
    began = time.perf_counter()
    with serving(program(store), folder) as served:
        urllib.request.urlopen(f"{served.address}/_dash-layout", timeout=30).read()
        return time.perf_counter() - began, memory_mb(served)


def memory_mb(served: Served) -> float:
    """Proportional set size of the server and its workers: shared pages are counted once."""
    pids, found = [served.pid], []
    while pids:
        pid = pids.pop()
        found.append(pid)
        for task in Path(f"/proc/{pid}/task").iterdir():
            pids += [int(child) for child in (task / "children").read_text().split()]
    return sum(proportional_kb(pid) for pid in found) / 1e3


def proportional_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise ValueError(f"no Pss of process {pid}")


def fifty_clients(folder: Path) -> Iterator[Measure]:
    store = make_store(folder / "store", 10_000)
    with serving(program(store), folder) as served:
        api = under_load(served.address, lambda client, turn: get("/api/v1/points?model=model-01"))
        yield from measures("/api/v1/points of one model", api, rate=200, p95_ms=400)
        ask = callback(served.address)
        cached = under_load(served.address, lambda client, turn: ask("?stat=p75"))
        yield from measures("cached callback", cached, rate=1000)
        prices = lambda client, turn: ask(f"?price=b300:{1 + client + turn / 1000}")  # noqa: E731
        yield from measures("uncached callback", under_load(served.address, prices), p95_ms=1500)


def measures(
    name: str, answers: Answers, rate: float | None = None, p95_ms: float | None = None
) -> Iterator[Measure]:
    yield Measure(f"{name}, {CLIENTS} clients", answers.rate, "requests/s", rate, "least")
    yield Measure(f"{name}: p95", answers.p95_ms, "ms", p95_ms)
    yield Measure(f"{name}: errors", answers.errors, "", 0)


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()


def callback(address: str) -> Callable[[str], bytes]:
    """The request that the page itself sends for a view, recorded in a browser; a query in, its bytes out."""
    with chromium() as browser:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(CURVE, state="attached")
        page.wait_for_timeout(1500)
        query = "curves-query"
        with page.expect_request(lambda request: query in (request.post_data or "")) as recorded:
            page.evaluate("window.dash_clientside.set_props('curves-query', {data: '?stat=p99'})")
        body = json.loads(recorded.value.post_data or "")

    def ask(search: str) -> bytes:
        inputs = [{**one, "value": search} if one["id"] == query else one for one in body["inputs"]]
        content = json.dumps({**body, "inputs": inputs}).encode()
        head = "POST /_dash-update-component HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content

    return ask


def under_load(address: str, request: Callable[[int, int], bytes]) -> Answers:
    """Fifty clients on kept connections, each asking again as soon as it is answered."""
    return asyncio.run(_under_load(address, request))


async def _under_load(address: str, request: Callable[[int, int], bytes]) -> Answers:
    began = time.perf_counter()
    deadline = began + SECONDS
    results = await asyncio.gather(
        *(_client(address, number, request, deadline) for number in range(CLIENTS))
    )
    latencies = [latency for found, _ in results for latency in found]
    return Answers(latencies, sum(errors for _, errors in results), time.perf_counter() - began)


async def _client(
    address: str, number: int, request: Callable[[int, int], bytes], deadline: float
) -> tuple[list[float], int]:
    host, port = urlsplit(address).hostname, urlsplit(address).port
    connection: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    latencies: list[float] = []
    errors = turn = 0
    while time.perf_counter() < deadline:
        turn += 1
        began = time.perf_counter()
        try:
            connection = connection or await asyncio.open_connection(host, port)
            status, kept = await _exchange(*connection, request(number, turn))
        except (OSError, asyncio.IncompleteReadError):
            status, kept = 0, False
        if status == 200:
            latencies.append(time.perf_counter() - began)
        else:
            errors += 1
        if not kept and connection:
            connection[1].close()
            connection = None
    if connection:
        connection[1].close()
    return latencies, errors


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> tuple[int, bool]:
    """Status of the answer, and whether the connection stays open."""
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
    if "content-length" in fields:
        await reader.readexactly(int(fields["content-length"]))
    elif fields.get("transfer-encoding") == "chunked":
        while size := int(await reader.readuntil(b"\r\n"), 16):
            await reader.readexactly(size + 2)
        await reader.readexactly(2)
    return int(head.split()[1]), fields.get("connection") != "close"
