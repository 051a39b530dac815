/* Described parts: brings the elements of a part in line with its description, and keeps those that stay.

   A node is a text or [tag, attributes, child, child ...]. Text is always text: nothing in it becomes markup. */
(function () {
  "use strict";

  /* Set by the reader or by our scripts, not by the description. */
  const KEPT = new Set(["open", "hidden"]);

  function make(node) {
    if (typeof node === "string") return document.createTextNode(node);
    const element = document.createElement(node[0]);
    align(element, node);
    return element;
  }

  function fits(place, node) {
    if (!place) return false;
    if (typeof node === "string") return place.nodeType === Node.TEXT_NODE;
    return place.nodeType === Node.ELEMENT_NODE && place.localName === node[0];
  }

  function alignAttributes(element, attributes) {
    for (const { name } of [...element.attributes]) {
      if (!(name in attributes) && !KEPT.has(name)) element.removeAttribute(name);
    }
    for (const [name, value] of Object.entries(attributes)) {
      if (element.getAttribute(name) === value) continue;
      element.setAttribute(name, value);
      if (name === "value") element.value = value;
    }
  }

  function alignChildren(element, nodes) {
    nodes.forEach((node, index) => {
      const place = element.childNodes[index];
      if (!fits(place, node)) element.insertBefore(make(node), place || null);
      else if (typeof node !== "string") align(place, node);
      else if (place.data !== node) place.data = node;
    });
    while (element.childNodes.length > nodes.length) element.lastChild.remove();
  }

  function align(element, [, attributes, ...nodes]) {
    alignAttributes(element, attributes);
    alignChildren(element, nodes);
  }

  function draw(part) {
    const { tree, media } = part.dataset;
    if (part.drawn === tree || (media && !window.matchMedia(media).matches)) return;
    part.drawn = tree;
    alignChildren(part, JSON.parse(tree));
    part.dispatchEvent(new CustomEvent("agentx:drawn", { bubbles: true }));
  }

  function drawAll() {
    document.querySelectorAll("[data-tree]").forEach(draw);
  }

  window.addEventListener("resize", drawAll);
  new MutationObserver(drawAll).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["data-tree"] });
})();
