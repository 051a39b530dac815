/* Looks at a chart from inside the page, for the tests; loaded into each page before its own scripts. */
window.probe = {
  chart(selector) {
    const chart = document.querySelector(selector);
    return chart && chart._fullLayout && chart._fullData && chart.querySelector(".main-svg") ? chart : null;
  },

  /** What is drawn, in data terms: traces with values and looks, axes with ranges. Equal pictures, equal values. */
  picture(selector) {
    const chart = this.chart(selector);
    const plain = (values) =>
      values == null ? null : Array.from(values, (value) => (Number.isNaN(value) ? null : value));
    const id = (data) => (Array.isArray(data) ? data[0] : data);
    const marker = ({ color, symbol, size, line = {} }) => [color, symbol, size, line.dash, line.color];
    const trace = (full) => ({
      uid: full.uid,
      ...(full.meta || {}),
      mode: full.mode,
      visible: full.visible,
      axes: [full.xaxis, full.yaxis],
      x: plain(full.x),
      y: plain(full.y),
      ids: full.customdata ? Array.from(full.customdata, id) : null,
      text: full.text ?? null,
      line: full.line ? [full.line.color, full.line.dash, full.line.width] : null,
      marker: full.marker ? marker(full.marker) : null,
      opacity: full.opacity,
    });
    const axes = Object.entries(chart._fullLayout)
      .filter(([key]) => /^[xy]axis\d*$/.test(key))
      .map(([key, { type, range }]) => [key, { type, range: Array.from(range) }]);
    return {
      traces: chart._fullData.map(trace),
      axes: Object.fromEntries(axes),
      words: (chart._fullLayout.annotations || []).map(({ text }) => text),
    };
  },

  /** True once Dash has nothing left to do and the chart has looked the same three times. */
  async atRest(selector) {
    const look = () => {
      const chart = this.chart(selector);
      const busy = document.querySelector('[data-dash-is-loading="true"]');
      return chart && !busy ? location.href + chart.querySelector(".cartesianlayer").innerHTML : null;
    };
    let last = null;
    let same = 0;
    for (let tries = 0; tries < 400 && same < 3; tries++) {
      const now = look();
      same = now !== null && now === last ? same + 1 : 0;
      last = now;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return same >= 3;
  },

  /** The drawn symbols of one role (mark, ring, dominated) in one chart: [[trace, point id, symbol], ...]. */
  symbols(selector, role, panel) {
    const chart = this.chart(selector);
    const wanted = ({ meta }) => meta && meta.role === role && meta.panel === panel;
    return chart._fullData.filter(wanted).flatMap((full) => {
      const drawn = chart.querySelectorAll(`.trace${CSS.escape(full.uid)} .points path`);
      return [...drawn].map((symbol, place) => {
        const data = full.customdata[place];
        return [full, Array.isArray(data) ? data[0] : data, symbol];
      });
    });
  },

  /** Screen position of the middle, and width, of each drawn symbol in px, by point id. */
  centres([selector, role, panel]) {
    const place = (symbol) => {
      const box = symbol.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2, box.width];
    };
    return Object.fromEntries(this.symbols(selector, role, panel).map(([, id, symbol]) => [id, place(symbol)]));
  },

  /** The dash of each ring's outline as it is painted. */
  ringDashes(selector) {
    return this.symbols(selector, "ring", 0).map(([, , symbol]) => getComputedStyle(symbol).strokeDasharray);
  },

  /** How opaque the first element of a selector is painted, with all that it stands in. */
  opacity(selector) {
    let opacity = 1;
    for (let node = document.querySelector(selector); node && node.tagName !== "svg"; node = node.parentElement) {
      opacity *= Number(getComputedStyle(node).opacity);
    }
    return opacity;
  },

  /** Where the controls of the page lead. */
  controls() {
    return [...document.querySelectorAll("a[data-view]")].map((link) => link.getAttribute("href"));
  },

  /** Click the control that leads to an address, wherever it is folded away. */
  follow(href) {
    const link = [...document.querySelectorAll("a[data-view]")].find((a) => a.getAttribute("href") === href);
    link.click();
  },

  /** Change to any view of the page, as the browser's own buttons do. */
  change(href) {
    history.pushState(null, "", href);
    dispatchEvent(new PopStateEvent("popstate"));
  },

  /** Layout shift of the page so far, what followed a reader's own input left out. */
  shift() {
    return new Promise((resolve) => {
      const sum = (list) => list.getEntries().reduce((all, e) => all + (e.hadRecentInput ? 0 : e.value), 0);
      new PerformanceObserver((list) => resolve(sum(list))).observe({ type: "layout-shift", buffered: true });
      setTimeout(() => resolve(0), 300);
    });
  },
};
