// Drawing by WebGL 2. Edges are drawn into a texture, so many a frame as the time allows, until all
// are there or the picture moves; above it vertices, every frame.

const EDGE = `#version 300 es
in vec2 place; uniform vec2 middle; uniform vec2 scale;
void main() { gl_Position = vec4((place - middle) * scale, 0.0, 1.0); }`;
const EDGE_INK = `#version 300 es
precision mediump float; uniform vec4 ink; out vec4 color;
void main() { color = ink; }`;
const DOT = `#version 300 es
in vec2 place; in float share; in float radius;
uniform vec2 middle; uniform vec2 scale; uniform float zoom; uniform float grow;
out float tone; out float width;
void main() {
  width = radius < 0.0 ? 0.0 : max(radius * zoom * 2.0 + grow, 2.5);
  tone = share;
  gl_PointSize = width;
  gl_Position = radius < 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4((place - middle) * scale, 0.0, 1.0);
}`;
const DOT_INK = `#version 300 es
precision mediump float; in float tone; in float width; out vec4 color;
uniform sampler2D tones; uniform vec4 ring;
void main() {
  float edge = length(gl_PointCoord - 0.5) * 2.0;
  float alpha = 1.0 - smoothstep(1.0 - 2.0 / max(width, 4.0), 1.0, edge);
  if (alpha <= 0.0) discard;
  vec3 ink = ring.a > 0.0 ? ring.rgb : texture(tones, vec2(tone, 0.5)).rgb;
  if (ring.a > 0.0 && edge < 1.0 - 5.0 / max(width, 6.0)) discard;
  color = vec4(ink * alpha, alpha);
}`;
const SHEET = `#version 300 es
out vec2 at;
void main() {
  at = vec2(float((gl_VertexID << 1) & 2), float(gl_VertexID & 2));
  gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);
}`;
const SHEET_INK = `#version 300 es
precision mediump float; in vec2 at; uniform sampler2D sheet; out vec4 color;
void main() { color = texture(sheet, at); }`;
const FRAME_MS = { moving: 26, still: 90 }, LEAST_EDGES = { moving: 2000, still: 50000 };
const MOST_RISE = { moving: 1.1, still: 1.5 }, TONES = 256;

function artist(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: false });
  if (!gl) return null;
  const programs = {
    edge: program(gl, EDGE, EDGE_INK), dot: program(gl, DOT, DOT_INK), sheet: program(gl, SHEET, SHEET_INK),
  };
  const buffers = {};
  for (const name of ["place", "share", "radius", "ends", "order"]) buffers[name] = gl.createBuffer();
  const tones = texture(gl), sheet = texture(gl), frame = gl.createFramebuffer(), smooth = gl.createFramebuffer();
  const samples = gl.createRenderbuffer(), none = gl.createVertexArray();
  const ways = { edge: gl.createVertexArray(), dot: gl.createVertexArray() };
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.enable(gl.BLEND);
  let fence = null;
  const made = { gl, total: 0, drawn: 0, budget: { moving: 5000, still: 100000 }, inkOfEdges: [0.5, 0.5, 0.5, 0.1] };

  function fill(name, kind, values, way, type) {
    gl.bindVertexArray(way);
    gl.bindBuffer(kind, buffers[name]);
    gl.bufferData(kind, values, gl.STATIC_DRAW);
    if (kind === gl.ARRAY_BUFFER) {
      for (const [one, used] of [[ways.edge, "edge"], [ways.dot, "dot"]]) {
        const where = gl.getAttribLocation(programs[used].it, name);
        if (where < 0) continue;
        gl.bindVertexArray(one);
        gl.enableVertexAttribArray(where);
        gl.vertexAttribPointer(where, name === "place" ? 2 : 1, type || gl.FLOAT, false, 0, 0);
      }
    }
    gl.bindVertexArray(null);
  }

  made.setPlaces = (places) => { made.count = places.length / 2; fill("place", gl.ARRAY_BUFFER, places, null); };
  made.setShares = (shares) => fill("share", gl.ARRAY_BUFFER, shares, null);
  made.setRadii = (radii) => fill("radius", gl.ARRAY_BUFFER, radii, null);
  made.setEdges = (ends) => {
    fill("ends", gl.ELEMENT_ARRAY_BUFFER, ends, ways.edge);
    made.total = ends.length / 2;
    made.drawn = -1;
  };
  made.setOrder = (order) => {  // of the dots seen, the largest first: a few stand for all
    made.dots = order.length;
    fill("order", gl.ELEMENT_ARRAY_BUFFER, order, ways.dot);
  };
  made.setTones = (bytes) => {
    gl.bindTexture(gl.TEXTURE_2D, tones);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, TONES, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  };
  made.resize = (width, height) => {
    canvas.width = width;
    canvas.height = height;
    gl.bindTexture(gl.TEXTURE_2D, sheet);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, sheet, 0);
    gl.bindRenderbuffer(gl.RENDERBUFFER, samples);
    const most = gl.getInternalformatParameter(gl.RENDERBUFFER, gl.RGBA8, gl.SAMPLES)[0] || 0;
    gl.renderbufferStorageMultisample(gl.RENDERBUFFER, Math.min(4, most), gl.RGBA8, width, height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, smooth);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.RENDERBUFFER, samples);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    made.drawn = -1;
  };

  // Draw a frame; return whether something is left for the next one. While the picture moves, edges
  // go to the screen at once, and so many dots are drawn as edges are.
  made.draw = (camera, ground, marks, isMoving) => {
    const { width, height } = canvas, scale = [2 * camera.zoom / width, 2 * camera.zoom / height];
    const budget = made.budget[isMoving ? "moving" : "still"];
    gl.viewport(0, 0, width, height);
    if (!isMoving) addToSheet(camera, scale, budget);
    const left = isMoving || made.drawn < made.total;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.clearColor(...ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (isMoving) {
      drawEdges(camera, scale, 0, Math.min(budget, made.total));
      made.drawn = -1;
    } else if (made.total) {
      use(programs.sheet, none);
      gl.bindTexture(gl.TEXTURE_2D, sheet);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    const dot = use(programs.dot, ways.dot);
    gl.uniform2f(dot.middle, camera.x, camera.y);
    gl.uniform2f(dot.scale, ...scale);
    gl.uniform1f(dot.zoom, camera.dots);
    gl.uniform1f(dot.grow, 0);
    gl.uniform4f(dot.ring, 0, 0, 0, 0);
    gl.bindTexture(gl.TEXTURE_2D, tones);
    gl.drawElements(gl.POINTS, left ? Math.min(made.dots, budget) : made.dots, gl.UNSIGNED_INT, 0);
    gl.uniform1f(dot.grow, 10 * camera.ratio);
    for (const [v, ink] of marks) {
      gl.uniform4f(dot.ring, ...ink, 1);
      gl.drawArrays(gl.POINTS, v, 1);
    }
    return left;
  };

  function addToSheet(camera, scale, most) {
    const smoothed = made.total < 200000;  // as many lines hide each other's steps
    gl.bindFramebuffer(gl.FRAMEBUFFER, smoothed ? smooth : frame);
    if (made.drawn < 0) {
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      made.drawn = 0;
    }
    const count = Math.min(most, made.total - made.drawn);
    drawEdges(camera, scale, made.drawn, count);
    made.drawn += count;
    if (smoothed) {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, smooth);
      gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, frame);
      const { width, height } = canvas;
      gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    }
  }

  function drawEdges(camera, scale, from, count) {
    if (count <= 0) return;
    const edge = use(programs.edge, ways.edge), [r, g, b, a] = made.inkOfEdges;
    gl.uniform2f(edge.middle, camera.x, camera.y);
    gl.uniform2f(edge.scale, ...scale);
    gl.uniform4f(edge.ink, r * a, g * a, b * a, a);
    gl.drawElements(gl.LINES, 2 * count, gl.UNSIGNED_INT, 8 * from);
  }

  function use(one, way) {
    gl.useProgram(one.it);
    gl.bindVertexArray(way);
    return one;
  }

  // Whether what was drawn last is there: no frame is begun before, as browsers put work off.
  made.isDone = () => {
    if (fence && gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED) return false;
    gl.deleteSync(fence);
    fence = null;
    return true;
  };
  made.begin = () => {
    fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  };
  made.moved = () => { made.drawn = -1; };
  // More or fewer edges a frame, by how long one took, which is told in turns of the screen: slowly
  // more while it moves, so that few frames miss theirs.
  made.learn = (ms, isMoving) => {
    const pace = isMoving ? "moving" : "still";
    const wanted = made.budget[pace] * Math.min(MOST_RISE[pace], Math.max(0.5, FRAME_MS[pace] / Math.max(ms, 1)));
    made.budget[pace] = Math.min(4000000, Math.max(LEAST_EDGES[pace], Math.round(wanted)));
  };
  return made;
}

function program(gl, corner, ink) {
  const it = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, corner], [gl.FRAGMENT_SHADER, ink]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(it, shader);
  }
  gl.linkProgram(it);
  const found = { it };
  for (let k = 0; k < gl.getProgramParameter(it, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(it, k);
    found[name] = gl.getUniformLocation(it, name);
  }
  return found;
}

function texture(gl) {
  const it = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, it);
  for (const [what, how] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]]) {
    gl.texParameteri(gl.TEXTURE_2D, what, how);
  }
  return it;
}
