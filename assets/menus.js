/* Menus, filters and forms: one open at a time, closed by a choice, Escape or a click elsewhere. A form's answer is a link. */
(function (root) {
  "use strict";

  /* The URL that a form leads to: fields named `name.key` become one parameter, `name=key:value,key:value`. */
  function formUrl(base, entries) {
    const values = new Map();
    for (const [name, raw] of entries) {
      const value = String(raw).trim();
      if (!value) continue;
      const [parameter, key] = name.split(".");
      const item = key ? `${key}:${value}` : value;
      values.set(parameter, values.has(parameter) ? `${values.get(parameter)},${item}` : item);
    }
    const added = [...values].map(([name, value]) => `${name}=${encodeURIComponent(value).replace(/%3A/g, ":").replace(/%2C/g, ",")}`);
    if (!added.length) return base;
    return base + (base.includes("?") ? "&" : "?") + added.join("&");
  }

  /* Follow an address as if the reader had clicked a link of the page: url-sync.js sees one kind of navigation only. */
  function follow(href) {
    const link = document.createElement("a");
    link.href = href;
    link.dataset.view = "1";
    link.hidden = true;
    document.body.append(link);
    link.click();
    link.remove();
  }

  root.agentx = Object.assign(root.agentx || {}, { formUrl, follow });
  if (typeof document === "undefined") return;

  const OPEN = "details.menu[open], details.facet[open]";

  function rail() {
    return document.querySelector(".rail");
  }

  function closeAll(except) {
    for (const open of document.querySelectorAll(OPEN)) {
      if (!open.contains(except) && !(open.matches(".facet") && rail().classList.contains("open"))) open.open = false;
    }
  }

  function showAllFilters(show) {
    rail().classList.toggle("open", show);
    document.getElementById("filters-toggle").setAttribute("aria-expanded", String(show));
    for (const facet of rail().querySelectorAll("details.facet")) facet.open = show;
  }

  document.addEventListener("click", (event) => {
    const target = event.target;
    if (target.closest("#filters-toggle")) {
      showAllFilters(!rail().classList.contains("open"));
      return;
    }
    closeAll(target);
    const choice = target.closest(".menu a[data-view]");
    if (choice) choice.closest(".menu").open = false;
    const phone = window.matchMedia("(max-width: 767px)").matches;
    if (phone && rail()?.classList.contains("open") && !target.closest(".rail")) showAllFilters(false);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("form.view-form");
    if (!form) return;
    event.preventDefault();
    follow(formUrl(form.dataset.base, new FormData(form).entries()));
  });

  function searchLegend() {
    const box = document.getElementById("legend-search");
    if (!box) return;
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll(".legend-row")) row.hidden = !words.every((word) => row.dataset.words.includes(word));
    for (const block of document.querySelectorAll(".legend-hardware, .legend-vendor")) {
      block.hidden = !block.querySelector(".legend-row:not([hidden])");
    }
  }

  document.addEventListener("input", (event) => {
    if (event.target.id === "legend-search") searchLegend();
  });
  document.addEventListener("agentx:drawn", searchLegend);

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select");
    if (event.key === "/" && !typing && document.getElementById("legend-search")) {
      event.preventDefault();
      document.getElementById("legend-search").focus();
    }
    if (event.key !== "Escape") return;
    const open = document.querySelector(OPEN);
    if (rail()?.classList.contains("open")) showAllFilters(false);
    else if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    } else if (!typing) document.querySelector(".panel-close")?.click();
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("#copy-link, [data-copy]");
    if (!button) return;
    const text = button.dataset.copy ? new URL(button.dataset.copy, window.location.href).href : window.location.href;
    const words = button.textContent;
    button.textContent = (await copied(text)) ? "Copied" : "Press Ctrl+C";
    window.setTimeout(() => (button.textContent = words), 1500);
  });

  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const box = document.createElement("textarea");
      box.value = text;
      document.body.append(box);
      box.select();
      const done = document.execCommand("copy");
      box.remove();
      return done;
    }
  }
})(typeof window === "undefined" ? module.exports : window);
