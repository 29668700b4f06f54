// The page: what is seen, where the camera is, and what mouse, fingers and keys do.

const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId("facts").textContent);
const canvas = byId("picture"), paper = byId("names").getContext("2d"), tip = byId("tip");
const camera = { x: 0, y: 0, zoom: 1, dots: 1, ratio: 1, base: 1 };
camera.toScreen = (x, y) => [
  canvas.width / 2 + (x - camera.x) * camera.zoom, canvas.height / 2 - (y - camera.y) * camera.zoom];
camera.toPlace = (x, y) => [
  camera.x + (x - canvas.width / 2) / camera.zoom, camera.y - (y - canvas.height / 2) / camera.zoom];
let graph, look, pen, radii, scenes, vertex = -1, asked = false, movedAt = 0, begun = 0, wasMoving = false, named = null;

function fail(text) {
  byId("failure").textContent = text;
  byId("failure").hidden = false;
}

async function begin() {
  graph = graphOf(facts, await unpacked());
  mixed(graph.ends);
  pen = artist(canvas);
  if (!pen) { fail("This browser has no WebGL 2, with which the picture is drawn."); return; }
  look = lookOf(facts, graph);
  const seen = new Uint8Array(graph.count).fill(1);
  scenes = [{ seen, list: null, ends: graph.ends, center: -1 }];
  pen.setPlaces(graph.places);
  resize();
  show();
  fit();
  listen();
  window.emvPage = { graph, camera, pen, drill, up, choose, scene, drawAll, moved: () => redraw(true) };
  document.documentElement.dataset.ready = "yes";
}

const scene = () => scenes[scenes.length - 1];

// What is seen has changed.
function show() {
  const { seen, list, ends } = scene();
  pen.setEdges(ends);
  const shown = list ? list.length : graph.count;
  byId("counts").textContent = `${shown.toLocaleString("en")} vertices, ${(ends.length / 2).toLocaleString("en")} edges`
    + (scene().center >= 0 ? `, ${scene().hops} hops around ${graph.nameOf(scene().center)}` : "");
  byId("up").disabled = scenes.length === 1;
  paint(seen);
}

// Colours or sizes have changed.
function paint(seen = scene().seen) {
  radii = look.radii(seen);
  look.sort(radii);
  pen.setRadii(radii);
  pen.setOrder(look.order);
  pen.setShares(look.shares());
  pen.setTones(look.tones());
  const faint = Math.min(0.6, Math.max(0.02, 12 / Math.sqrt(pen.total + 1)));
  pen.inkOfEdges = [...rgb(look.theme === "dark" ? "#8391a3" : "#76828f"), faint];
  look.legend();
  redraw(true);
}

function redraw(hasMoved) {
  if (hasMoved) { pen.moved(); movedAt = performance.now(); }
  if (!asked) { asked = true; requestAnimationFrame(frame); }
}

function frame() {
  asked = false;
  if (!pen.isDone()) { redraw(false); return; }
  const now = performance.now(), isMoving = now - movedAt < 100;
  if (begun) pen.learn(now - begun, wasMoving);
  const left = drawOnce(isMoving);
  begun = left ? now : 0;
  wasMoving = isMoving;
  if (left) { pen.begin(); redraw(false); }
}

function drawOnce(isMoving) {
  camera.dots = camera.ratio * Math.min(3, Math.max(0.45, Math.sqrt(camera.zoom / camera.base)) * crowd());
  const marks = vertex >= 0 ? [[vertex, rgb(look.inks.accent)]] : [];
  const left = pen.draw(camera, rgb(look.inks.ground), marks, isMoving);
  const sight = [camera.x, camera.y, camera.zoom, paper.canvas.width, paper.canvas.height, vertex, radii, look.theme, isMoving];
  if (!named || sight.some((each, k) => each !== named[k])) {
    look.name(paper, camera, radii, vertex >= 0 ? [vertex] : [], isMoving);
    named = sight;
  }
  return left;
}

// Many vertices are drawn smaller.
function crowd() {
  const count = scene().list ? scene().list.length : graph.count;
  return Math.min(1, Math.max(0.35, Math.pow(600 / (count + 1), 0.2)));
}

// Draw all at once, for what is saved.
function drawAll() {
  pen.moved();
  while (drawOnce(false));
}

function resize() {
  const box = canvas.getBoundingClientRect();
  camera.ratio = Math.min(2, window.devicePixelRatio || 1);
  const width = Math.max(1, Math.round(box.width * camera.ratio)), height = Math.max(1, Math.round(box.height * camera.ratio));
  if (width === canvas.width && height === canvas.height) return;
  pen.resize(width, height);
  named = null;
  paper.canvas.width = width;
  paper.canvas.height = height;
}

function fit() {
  const box = boxOf(graph.places, scene().list, pen.total + graph.count > 5000 && !scene().list ? 0.98 : 1);
  camera.x = box.left + box.width / 2;
  camera.y = box.bottom + box.height / 2;
  const room = 0.88;
  camera.zoom = room * Math.min(canvas.width / (box.width || 1), canvas.height / (box.height || 1));
  if (!Number.isFinite(camera.zoom) || camera.zoom <= 0) camera.zoom = 1;
  if (!(box.width || box.height)) camera.zoom = canvas.height / 4;
  camera.base = camera.zoom;
  camera.isFitted = true;
  redraw(true);
}

function zoomBy(times, x = canvas.width / 2, y = canvas.height / 2) {
  const before = camera.toPlace(x, y);
  camera.isFitted = false;
  camera.zoom = Math.min(camera.base * 1e5, Math.max(camera.base / 20, camera.zoom * times));
  const after = camera.toPlace(x, y);
  camera.x += before[0] - after[0];
  camera.y += before[1] - after[1];
  redraw(true);
}

function pan(dx, dy) {
  camera.isFitted = false;
  camera.x -= dx / camera.zoom;
  camera.y += dy / camera.zoom;
  redraw(true);
}

function choose(v, isCentred = false) {
  vertex = v;
  const box = byId("chosen");
  box.replaceChildren();
  byId("down").disabled = v < 0;
  if (v < 0) {
    add(box, "p", "Click a vertex.").className = "quiet";
  } else {
    add(box, "h2", graph.nameOf(v));
    const list = add(box, "dl", "");
    const rows = graph.names ? [["id", String(graph.ids[v])]] : [];
    for (const values of look.values) rows.push([values.name, look.told(values, v)]);
    for (const [name, value] of rows) { add(list, "dt", name); add(list, "dd", value); }
    if (isCentred) { camera.isFitted = false; camera.x = graph.places[2 * v]; camera.y = graph.places[2 * v + 1]; }
  }
  redraw(isCentred);
}

function drill(v = vertex, hops = Number(byId("hops").value)) {
  if (v < 0) return;
  scenes.push({ ...ballOf(graph, v, hops, scene().seen), center: v, hops });
  choose(v);
  show();
  fit();
}

function up() {
  if (scenes.length === 1) return;
  scenes.pop();
  show();
  fit();
}

function step(way) {
  if (vertex < 0) { choose(look.order[0], true); return; }
  const { first, beside } = graph, from = step.from === undefined ? vertex : step.from, count = first[from + 1] - first[from];
  if (!count) return;
  step.at = ((step.at === undefined ? -1 : step.at) + way + count) % count;
  for (let tries = 0; tries < count && !scene().seen[beside[first[from] + step.at]]; tries++) step.at = (step.at + way + count) % count;
  step.from = from;
  const to = beside[first[from] + step.at];
  if (scene().seen[to]) choose(to, true);
}
function chooseAnew(v, isCentred) { step.from = step.at = undefined; choose(v, isCentred); }

function save() {
  drawAll();
  const sheet = document.createElement("canvas");
  sheet.width = canvas.width;
  sheet.height = canvas.height;
  const on = sheet.getContext("2d");
  on.drawImage(canvas, 0, 0);
  on.drawImage(paper.canvas, 0, 0);
  sheet.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = "graph.png";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

function search(text) {
  const list = byId("hits"), wanted = text.trim().toLowerCase();
  list.replaceChildren();
  let found = [];
  if (wanted) {
    const begins = [], holds = [];
    for (let v = 0; v < graph.count && begins.length < 8; v++) {
      if (!scene().seen[v]) continue;
      const at = graph.nameOf(v).toLowerCase().indexOf(wanted);
      if (at === 0) begins.push(v); else if (at > 0 && holds.length < 8) holds.push(v);
    }
    found = [...begins, ...holds].slice(0, 8);
  }
  found.forEach((v, k) => {
    const row = add(list, "li", graph.nameOf(v));
    row.id = "hit" + k;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", k === 0);
    row.addEventListener("pointerdown", (event) => { event.preventDefault(); take(v); });
  });
  if (wanted && !found.length) add(list, "li", "nothing of this name").className = "quiet";
  list.hidden = !wanted;
  byId("query").setAttribute("aria-expanded", !list.hidden);
  search.found = found;
  search.at = 0;
}

function take(v) {
  byId("query").value = graph.nameOf(v);
  search("");
  chooseAnew(v, true);
  canvas.focus();
}

function typed(event) {
  const rows = byId("hits").children, count = (search.found || []).length;
  if (event.key === "Escape") { event.target.value = ""; search(""); canvas.focus(); }
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && count) {
    search.at = (search.at + (event.key === "ArrowDown" ? 1 : -1) + count) % count;
    for (let k = 0; k < count; k++) rows[k].setAttribute("aria-selected", k === search.at);
    byId("query").setAttribute("aria-activedescendant", "hit" + search.at);
    event.preventDefault();
  }
}

function keyed(event) {
  const far = 60 * camera.ratio;
  const keys = {
    ArrowLeft: () => pan(far, 0), ArrowRight: () => pan(-far, 0), ArrowUp: () => pan(0, far), ArrowDown: () => pan(0, -far),
    "+": () => zoomBy(1.3), "=": () => zoomBy(1.3), "-": () => zoomBy(1 / 1.3), 0: fit,
    Enter: () => drill(), Backspace: up, Escape: () => chooseAnew(-1), n: () => step(1), p: () => step(-1),
  };
  if (keys[event.key] && !event.ctrlKey && !event.metaKey) { keys[event.key](); event.preventDefault(); }
}

function keyedAnywhere(event) {
  if (/INPUT|SELECT/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  const keys = { "/": () => byId("query").focus(), "?": () => byId("help").click(), s: save, t: () => byId("theme").click() };
  if (keys[event.key]) { keys[event.key](); event.preventDefault(); }
}

function listen() {
  const held = new Map();
  let dragged = 0, apart = 0;
  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) * camera.ratio, (event.clientY - box.top) * camera.ratio];
  };
  const under = (event) => {
    const reach = (event.pointerType === "touch" ? 22 : 12) * camera.ratio;
    return graph.cells.nearest(...camera.toPlace(...at(event)), reach / camera.zoom, scene().seen);
  };
  const hover = (event) => {
    const v = under(event), box = canvas.getBoundingClientRect();
    canvas.classList.toggle("over", v >= 0);
    tip.hidden = v < 0;
    if (v < 0) return;
    const values = look.color();
    tip.textContent = graph.nameOf(v) + (values ? `: ${look.told(values, v)}` : "");
    tip.style.left = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth - 4) + "px";
    tip.style.top = Math.max(4, event.clientY - box.top - 30) + "px";
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    held.set(event.pointerId, at(event));
    dragged = held.size > 1 ? 1e9 : 0;
    apart = 0;
    canvas.focus({ preventScroll: true });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held.has(event.pointerId)) { hover(event); return; }
    const [x, y] = at(event), [a, b] = held.get(event.pointerId);
    held.set(event.pointerId, [x, y]);
    dragged += Math.abs(x - a) + Math.abs(y - b);
    if (dragged > 5 * camera.ratio) { canvas.classList.add("held"); tip.hidden = true; pan((x - a) / held.size, (y - b) / held.size); }
    if (held.size === 2) {
      const [one, other] = [...held.values()], now = Math.hypot(one[0] - other[0], one[1] - other[1]);
      if (apart) zoomBy(now / apart, (one[0] + other[0]) / 2, (one[1] + other[1]) / 2);
      apart = now;
    }
  });
  const release = (event) => {
    canvas.classList.remove("held");
    if (held.delete(event.pointerId) && event.type === "pointerup" && dragged <= 5 * camera.ratio) chooseAnew(under(event));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("dblclick", () => drill());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...at(event));
  }, { passive: false });
  canvas.addEventListener("webglcontextlost", () => fail("The browser took the picture's memory away; load the page again."));
  canvas.addEventListener("keydown", keyed);
  document.addEventListener("keydown", keyedAnywhere);
  const actions = {
    down: () => drill(), up, fit, save, theme: () => { look.setTheme(look.theme === "dark" ? "light" : "dark"); paint(); },
    help: () => { byId("keys").hidden = !byId("keys").hidden; byId("help").setAttribute("aria-expanded", !byId("keys").hidden); },
  };
  for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", act);
  byId("color").addEventListener("change", () => paint());
  byId("size").addEventListener("change", () => paint());
  byId("query").addEventListener("input", (event) => search(event.target.value));
  byId("query").addEventListener("keydown", typed);
  byId("query").addEventListener("blur", () => search(""));
  byId("find").addEventListener("submit", (event) => {
    event.preventDefault();
    if ((search.found || []).length) take(search.found[search.at]);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => { look.setTheme(event.matches ? "dark" : "light"); paint(); });
  new ResizeObserver(() => { resize(); if (camera.isFitted) fit(); else redraw(true); }).observe(byId("stage"));
}

begin().catch((error) => { fail("The picture could not be made: " + error.message); throw error; });
