/* Starts the ES module that an element asks for: data-module holds its address, its default export takes the element. */
(function () {
  "use strict";

  const started = new Map();

  function failed(element, error) {
    console.error(error);
    element.textContent = "This part of the page could not be started. Reload the page; if that does not help, the browser is too old for it.";
  }

  function start(element) {
    started.set(element, null);
    import(element.dataset.module)
      .then((module) => {
        if (element.isConnected) started.set(element, module.default(element) || null);
      })
      .catch((error) => failed(element, error));
  }

  /* What a module gave back is called once its element has left the page. */
  function look() {
    for (const [element, stop] of started) {
      if (element.isConnected) continue;
      started.delete(element);
      if (typeof stop === "function") stop();
    }
    for (const element of document.querySelectorAll("[data-module]")) if (!started.has(element)) start(element);
  }

  new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
  look();
})();
