"""Forces between the vertices of a picture, and how vertices move by them: programs, one a round.

Fruchterman and Reingold: along an edge of weight w vertices at distance d draw each other with
w d^2 / k, any two push each other apart with k^2 / d, and a vertex goes as far as it is drawn and
pushed, but no farther than the temperature. ForceAtlas2: w d, or w log(1 + d), and s m n / d
between masses m and n; a vertex goes the more slowly the more it swings.

An edge pulls at both of its ends, whichever way it leads. A vertex is pushed by all others, which
it looks at one by one, or by what `emv_kernels` found by a tree. A plane is a space whose z is 0.

Fruchterman, Reingold: Graph Drawing by Force-directed Placement, Software: Practice and Experience
21(11), 1991.
Jacomy, Venturini, Heymann, Bastian: ForceAtlas2, PLoS ONE 9(6), 2014; the speeds are Gephi's.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import emv
from emv import Edge, Vector, Vertex, edge, f32, f64, program, vertex

__all__ = ["follow_atlas", "forces_of_atlas", "fruchterman_reingold"]


class Body(Vertex):
    x: f32
    y: f32
    z: f32
    mass: f32 = 1.0
    is_fixed: bool = False
    push_x: f32 = 0.0  # by the others, per mass of its own
    push_y: f32 = 0.0
    push_z: f32 = 0.0
    force_x: f32 = 0.0  # of all kinds; at first that of the round before
    force_y: f32 = 0.0
    force_z: f32 = 0.0
    swing: f32 = 0.0  # how much the force has changed, times the mass


class Spring(Edge[Body]):
    weight: f32 = 1.0


@edge
def pull_by_square(s: Spring, k: f64, near: f64):
    dx, dy, dz = s.src.x - s.dst.x, s.src.y - s.dst.y, s.src.z - s.dst.z
    by = s.weight * max(sqrt(dx * dx + dy * dy + dz * dz), near) / k
    s.send(Vector(dx * by, dy * by, dz * by))


@edge
def pull_evenly(s: Spring):
    w = s.weight
    s.send(Vector(w * (s.src.x - s.dst.x), w * (s.src.y - s.dst.y), w * (s.src.z - s.dst.z)))


@edge
def pull_by_logarithm(s: Spring, near: f64):
    dx, dy, dz = s.src.x - s.dst.x, s.src.y - s.dst.y, s.src.z - s.dst.z
    d = max(sqrt(dx * dx + dy * dy + dz * dz), near)
    by = s.weight * log(1.0 + d) / d
    s.send(Vector(dx * by, dy * by, dz * by))


@vertex
def look_at_all(v: Body, count: int, near: f64):
    sum_x, sum_y, sum_z = f64(0.0), f64(0.0), f64(0.0)
    nearest = f32(near * near)
    for each in range(count):
        other = Body.at(each)
        dx, dy, dz = v.x - other.x, v.y - other.y, v.z - other.z
        by = other.mass / max(dx * dx + dy * dy + dz * dz, nearest)
        sum_x += dx * by
        sum_y += dy * by
        sum_z += dz * by
    v.push_x, v.push_y, v.push_z = sum_x, sum_y, sum_z


@vertex
def go(
    v: Body,
    pull: Vector[f64, 3],  # type: ignore[type-arg, valid-type]
    push: f64,
    farthest: f64,
):
    x, y, z = (
        pull[0] + push * v.push_x,
        pull[1] + push * v.push_y,
        pull[2] + push * v.push_z,
    )
    length = sqrt(x * x + y * y + z * z)
    by = 1.0 if length <= farthest else farthest / length
    if not v.is_fixed:
        v.x += x * by
        v.y += y * by
        v.z += z * by


@vertex
def weigh(
    v: Body,
    pull: Vector[f64, 3],  # type: ignore[type-arg, valid-type]
    share: bool,
    push: f64,
    gravity: f64,
    strong: bool,
):
    by = 1.0 / v.mass if share else f64(1.0)
    distance = sqrt(f64(v.x) * v.x + f64(v.y) * v.y + f64(v.z) * v.z)
    down = gravity * v.mass
    if not strong:
        down = down / distance if distance > 0.0 else f64(0.0)
    up = push * v.mass
    x = pull[0] * by + up * v.push_x - down * v.x
    y = pull[1] * by + up * v.push_y - down * v.y
    z = pull[2] * by + up * v.push_z - down * v.z
    dx, dy, dz = x - v.force_x, y - v.force_y, z - v.force_z
    sx, sy, sz = x + v.force_x, y + v.force_y, z + v.force_z
    v.swing = v.mass * sqrt(dx * dx + dy * dy + dz * dz)
    v.force_x, v.force_y, v.force_z = x, y, z
    return 0.5 * v.mass * sqrt(sx * sx + sy * sy + sz * sz)  # how much of the force has stayed


@vertex
def follow(v: Body, speed: f64):
    by = speed / (1.0 + sqrt(speed * v.swing))
    if not v.is_fixed:
        v.x += by * v.force_x
        v.y += by * v.force_y
        v.z += by * v.force_z


PLACE = {"x": Body.x, "y": Body.y, "z": Body.z}
PUSH = {"push_x": Body.push_x, "push_y": Body.push_y, "push_z": Body.push_z}
FORCE = {"force_x": Body.force_x, "force_y": Body.force_y, "force_z": Body.force_z}


@program(
    graph="both ways", bind={**PLACE, **PUSH, "is_fixed": Body.is_fixed, "weight": Spring.weight}
)
def fruchterman_reingold(
    g: Any,
    x: Any,
    y: Any,
    z: Any,
    push_x: Any = None,
    push_y: Any = None,
    push_z: Any = None,
    is_fixed: Any = None,
    weight: Any = None,
    k: float = 1.0,
    near: float = 0.01,
    farthest: float = 0.1,
) -> Any:
    """Return where vertices are after a round of Fruchterman and Reingold's.

    Parameters
    ----------
    g : Graph
        Whichever way its edges lead.
    x, y, z : float32[num_vertices]
        Where they are.
    push_x, push_y, push_z : float32[num_vertices], optional
        What each is pushed with, over k squared. By default all look at all.
    is_fixed : bool[num_vertices], optional
        Who does not move.
    weight : float32[num_edges], optional
        How strong each edge is; by default 1.
    k : float
        The length of an edge that nothing else pulls at.
    near : float
        Distances below it count as it.
    farthest : float
        The temperature: how far a vertex goes at most.

    Returns
    -------
    tuple of three float32[num_vertices]

    Examples
    --------
    >>> from emv import Graph
    >>> pair = Graph.from_edges([0], [1])
    >>> fruchterman_reingold(pair, [0, 2], [0, 0], [0, 0], backend="python")[0]
    array([0.1, 1.9], dtype=float32)
    """
    if push_x is None:
        look_at_all(g, g.num_vertices, near)
    go(g, emv.sum(pull_by_square(g, k, near)), k * k, farthest)
    return g.vertices.x, g.vertices.y, g.vertices.z


@program(
    graph="both ways", bind={**PLACE, **PUSH, **FORCE, "mass": Body.mass, "weight": Spring.weight}
)
def forces_of_atlas(
    g: Any,
    x: Any,
    y: Any,
    z: Any,
    mass: Any,
    force_x: Any,
    force_y: Any,
    force_z: Any,
    push_x: Any = None,
    push_y: Any = None,
    push_z: Any = None,
    weight: Any = None,
    near: float = 0.01,
    scaling_ratio: float = 2.0,
    gravity: float = 1.0,
    strong_gravity: bool = False,
    distributed_action: bool = False,
    linlog: bool = False,
) -> Any:
    """Return the forces of ForceAtlas2, and by how much they swing and pull.

    Parameters
    ----------
    force_x, force_y, force_z : float32[num_vertices]
        Those of the round before; 0 before the first.
    mass : float32[num_vertices]
        Above 0.

    Returns
    -------
    tuple of four float32[num_vertices] and two float
        The three parts of the forces, and swings times the masses; the sums of swings and of
        traction times the masses.
    """
    if push_x is None:
        look_at_all(g, g.num_vertices, near)
    pulls = pull_by_logarithm(g, near) if linlog else pull_evenly(g)
    traction = emv.total(
        weigh(g, emv.sum(pulls), distributed_action, scaling_ratio, gravity, strong_gravity)
    )
    v = g.vertices
    return v.force_x, v.force_y, v.force_z, v.swing, emv.total(v.swing), traction


@program(bind={**PLACE, **FORCE, "swing": Body.swing, "is_fixed": Body.is_fixed})
def follow_atlas(
    g: Any,
    x: Any,
    y: Any,
    z: Any,
    force_x: Any,
    force_y: Any,
    force_z: Any,
    swing: Any,
    is_fixed: Any = None,
    speed: float = 1.0,
) -> Any:
    """Return where vertices are after they have followed their forces, those that swing slowly."""
    follow(g, speed)
    return g.vertices.x, g.vertices.y, g.vertices.z
