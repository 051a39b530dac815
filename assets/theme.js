/* Light or dark, wide or narrow: decided before Dash starts, told to the server in two cookies, so that the first picture is right. */
(function () {
  "use strict";

  const WIDE = window.matchMedia("(min-width: 1100px)");
  const DARK = window.matchMedia("(prefers-color-scheme: dark)");
  const KEY = "agentx-theme";

  function asked() {
    const theme = new URLSearchParams(window.location.search).get("theme");
    return theme === "light" || theme === "dark" ? theme : null;
  }

  function kept() {
    try {
      return window.localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function current() {
    return asked() || kept() || (DARK.matches ? "dark" : "light");
  }

  function remember(name, value) {
    document.cookie = `${name}=${value}; path=/; max-age=31536000; SameSite=Lax`;
  }

  function state() {
    return { theme: current(), width: WIDE.matches ? "wide" : "stacked" };
  }

  let applied = null;

  function apply() {
    applied = state();
    document.documentElement.dataset.bsTheme = applied.theme;
    remember("agentx_theme", applied.theme);
    remember("agentx_width", applied.width);
  }

  /* A figure is made by the server for one theme and one arrangement: ask for it again. */
  function redraw() {
    const before = applied;
    apply();
    if (document.getElementById("curves-graph")) {
      window.dash_clientside.set_props("curves-query", { data: window.location.search });
    } else if (before.theme !== applied.theme && document.querySelector(".js-plotly-plot")) {
      window.location.reload();
    }
  }

  /* The window or the system changed: wait until it has settled (printing and screenshots change both for a moment). */
  let settling = 0;
  function changed() {
    window.clearTimeout(settling);
    settling = window.setTimeout(() => {
      const now = state();
      if (now.theme !== applied.theme || now.width !== applied.width) redraw();
    }, 150);
  }

  function toggle() {
    const theme = current() === "dark" ? "light" : "dark";
    try {
      window.localStorage.setItem(KEY, theme);
    } catch {
      /* private windows: the cookie still carries it */
    }
    if (asked()) {
      const url = new URL(window.location.href);
      url.searchParams.delete("theme");
      window.history.replaceState(window.history.state, "", url);
    }
    redraw();
  }

  apply();
  WIDE.addEventListener("change", changed);
  DARK.addEventListener("change", changed);
  window.addEventListener("popstate", apply);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#theme-toggle")) toggle();
  });
})();
