/* Times what a reader waits for, from inside the page: load, change of a view, hover. All in ms. */
window.bench = {
  painted: null,
  long: 0,
  hovered: [],

  /** Notes when the first element of `selector` is on the screen, counted from the start of the navigation. */
  watchLoad(selector) {
    new PerformanceObserver((list) => list.getEntries().forEach((task) => { this.long += task.duration; }))
      .observe({ type: "longtask", buffered: true });
    this.painted = new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector(selector)) requestAnimationFrame(look);
        else requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      };
      look();
    });
  },

  /** Waits for what `watchLoad` watches. */
  async whenPainted() {
    return { painted: await this.painted, long: this.long };
  },

  /** Follows a link of the page; when the chart, and when anything at all, last changed on the screen. */
  change(href) {
    return new Promise((resolve) => {
      const chart = document.querySelector("#curves-graph");
      const link = [...document.querySelectorAll("a[data-view]")].find((a) => a.getAttribute("href") === href);
      const inChart = ({ target }) => chart.contains(target) && target.closest && target.closest(".cartesianlayer");
      const last = { drawn: null, rest: null };
      const start = performance.now();
      let quiet;
      const painted = (names) => requestAnimationFrame(() => setTimeout(() => {
        for (const name of names) last[name] = performance.now() - start;
        clearTimeout(quiet);
        if (last.drawn !== null) quiet = setTimeout(() => { observer.disconnect(); resolve(last); }, 400);
      }));
      const observer = new MutationObserver((changes) =>
        painted(changes.some(inChart) ? ["drawn", "rest"] : ["rest"]));
      const all = { subtree: true, childList: true, attributes: true, characterData: true };
      observer.observe(document.body, all);
      link.click();
    });
  },

  /** From now on, notes the time from a move of the mouse to the tip that it brings, or whose words it changes. */
  watchHover() {
    let moved = null;
    window.addEventListener("pointermove", (event) => { moved = event.timeStamp; }, true);
    const shown = () => {
      const tip = document.getElementById("curves-tip");
      if (moved === null || !tip || tip.hidden) return;
      this.hovered.push(performance.now() - moved);
      moved = null;
    };
    const all = { subtree: true, childList: true, attributes: true, attributeFilter: ["hidden"] };
    new MutationObserver(shown).observe(document.body, all);
  },
};
