/*
 * What Dash's bundles still need of Babel's polyfill: the two functions that step its compiled async functions.
 *
 * Dash serves all of `@babel/polyfill` for browsers from before 2018; its 99 kB cost 0.1 s of every cold load and
 * only these two names are used (a test reads the bundles). An awaited failure ends the function: none of
 * those in use has a `catch`. See docs/decisions/0014.
 */
"use strict";

window.regeneratorRuntime ??= {
  mark: (made) => made,
  wrap(step) {
    const context = { prev: 0, next: 0, sent: undefined, done: false, stop() { this.done = true; } };
    return {
      next(sent) {
        context.sent = sent;
        const value = step(context);
        return { value, done: context.done };
      },
      throw(error) {
        context.done = true;
        throw error;
      },
    };
  },
};
