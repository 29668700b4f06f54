"""The server answers with the results of runs, and refuses what it should before it runs."""

from __future__ import annotations

import io
import json
import threading

import numpy as np
import pytest
from endless import forever

from emv import Graph
from emv.algorithms import bfs, pagerank, sssp
from emv.cli import serve_command
from emv.errors import ArgumentError
from emv.service import Limits, Service
from emv.service.metrics import Metrics

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
from fastapi.testclient import TestClient

from emv.service.web import Offer, application

TOKENS = {"a-token-of-ada-1234": "ada", "a-token-of-ben-1234": "ben"}
ADA = {"Authorization": "Bearer a-token-of-ada-1234"}


@pytest.fixture(scope="module")
def graphs():
    draw = np.random.default_rng(3)
    src, dst = draw.integers(0, 40, (2, 80))
    plain = Graph.from_edges(src, dst, num_vertices=41, length=draw.random(80))
    named = Graph.from_edges([0, 1], [1, 2], labels=["x", "y", "z"])
    return {"plain": plain, "named": named}


@pytest.fixture(scope="module")
def offer(graphs):
    programs = {each.name: each for each in (bfs, pagerank, sssp, forever)}
    limits = {"": Limits(waiting=50)}
    with Service("cpu", limits=limits) as service:
        yield Offer(service, graphs, programs, TOKENS, most_bytes=2000, most_seconds=30)


@pytest.fixture(scope="module")
def client(offer):
    with TestClient(application(offer)) as client:
        client.headers.update(ADA)
        yield client


def asked(client, path="/run/plain/bfs", **body):
    return client.post(path, json=body)


def test_results_are_those_of_runs(client, graphs):
    found = asked(client, arguments={"source": 3}).json()
    assert found["results"]["result"] == bfs(graphs["plain"], 3).tolist()
    assert (found["program"], found["device"], found["stopped"]) == ("bfs", "cpu", "converged")
    lengths = asked(client, "/run/plain/sssp", arguments={"source": 3, "weight": "length"}).json()
    wanted = sssp(graphs["plain"], 3, "length")
    assert np.isinf(wanted).any()
    assert lengths["results"]["result"] == [None if np.isinf(x) else x for x in wanted.tolist()]
    few = asked(client, arguments={"source": [3, 4]}, rows=[4, 0]).json()
    assert few["results"]["result"] == bfs(graphs["plain"], [3, 4])[[4, 0]].tolist()


def test_results_in_arrow(client, graphs):
    ipc = pytest.importorskip("pyarrow").ipc
    for name, rows in (("plain", None), ("named", [2, 1])):
        body = {"arguments": {"source": 0}, "rows": rows}
        headers = {"Accept": "application/vnd.apache.arrow.stream"}
        answer = client.post(f"/run/{name}/bfs", json=body, headers=headers)
        assert answer.headers["content-type"] == headers["Accept"]
        table = ipc.open_stream(io.BytesIO(answer.content)).read_all().to_pydict()
        wanted = bfs(graphs[name], 0)
        assert table["vertex"] == (rows or list(range(41)))
        assert table["result"] == (wanted if rows is None else wanted[rows]).tolist()
        assert table.get("label") == (None if rows is None else ["z", "y"])


def test_what_there_is_is_told(client):
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/graphs").json()["plain"]["edges"] == 80
    assert client.get("/graphs").json()["named"]["labels"]
    assert client.get("/programs").json()["bfs"]["source"] is None
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/health", "/metrics", "/graphs", "/programs", "/run/{graph}/{program}"} == set(paths)


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/run/plain/rm", {}, 404, "there is no program 'rm'"),
        ("/run/none/bfs", {}, 404, "there is no graph 'none'"),
        ("/run/plain/bfs", {"arguments": {"source": 99}}, 422, "there is no vertex 99"),
        ("/run/plain/bfs", {"arguments": {}}, 422, "missing a required argument: 'source'"),
        ("/run/plain/bfs", {"arguments": {"user": "ben"}}, 422, "no parameter 'user'"),
        ("/run/plain/bfs", {"arguments": {"source": {"a": 1}}}, 422, "source is no number"),
        ("/run/plain/bfs", {"arguments": {"source": [[1]]}}, 422, "source is no number"),
        ("/run/plain/bfs", {"code": "import os"}, 422, "Extra inputs"),
        ("/run/plain/bfs", {"rng": "1"}, 422, "valid integer"),
        ("/run/plain/bfs", {"deadline": -1}, 422, "greater than 0"),
        ("/run/plain/bfs", {"arguments": {"source": 0}, "rows": [41]}, 422, "no vertex 41"),
        ("/run/plain/sssp", {"arguments": {"source": 0, "weight": "/etc"}}, 422, "/etc"),
        ("/run/plain/forever", {"deadline": 0.2}, 504, "not ended in time"),
    ],
)
def test_what_means_nothing_is_refused(client, path, body, status, said):
    answer = client.post(path, json=body)
    assert answer.status_code == status
    assert said in json.dumps(answer.json()["detail"])


def test_malformed_and_long_bodies_are_refused(client, offer):
    submitted = offer.service.state.submitted
    assert client.post("/run/plain/bfs", content=b"{nonsense").status_code == 422
    assert client.post("/run/plain/bfs", content=b"\xff\x00").status_code == 422
    assert asked(client, arguments={"source": [0] * 3000}).status_code == 413
    pieces = (b"x" * 500 for _ in range(20))  # of no length that is told before
    assert client.post("/run/plain/bfs", content=pieces).status_code == 413
    assert offer.service.state.submitted == submitted


def test_only_who_is_known_is_answered(client, offer):
    for header in ("", "Bearer nobody", "Basic a-token-of-ada-1234", "a-token-of-ada-1234"):
        for path in ("/graphs", "/programs", "/metrics"):
            assert client.get(path, headers={"Authorization": header}).status_code == 401
        answer = client.post("/run/plain/bfs", json={}, headers={"Authorization": header})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/health", headers={"Authorization": ""}).status_code == 200
    ended = {user: each.ended for user, each in offer.service.report().items()}
    ben = {"Authorization": "Bearer a-token-of-ben-1234"}
    body = {"arguments": {"source": 0}}
    assert client.post("/run/plain/bfs", json=body, headers=ben).status_code == 200
    assert offer.service.turns.users["ben"].ended <= ended.get("ben", 0) + 1
    assert "ben" in offer.service.turns.users


def test_many_clients_at_once_and_what_is_counted(client, graphs):
    wanted = [bfs(graphs["plain"], source).tolist() for source in range(8)]
    wrong = []

    def ask(source):
        for _ in range(4):
            answer = asked(client, arguments={"source": source})
            if answer.status_code != 200 or answer.json()["results"]["result"] != wanted[source]:
                wrong.append(answer.text)

    threads = [threading.Thread(target=ask, args=(source,)) for source in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    text = client.get("/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    name = 'emv_requests_total{route="/run/{graph}/{program}",status="200"}'
    assert int(lines[name]) >= 32
    assert float(lines['emv_user_ended_total{user="ada"}']) >= 31
    assert lines['emv_request_seconds_bucket{le="+Inf"}'] == lines["emv_request_seconds_count"]
    assert lines["emv_jobs_running"] == lines["emv_jobs_waiting"] == "0"


def test_no_more_wait_than_may(graphs):
    limits = {"": Limits(waiting=0)}
    with Service("cpu", limits=limits) as service:
        offer = Offer(service, graphs, {"bfs": bfs})
        with TestClient(application(offer)) as client:
            answer = client.post("/run/plain/bfs", json={"arguments": {"source": 0}})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_buckets_add_up():
    metrics = Metrics()
    for seconds in (0.001, 0.02, 0.02, 1000):
        metrics.note('/a"b', 200, seconds)
    text = metrics.text()
    assert 'route="/a\\"b",status="200"} 4' in text
    assert 'le="0.025"} 3\n' in text
    assert 'le="60.0"} 3\n' in text
    assert 'le="+Inf"} 4\n' in text


def test_the_command_serves_what_it_is_told(tmp_path, monkeypatch):
    import uvicorn

    from emv.cli import main

    file, tokens = tmp_path / "small.csv", tmp_path / "tokens"
    file.write_text("0,1\n1,2\n")
    tokens.write_text("# of the house\nada a-token-of-ada-1234\n")
    told = {}

    def serve(app, host, port, **_):
        with TestClient(app) as client:
            client.headers.update(ADA)
            told.update(client.get("/programs").json(), host=host, port=port)
            told["depths"] = asked(client, "/run/small/bfs", arguments={"source": 0}).json()

    monkeypatch.setattr(uvicorn, "run", serve)
    given = ["--graph", f"small={file}", "--programs", "bfs,pagerank", "--device", "cpu"]
    secured = ["--tokens", str(tokens), "--host", "0.0.0.0", "--port", "8123"]
    assert main(["serve", *given, *secured]) == 0
    assert set(told) == {"bfs", "pagerank", "host", "port", "depths"}
    assert told["depths"]["results"]["result"] == [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--graph", "x"], "--graph x is no NAME=FILE"),
        (["--graph", "g={csv}", "--graph", "g={csv}"], "--graph g comes twice"),
        (["--graph", "g={csv}", "--host", "0.0.0.0"], "nobody is asked for a token"),
        (["--graph", "g={csv}", "--programs", "bfs,bsf"], "no program 'bsf'"),
        (["--graph", "g={csv}", "--module", "no.py"], "there is no file no.py"),
        (["--graph", "g={csv}", "--tokens", "{csv}"], "a user and a token of their own"),
    ],
)
def test_mistakes_are_told_before_anything_is_served(given, said, tmp_path, capsys):
    from emv.cli import main

    file = tmp_path / "g.csv"
    file.write_text("0,1\n")
    assert main(["serve", *(each.format(csv=file) for each in given)]) == 2
    assert said in capsys.readouterr().err


def test_programs_of_own_files_are_allowed(tmp_path):
    file = tmp_path / "own.py"
    file.write_text("import emv\n@emv.program\ndef size(g):\n    return g.num_vertices\n")
    assert list(serve_command.programs_named("size", [str(file)])) == ["size"]
    with pytest.raises(ArgumentError, match="no program 'size'"):
        serve_command.programs_named("size", [])
