/* Figures as people read them: the same three significant digits and prefixes as dashboard/domain/units.py (a test compares them). */
(function (root) {
  "use strict";

  const THIN = "\u202f";
  const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

  /* Ties go to the even figure, as in Python; fifty decimals tell a tie from its neighbours. */
  function rounded(value, digits) {
    const [mantissa, exponent] = Math.abs(value).toExponential(50).split("e");
    const figures = mantissa.replace(".", "");
    const tie = /^50*$/.test(figures.slice(digits)) && Number(figures[digits - 1]) % 2 === 0;
    if (!tie) return Number(value.toExponential(digits - 1));
    return Math.sign(value) * Number(`${figures[0]}.${figures.slice(1, digits)}e${exponent}`);
  }

  function whole(value) {
    const near = Math.round(value);
    return Math.abs(value % 1) === 0.5 && near % 2 ? near - 1 : near;
  }

  function significant(value, digits = 3) {
    if (!Number.isFinite(value)) return "";
    if (value === 0) return "0";
    const shown = rounded(value, digits);
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(shown))));
    const [integer, fraction] = shown.toFixed(decimals).split(".");
    const grouped = integer.replace(/\B(?=(\d{3})+$)/g, THIN);
    return fraction ? `${grouped}.${fraction}` : grouped;
  }

  function rate(value) {
    if (!Number.isFinite(value)) return "";
    const shown = rounded(value, 3);
    for (const [size, prefix] of PREFIXES) {
      if (Math.abs(shown) >= size) return significant(shown / size) + prefix;
    }
    return significant(shown);
  }

  function withUnit(figure, unit) {
    return figure && unit ? figure + THIN + unit : figure;
  }

  function longDuration(value) {
    const all = whole(value);
    const pad = (number) => String(number).padStart(2, "0");
    if (all < 3600) return `${Math.floor(all / 60)}${THIN}min${THIN}${pad(all % 60)}${THIN}s`;
    const minutes = whole(all / 60);
    return `${Math.floor(minutes / 60)}${THIN}h${THIN}${pad(minutes % 60)}${THIN}min`;
  }

  function seconds(value) {
    if (!Number.isFinite(value)) return "";
    const size = Math.abs(rounded(value, 3));
    if (size >= 60) return longDuration(value);
    if (size >= 1 || size === 0) return withUnit(significant(value), "s");
    if (size * 1e3 >= 1) return withUnit(significant(value * 1e3), "ms");
    return withUnit(significant(value * 1e6), "µs");
  }

  /* A metric's figure with its unit, by the unit. */
  function figure(value, unit) {
    if (!Number.isFinite(value)) return "";
    if (unit === "s") return seconds(value);
    if (unit === "$/Mtok") return `$${rate(value)}/Mtok`;
    if (unit === "%") return withUnit(significant(value * 100), "%");
    return withUnit(COUNTED.has(unit) ? count(value) : rate(value), unit);
  }

  const COUNTED = new Set(["requests", "GPUs"]);

  function count(value) {
    return Number.isFinite(value) ? String(whole(value)).replace(/\B(?=(\d{3})+$)/g, THIN) : "";
  }

  root.agentx = Object.assign(root.agentx || {}, { format: { significant, rate, seconds, figure, count } });
})(typeof window === "undefined" ? module.exports : window);
