/* Views that are drawn when asked for: a choice changes the address and asks the server for these views only; a mark leads on. */
(function () {
  "use strict";

  /* The parameters that the links of a section own; all others stay as the page has them now. */
  const OWN = ["across", "scatter"];

  function chosen(href) {
    const target = new URL(href);
    const here = new URL(window.location.href);
    for (const name of OWN) {
      const value = target.searchParams.get(name);
      if (value === null) here.searchParams.delete(name);
      else here.searchParams.set(name, value);
    }
    return here;
  }

  /* Commas and dots stay readable, as the server writes them. */
  function readable(url) {
    return url.pathname + url.search.replace(/%2C/gi, ",") + url.hash;
  }

  function show() {
    const slug = decodeURIComponent(window.location.pathname.split("/")[2] || "");
    document.querySelectorAll(".explore-graph").forEach((box) => box.classList.add("stale"));
    window.dash_clientside.set_props("explore-query", { data: { slug, search: window.location.search } });
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".explore a[data-view]");
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || event.defaultPrevented || !plain) return;
    event.preventDefault();
    window.history.pushState(window.history.state, "", readable(chosen(link.href)));
    show();
  });

  function wire(gd) {
    gd.wired = true;
    gd.on("plotly_click", ({ points }) => {
      const href = points[0]?.customdata;
      if (typeof href === "string" && href.startsWith("/")) window.location.assign(href);
    });
    gd.on("plotly_hover", () => gd.classList.add("on-mark"));
    gd.on("plotly_unhover", () => gd.classList.remove("on-mark"));
  }

  new MutationObserver(() => {
    for (const gd of document.querySelectorAll(".explore-graph .js-plotly-plot")) {
      if (gd.on && !gd.wired) wire(gd);
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
