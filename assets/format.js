/* Figures as people read them: the same three significant digits and prefixes as dashboard/domain/units.py (a test compares them). */
(function (root) {
  "use strict";

  const THIN = "\u202f";
  const PREFIXES = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];

  function significant(value, digits = 3) {
    if (!Number.isFinite(value)) return "";
    if (value === 0) return "0";
    const rounded = Number(value.toExponential(digits - 1));
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
    const [whole, fraction] = rounded.toFixed(decimals).split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, THIN);
    return fraction ? `${grouped}.${fraction}` : grouped;
  }

  function rate(value) {
    if (!Number.isFinite(value)) return "";
    const rounded = Number(value.toExponential(2));
    for (const [size, prefix] of PREFIXES) {
      if (Math.abs(rounded) >= size) return significant(rounded / size) + prefix;
    }
    return significant(rounded);
  }

  function withUnit(figure, unit) {
    return figure && unit ? figure + THIN + unit : figure;
  }

  function longDuration(value) {
    const whole = Math.round(value);
    const pad = (number) => String(number).padStart(2, "0");
    if (whole < 3600) return `${Math.floor(whole / 60)}${THIN}min${THIN}${pad(whole % 60)}${THIN}s`;
    const minutes = Math.round(whole / 60);
    return `${Math.floor(minutes / 60)}${THIN}h${THIN}${pad(minutes % 60)}${THIN}min`;
  }

  function seconds(value) {
    if (!Number.isFinite(value)) return "";
    const size = Math.abs(Number(value.toExponential(2)));
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
    return withUnit(rate(value), unit);
  }

  function count(value) {
    return Number.isFinite(value) ? String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, THIN) : "";
  }

  root.agentx = Object.assign(root.agentx || {}, { format: { significant, rate, seconds, figure, count } });
})(typeof window === "undefined" ? module.exports : window);
