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

  function apply() {
    const theme = current();
    document.documentElement.dataset.bsTheme = theme;
    remember("agentx_theme", theme);
    remember("agentx_width", WIDE.matches ? "wide" : "stacked");
  }

  /* A figure is made by the server for one theme and one arrangement: ask for it again. */
  function redraw() {
    apply();
    if (document.getElementById("curves-graph")) {
      window.dash_clientside.set_props("curves-query", { data: window.location.search });
    } else if (document.querySelector(".js-plotly-plot")) {
      window.location.reload();
    }
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
  WIDE.addEventListener("change", redraw);
  DARK.addEventListener("change", () => kept() || asked() || redraw());
  window.addEventListener("popstate", apply);
  document.addEventListener("click", (event) => {
    if (event.target.closest("#theme-toggle")) toggle();
  });
})();
