// The graph as arrays: what was packed in Python, neighbours, breadth-first search, what is where.

async function unpacked() {
  const packed = atob(document.getElementById("data").textContent);
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  document.getElementById("data").remove();
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

function graphOf(facts, buffer) {
  const found = {};
  const kinds = { f4: Float32Array, u4: Uint32Array, u1: Uint8Array };
  for (const [name, kind, begin, length] of facts.arrays) {
    found[name] = new kinds[kind](buffer, begin, length);
  }
  const text = found.names.length ? new TextDecoder().decode(found.names) : null;
  const graph = {
    places: found.places, count: found.places.length / 2, ends: found.ends,
    ids: found.ids, names: text === null ? null : text.split("\n"),
    values: facts.values.map((each, k) => ({ ...each, numbers: found["values" + k] })),
  };
  graph.nameOf = (v) => (graph.names ? graph.names[v] : String(graph.ids[v]));
  join(graph);
  graph.cells = cellsOf(graph);
  return graph;
}

// Neighbours of v are beside[first[v] .. first[v + 1]], both ways.
function join(graph) {
  const { ends, count } = graph;
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < ends.length; i++) first[ends[i] + 1]++;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  const at = first.slice(0, count), beside = new Uint32Array(ends.length);
  for (let i = 0; i < ends.length; i += 2) {
    beside[at[ends[i]]++] = ends[i + 1];
    beside[at[ends[i + 1]]++] = ends[i];
  }
  Object.assign(graph, { first, beside });
}

// Edges in a mixed order, so that any number of them from the beginning is a fair sample.
function mixed(ends) {
  let state = 2463534242;
  for (let i = ends.length / 2 - 1; i > 0; i--) {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    const j = (state >>> 0) % (i + 1);
    for (let k = 0; k < 2; k++) {
      const kept = ends[2 * i + k];
      ends[2 * i + k] = ends[2 * j + k];
      ends[2 * j + k] = kept;
    }
  }
  return ends;
}

// The vertices at most so many edges away among those seen, and the edges among them.
function ballOf(graph, center, hops, seen) {
  const near = new Uint8Array(graph.count), list = [center];
  near[center] = 1;
  for (let hop = 0, begin = 0; hop < hops; hop++) {
    const end = list.length;
    for (; begin < end; begin++) {
      const v = list[begin];
      for (let i = graph.first[v]; i < graph.first[v + 1]; i++) {
        const u = graph.beside[i];
        if (!near[u] && seen[u]) { near[u] = 1; list.push(u); }
      }
    }
  }
  const ends = [];
  for (const v of list) {
    let loops = 0;  // an end of a loop stands twice
    for (let i = graph.first[v]; i < graph.first[v + 1]; i++) {
      const u = graph.beside[i];
      if (near[u] && (v < u || (v === u && loops++ % 2 === 0))) ends.push(v, u);
    }
  }
  return { seen: near, list, ends: mixed(Uint32Array.from(ends)) };
}

// Vertices by the cell of a grid that they lie in, to find who is near a point.
function cellsOf(graph) {
  const { places, count } = graph, box = boxOf(places, null);
  const side = Math.max(1, Math.round(Math.sqrt(count / 2)));
  const size = Math.max(box.width, box.height) / side || 1;
  const across = Math.floor(box.width / size) + 1, down = Math.floor(box.height / size) + 1;
  const column = (x) => Math.min(across - 1, Math.max(0, Math.floor((x - box.left) / size)));
  const row = (y) => Math.min(down - 1, Math.max(0, Math.floor((y - box.bottom) / size)));
  const first = new Uint32Array(across * down + 1), members = new Uint32Array(count);
  const cell = (v) => row(places[2 * v + 1]) * across + column(places[2 * v]);
  for (let v = 0; v < count; v++) first[cell(v) + 1]++;
  for (let c = 0; c < across * down; c++) first[c + 1] += first[c];
  const at = first.slice();
  for (let v = 0; v < count; v++) members[at[cell(v)]++] = v;
  return {
    nearest(x, y, reach, seen) {
      let best = -1, least = reach * reach;
      for (let r = row(y - reach); r <= row(y + reach); r++) {
        for (let c = column(x - reach); c <= column(x + reach); c++) {
          for (let i = first[r * across + c]; i < first[r * across + c + 1]; i++) {
            const v = members[i];
            const d2 = (places[2 * v] - x) ** 2 + (places[2 * v + 1] - y) ** 2;
            if (seen[v] && d2 < least) { best = v; least = d2; }
          }
        }
      }
      return best;
    },
  };
}

// The box around vertices; with a share below 1, around the middle ones, as a few fly far.
function boxOf(places, list, share = 1) {
  const count = list ? list.length : places.length / 2, xs = new Float32Array(count), ys = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const v = list ? list[i] : i;
    xs[i] = places[2 * v]; ys[i] = places[2 * v + 1];
  }
  const ends = (numbers) => {
    if (!count) return [0, 1];
    if (share === 1) {
      let low = Infinity, high = -Infinity;
      for (const each of numbers) { low = Math.min(low, each); high = Math.max(high, each); }
      return [low, high];
    }
    numbers.sort();
    const left = Math.floor((count - 1) * (1 - share) / 2);
    return [numbers[left], numbers[count - 1 - left]];
  };
  const [left, right] = ends(xs), [bottom, top] = ends(ys);
  return { left, bottom, width: right - left, height: top - bottom };
}
