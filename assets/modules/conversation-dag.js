/* Who spawned whom, as a picture that stays readable: main turns in one line, runs without an edge as one capsule, subagents
   with the same ends as one. Layout is pure; drawing makes SVG. */

const STEP = 30;
const RADIUS = 9;
const LANE = 26;

/** Nodes of the main line and capsules below it, in units of nodes and lanes. */
export function dagLayout(conversation) {
  const { edges, main } = conversation;
  const spawn = new Map();
  const join = new Map();
  const name = (outer, inner) => (inner === null ? `${outer}` : `${outer}.${inner}`);
  const streamAt = new Map(conversation.others.flatMap((stream) => stream.turns.map((i) => [i, stream])));
  edges.kind.forEach((kind, e) => {
    const from = conversation.place.get(name(edges.from_outer[e], edges.from_inner[e]));
    const to = conversation.place.get(name(edges.to_outer[e], edges.to_inner[e]));
    if (kind === "spawn" && streamAt.has(to) && !spawn.has(streamAt.get(to))) spawn.set(streamAt.get(to), from);
    if (kind === "join" && streamAt.has(from)) join.set(streamAt.get(from), to);
  });
  const anchors = new Set([...spawn.values(), ...join.values()].filter((i) => conversation.kind[i] === "main"));
  const nodes = lineOf(conversation, main.turns, anchors);
  const nodeOf = new Map(nodes.flatMap((node, n) => node.turns.map((i) => [i, n])));
  const groups = new Map();
  for (const stream of conversation.others) {
    const from = nodeOf.get(spawn.get(stream)) ?? nodeBefore(conversation, nodes, stream.begin);
    const to = nodeOf.get(join.get(stream)) ?? null;
    const key = `${from}>${to}`;
    if (!groups.has(key)) groups.set(key, { from, to, streams: [] });
    groups.get(key).streams.push(stream);
  }
  return { nodes, capsules: placed([...groups.values()], nodes.length) };
}

/** Main turns with an edge, first, last and compactions stand alone; others between them are one node. */
function lineOf(conversation, turns, anchors) {
  const nodes = [];
  turns.forEach((i, n) => {
    const alone = anchors.has(i) || conversation.isCompaction(i) || n === 0 || n === turns.length - 1;
    const last = nodes[nodes.length - 1];
    if (!alone && last && !last.alone) last.turns.push(i);
    else nodes.push({ turns: [i], alone });
  });
  return nodes;
}

function nodeBefore(conversation, nodes, time) {
  let found = 0;
  nodes.forEach((node, n) => {
    if (conversation.t_s[node.turns[0]] <= time) found = n;
  });
  return found;
}

/** Capsules in lanes below the line, so that none overlaps another. */
function placed(groups, width) {
  const free = [];
  groups.sort((a, b) => a.from - b.from || (a.to ?? width) - (b.to ?? width));
  return groups.map((group) => {
    const begin = group.from;
    const end = Math.max(group.to ?? begin + 2, begin + 2);
    let lane = free.findIndex((until) => until < begin);
    if (lane < 0) lane = free.length;
    free[lane] = end;
    return { ...group, begin, end, lane };
  });
}

/** An hourglass about a place, as a path of SVG or of a canvas: few fonts have the sign. */
export function hourglass(x, y) {
  return `M${x - 4},${y - 5}H${x + 4}L${x - 4},${y + 5}H${x + 4}Z`;
}

/** An SVG element with attributes and children. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** The picture; `choose(turn)` is told of a click on a node or a capsule's first turn. What is returned lights a turn. */
export function drawDag(place, conversation, layout, choose) {
  const lanes = Math.max(0, ...layout.capsules.map((one) => one.lane + 1));
  const width = Math.max(layout.nodes.length * STEP + 20, 200);
  const height = 30 + lanes * LANE + 8;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", class: "dag", "aria-label": `${layout.nodes.length} nodes of the main conversation, ${layout.capsules.length} groups of subagents and auxiliary requests` });
  const x = (n) => 16 + n * STEP;
  picture.append(svg("line", { x1: x(0), x2: x(layout.nodes.length - 1), y1: 15, y2: 15, class: "dag-line" }));
  const parts = [];
  for (const one of layout.capsules) parts.push([capsule(picture, one, x, choose), new Set(one.streams.flatMap((stream) => stream.turns))]);
  layout.nodes.forEach((node, n) => parts.push([mainNode(picture, conversation, node, x(n), choose), new Set(node.turns)]));
  place.replaceChildren();
  const scroll = document.createElement("div");
  scroll.className = "dag-scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Spawn and join");
  scroll.append(picture);
  place.append(scroll);
  return (chosen) => {
    for (const [part, turns] of parts) part.classList.toggle("lit", turns.has(chosen));
    const lit = picture.querySelector(".lit");
    if (lit) scroll.scrollLeft = Number(lit.dataset.x) - scroll.clientWidth / 2;
  };
}

function mainNode(picture, conversation, node, at, choose) {
  const many = node.turns.length > 1;
  const group = svg("g", { class: "dag-node", "data-x": at });
  const shrank = !many && conversation.isCompaction(node.turns[0]);
  const words = many ? `${node.turns.length}×` : String(conversation.outer[node.turns[0]]);
  group.append(
    many ? svg("rect", { x: at - 13, y: 7, width: 26, height: 16, rx: 3 }) : svg("circle", { cx: at, cy: 15, r: RADIUS }),
    shrank ? svg("path", { d: hourglass(at, 15), class: "dag-mark" }) : svg("text", { x: at, y: 18.5, class: words.length > 3 ? "dag-long" : null }, words),
    svg("title", {}, many ? `${node.turns.length} turns, ${conversation.outer[node.turns[0]]} to ${conversation.outer[node.turns[node.turns.length - 1]]}` : `turn ${conversation.outer[node.turns[0]]}${shrank ? ", after a compaction" : ""}`),
  );
  group.addEventListener("click", () => choose(node.turns[0]));
  picture.append(group);
  return group;
}

function capsule(picture, one, x, choose) {
  const y = 40 + one.lane * LANE;
  const left = x(one.begin) + 10;
  const turns = one.streams.reduce((sum, stream) => sum + stream.turns.length, 0);
  const words = one.streams.length > 1 ? `${one.streams.length}× · ${turns}` : `${turns}`;
  const least = left + Math.max(30, words.length * 6.4 + 12);
  const right = one.to === null ? Math.max(left + 40, least) : Math.max(x(one.to) - 10, least);
  const group = svg("g", { class: "dag-capsule", "data-x": left });
  group.append(svg("path", { class: "dag-spawn", d: `M${x(one.begin)},24 V${y} H${left}` }));
  if (one.to !== null) group.append(svg("path", { class: "dag-join", d: `M${right},${y} H${x(one.to)} V26` }));
  group.append(
    svg("rect", { x: left, y: y - 8, width: right - left, height: 16, rx: 8 }),
    svg("text", { x: (left + right) / 2, y: y + 3.5 }, words),
    svg("title", {}, `${one.streams.map((stream) => stream.label).slice(0, 12).join(", ")}${one.streams.length > 12 ? " …" : ""}: ${turns} turn${turns > 1 ? "s" : ""}${one.to === null ? ", no join recorded" : ""}`),
  );
  group.addEventListener("click", () => choose(one.streams[0].turns[0]));
  picture.append(group);
  return group;
}
