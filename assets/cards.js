/* On a phone the points are cards; their words come with the table, and are drawn only where they are seen. */
(function () {
  "use strict";

  const PHONE = window.matchMedia("(max-width: 767px)");

  function element(name, className, ...content) {
    const made = document.createElement(name);
    made.className = className;
    made.append(...content);
    return made;
  }

  function card({ href, tone, name, shape, figures }) {
    const title = element("span", "", element("i", `dot ${tone}`), element("b", "", name[0]), ` ${name[1]}`);
    const numbers = figures.map(([figure, words]) => element("span", "", element("b", "", figure), element("small", "", words)));
    const made = element("a", "point-card", element("span", "point-card-head", title, element("span", "quiet", shape)), element("span", "point-card-figures", ...numbers));
    made.href = href;
    return made;
  }

  function draw() {
    const place = document.querySelector(".points-cards");
    if (!place || !PHONE.matches || place.drawn === place.dataset.cards) return;
    place.drawn = place.dataset.cards;
    const { cards, rest } = JSON.parse(place.dataset.cards);
    place.replaceChildren(...cards.map(card), element("p", "quiet", rest));
  }

  PHONE.addEventListener("change", draw);
  new MutationObserver(draw).observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ["data-cards"] });
})();
