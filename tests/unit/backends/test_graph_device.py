"""`GraphDevice` answers all that graphs ask of a GPU, with the same parameters."""

import inspect
import subprocess
import sys

import pytest

from emv.backends.cuda import graph_device
from emv.backends.cuda.graph_device import GraphDevice
from emv.device import Device, Devices


def asked(protocol):
    return {name: each for name, each in vars(protocol).items() if name[0] != "_"}


def parameters(function):
    return [each for each in inspect.signature(function).parameters if each != "self"]


@pytest.mark.parametrize(("protocol", "answers"), [(Device, GraphDevice), (Devices, graph_device)])
def test_every_question_has_an_answer(protocol, answers):
    questions = asked(protocol)
    assert questions
    for name, question in questions.items():
        answer = getattr(answers, name)
        if isinstance(question, property):
            assert isinstance(answer, property)
        else:
            assert parameters(answer) == parameters(question)


def test_a_graph_without_gpus_loads_nothing_of_them():
    program = (
        "import sys, emv; g = emv.Graph.from_edges([0, 1], [1, 2]).on('cuda'); g.oriented();"
        "print(*sorted(each for each in sys.modules if each.startswith('emv.backends.cuda')))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")
