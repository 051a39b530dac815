/* Pointer, wheel, touch and keys of the lane canvas. It changes the view through its methods and knows nothing of drawing. */

import { panned, place, zoomed } from "./lanes-geometry.js";

const DRAG_PX = 4;
const WHEEL_ZOOM = 0.0016;
const KEY_ZOOM = 0.75;
const KEY_PAN = 0.15;

/** Pixels that a wheel event means, whatever unit it is in. */
function wheelPixels(event, delta) {
  return event.deltaMode === 1 ? delta * 16 : event.deltaMode === 2 ? delta * 400 : delta;
}

/** Listen on the plot of `view`; `signal` ends it. */
export function listen(view, signal) {
  const { plotElement: plot, scroller } = view;
  const on = (target, kind, handler, more = {}) => target.addEventListener(kind, handler, { signal, ...more });
  const pointers = new Map();
  let drag = null;
  let dragged = false;

  const at = (event) => {
    const box = plot.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };

  on(plot, "pointerdown", (event) => {
    pointers.set(event.pointerId, at(event));
    if (event.button !== 0) return;
    dragged = false;
    drag = { point: at(event), window: view.window, scroll: scroller.scrollTop, id: event.pointerId };
    if (pointers.size === 2) drag = pinchFrom();
  });

  function pinchFrom() {
    const [a, b] = [...pointers.values()];
    return { pinch: Math.max(10, Math.abs(a.x - b.x)), window: view.window, middle: (a.x + b.x) / 2 };
  }

  function pinch() {
    const [a, b] = [...pointers.values()];
    const anchor = place(drag.middle, drag.window, view.width);
    const moved = ((drag.middle - (a.x + b.x) / 2) / view.width) * (drag.window[1] - drag.window[0]);
    const factor = drag.pinch / Math.max(10, Math.abs(a.x - b.x));
    const next = zoomed(drag.window, factor, anchor, view.whole);
    view.setWindow([next[0] + moved * factor, next[1] + moved * factor]);
  }

  on(plot, "pointermove", (event) => {
    const point = at(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, point);
    if (drag && drag.pinch && pointers.size >= 2) {
      dragged = true;
      pinch();
    } else if (drag && drag.id === event.pointerId) {
      move(event, point);
    } else {
      view.pointAt(point);
    }
  });

  function move(event, point) {
    const [dx, dy] = [point.x - drag.point.x, point.y - drag.point.y];
    if (!dragged && Math.hypot(dx, dy) < DRAG_PX) return;
    if (!dragged) plot.setPointerCapture(event.pointerId);
    dragged = true;
    plot.classList.add("dragging");
    const span = drag.window[1] - drag.window[0];
    const from = drag.window[0] - (dx / view.width) * span;
    view.setWindow([from, from + span]);
    scroller.scrollTop = drag.scroll - dy;
  }

  const end = (event) => {
    pointers.delete(event.pointerId);
    drag = null;
    plot.classList.remove("dragging");
  };
  on(plot, "pointerup", end);
  on(plot, "pointercancel", end);
  on(plot, "pointerleave", () => {
    if (!drag) view.pointAt(null);
  });

  /* After a drag the click that the browser adds means nothing. */
  on(plot, "click", (event) => {
    if (dragged) {
      event.preventDefault();
      event.stopPropagation();
    } else view.clicked(event, at(event));
  }, { capture: true });
  on(plot, "dblclick", (event) => {
    event.preventDefault();
    view.reset();
  });
  on(plot, "dragstart", (event) => event.preventDefault());

  on(plot, "wheel", (event) => {
    const [dx, dy] = [wheelPixels(event, event.deltaX), wheelPixels(event, event.deltaY)];
    const zooms = event.ctrlKey || (view.options.wheel === "zoom" ? !event.shiftKey : false);
    if (!zooms && !event.shiftKey && view.options.wheel !== "zoom" && Math.abs(dy) >= Math.abs(dx)) return;
    event.preventDefault();
    if (event.shiftKey && !event.ctrlKey) scroller.scrollTop += dy || dx;
    else if (zooms && Math.abs(dy) >= Math.abs(dx)) {
      const sharper = event.ctrlKey ? 4 : 1;
      const anchor = place(at(event).x, view.window, view.width);
      view.setWindow(zoomed(view.window, Math.exp(dy * WHEEL_ZOOM * sharper), anchor, view.whole));
    } else view.setWindow(panned(view.window, dx / view.width, view.whole));
  }, { passive: false });

  on(plot, "keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (pressed(view, event)) event.preventDefault();
  });
  on(plot, "blur", () => view.blurred());
}

/** What a key does; whether it did anything. */
function pressed(view, event) {
  const middle = view.anchor();
  const zoom = (factor) => view.setWindow(zoomed(view.window, factor, middle, view.whole));
  const pan = (share) => view.setWindow(panned(view.window, share, view.whole));
  const scroll = (rows) => {
    view.scroller.scrollTop += rows * view.model.rows.height;
  };
  const walk = (along, across, otherwise) => () => (view.focused >= 0 ? view.walk(along, across) : otherwise());
  const actions = {
    w: () => zoom(KEY_ZOOM),
    "+": () => zoom(KEY_ZOOM),
    "=": () => zoom(KEY_ZOOM),
    s: () => zoom(1 / KEY_ZOOM),
    "-": () => zoom(1 / KEY_ZOOM),
    a: () => pan(-KEY_PAN),
    d: () => pan(KEY_PAN),
    0: () => view.reset(),
    ".": () => view.walk(1, 0),
    ",": () => view.walk(-1, 0),
    Home: () => view.walk(-Infinity, 0),
    End: () => view.walk(Infinity, 0),
    ArrowRight: walk(1, 0, () => pan(KEY_PAN)),
    ArrowLeft: walk(-1, 0, () => pan(-KEY_PAN)),
    ArrowDown: walk(0, 1, () => scroll(1)),
    ArrowUp: walk(0, -1, () => scroll(-1)),
    PageDown: () => scroll(10),
    PageUp: () => scroll(-10),
    Enter: () => view.follow(),
    Escape: () => view.focus(-1),
  };
  const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (view.options.onKey && view.options.onKey(event)) return true;
  if (!action) return false;
  action();
  return true;
}
