/* The strip of neighbours: the present point in sight, [ and ] step to the one before and after. */
(function () {
  "use strict";

  function bringIntoView() {
    const strip = document.querySelector(".neighbours-cards");
    const present = strip?.querySelector('[aria-current="page"]');
    if (!present || strip.dataset.placed === present.href) return;
    strip.dataset.placed = present.href;
    strip.scrollLeft = present.offsetLeft - strip.offsetLeft - (strip.clientWidth - present.offsetWidth) / 2;
  }

  function typing(target) {
    return target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;
  }

  document.addEventListener("agentx:drawn", bringIntoView);

  /* Many keyboards write the brackets with AltGr, which arrives as Ctrl with Alt. */
  document.addEventListener("keydown", (event) => {
    const plain = !event.metaKey && event.ctrlKey === event.altKey;
    if ((event.key !== "[" && event.key !== "]") || !plain || event.defaultPrevented || typing(event.target)) return;
    const step = document.querySelector(`a[data-step="${event.key}"]`);
    if (!step) return;
    event.preventDefault();
    step.click();
  });
})();
