// What a viewer chooses: colours, sizes, the legend, light or dark, and names beside vertices.

const DOT_PIXELS = [2.2, 9.0], MOST_NAMES = { still: 28, moving: 8 }, NOTHING = "#8a8f98";

function lookOf(facts, graph) {
  const look = {};
  const root = document.documentElement, chosen = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  look.setTheme = (name) => { look.theme = root.dataset.theme = name; look.inks = inksOf(root); };
  look.setTheme(dark.matches ? "dark" : "light");

  const degrees = { name: "degree", kinds: [], log: false, numbers: new Float32Array(graph.count) };
  for (let v = 0; v < graph.count; v++) degrees.numbers[v] = graph.first[v + 1] - graph.first[v];
  Object.assign(degrees, extent(degrees.numbers));
  const scales = [degrees, ...graph.values.filter((each) => !each.kinds.length)];
  offer(chosen("color"), ["one colour", ...graph.values.map((each) => each.name), "degree"], facts.color);
  offer(chosen("size"), scales.map((each) => each.name), facts.size || "degree");

  look.color = () => {
    const name = chosen("color").selectedIndex;
    return name === 0 ? null : graph.values[name - 1] || degrees;
  };
  look.size = () => scales[chosen("size").selectedIndex];
  look.values = [degrees, ...graph.values];

  // Where a vertex's colour stands among the tones: 0 to 254; 255 has no value.
  look.shares = () => {
    const values = look.color(), shares = new Float32Array(graph.count);
    for (let v = 0; v < graph.count; v++) {
      const number = values ? values.numbers[v] : 0;
      let tone = 255;
      if (!Number.isNaN(number)) tone = values && values.kinds.length ? number : 254 * (values ? share(values, number) : 0.5);
      shares[v] = (Math.floor(tone) + 0.5) / TONES;
    }
    return shares;
  };

  look.tones = () => {
    const values = look.color(), bytes = new Uint8Array(4 * TONES);
    for (let k = 0; k < TONES; k++) {
      let ink = NOTHING;
      if (k < 255) ink = values && values.kinds.length ? facts.kinds[k % facts.kinds.length] : ramp(facts.ramps[look.theme], k / 254);
      bytes.set([...rgb(ink).map((each) => 255 * each), 255], 4 * k);
    }
    return bytes;
  };

  look.radii = (seen) => {
    const values = look.size(), radii = new Float32Array(graph.count), [small, large] = DOT_PIXELS;
    for (let v = 0; v < graph.count; v++) {
      const part = Number.isNaN(values.numbers[v]) ? 0 : share(values, values.numbers[v]);
      radii[v] = seen[v] ? small + (large - small) * Math.sqrt(values === degrees ? part : part * part) : -1;
    }
    return radii;
  };

  look.legend = () => {
    const box = chosen("legend"), values = look.color();
    box.replaceChildren();
    if (!values) return;
    const title = add(box, "div", values.name + (values.log ? " (by magnitude)" : ""));
    title.className = "quiet";
    if (values.kinds.length) {
      values.kinds.forEach((kind, k) => {
        const row = add(box, "div", "");
        row.className = "kind";
        const dot = add(row, "span", "");
        dot.className = "dot";
        dot.style.background = facts.kinds[k % facts.kinds.length];
        add(row, "span", kind);
      });
      return;
    }
    const bar = add(box, "div", ""), ends = add(box, "div", "");
    bar.className = "bar";
    bar.style.background = `linear-gradient(to right, ${facts.ramps[look.theme].join(",")})`;
    ends.className = "ends";
    add(ends, "span", told(values.low));
    add(ends, "span", told(values.high));
  };

  look.told = (values, v) => {
    const number = values.numbers[v];
    if (Number.isNaN(number)) return "none";
    return values.kinds.length ? values.kinds[number] : told(number);
  };

  // Names beside the largest vertices that have room for them.
  look.name = (paper, camera, radii, always, isMoving) => {
    paper.clearRect(0, 0, paper.canvas.width, paper.canvas.height);
    paper.font = `${12 * camera.ratio}px system-ui, sans-serif`;
    paper.textBaseline = "middle";
    const taken = [], { width, height } = paper.canvas;
    const write = (v, must) => {
      const [x, y] = camera.toScreen(graph.places[2 * v], graph.places[2 * v + 1]);
      if (x < 0 || y < 0 || x > width || y > height) return false;
      const text = graph.nameOf(v), left = x + radii[v] * camera.dots + 4 * camera.ratio;
      const box = [left, y - 8 * camera.ratio, left + paper.measureText(text).width, y + 8 * camera.ratio];
      if (!must && taken.some((b) => box[0] < b[2] && b[0] < box[2] && box[1] < b[3] && b[1] < box[3])) return false;
      taken.push(box);
      paper.lineWidth = 3 * camera.ratio;
      paper.lineJoin = "round";
      paper.strokeStyle = look.inks.ground;
      paper.fillStyle = look.inks.ink;
      paper.strokeText(text, left, y);
      paper.fillText(text, left, y);
      return true;
    };
    for (const v of always) write(v, true);
    const most = MOST_NAMES[isMoving ? "moving" : "still"];
    let written = 0, looked = 0;
    for (const v of look.order) {
      if (written >= most || looked++ > 4000) break;
      if (radii[v] > 0 && !always.includes(v) && write(v, false)) written++;
    }
  };
  // The vertices that are seen, the largest first.
  look.sort = (radii) => {
    look.order = Uint32Array.from(radii.keys()).filter((v) => radii[v] > 0).sort((a, b) => radii[b] - radii[a]);
  };
  return look;
}

function share(values, number) {
  let { low, high } = values;
  if (values.log) [low, high, number] = [Math.log(low), Math.log(high), Math.log(Math.max(number, low))];
  return Math.min(1, Math.max(0, (number - low) / (high - low || 1)));
}

function extent(numbers) {
  let low = Infinity, high = -Infinity;
  for (const each of numbers) { low = Math.min(low, each); high = Math.max(high, each); }
  return numbers.length ? { low, high } : { low: 0, high: 1 };
}

function told(number) {
  return Number.isInteger(number) ? number.toLocaleString("en") : String(Number(number.toPrecision(4)));
}

function rgb(ink) {
  return [1, 3, 5].map((at) => parseInt(ink.slice(at, at + 2), 16) / 255);
}

function ramp(inks, part) {
  const at = part * (inks.length - 1), k = Math.min(Math.floor(at), inks.length - 2);
  const one = rgb(inks[k]), other = rgb(inks[k + 1]);
  return "#" + one.map((each, i) => Math.round(255 * (each + (other[i] - each) * (at - k))).toString(16).padStart(2, "0")).join("");
}

function inksOf(root) {
  const style = getComputedStyle(root), of = (name) => style.getPropertyValue("--" + name).trim();
  return { ground: of("ground"), ink: of("ink"), accent: of("accent") };
}

function offer(select, names, chosen) {
  for (const name of names) add(select, "option", name);
  select.selectedIndex = Math.max(0, names.indexOf(chosen));
}

function add(parent, kind, text) {
  const made = document.createElement(kind);
  made.textContent = text;
  parent.append(made);
  return made;
}
