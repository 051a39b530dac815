/* What dash-ag-grid calls by name: cells, figures and the grid's look in our tokens. */
(function () {
  "use strict";

  const functions = (window.dashAgGridFunctions = window.dashAgGridFunctions || {});
  const components = (window.dashAgGridComponentFunctions = window.dashAgGridComponentFunctions || {});
  const { rate, significant, count } = window.agentx.format;

  const FORMS = {
    rate,
    count,
    percent: (value) => significant(value * 100),
    fate: (value) => count(value),
    statistic: rate,
  };

  functions.agentxFigure = (params, form) => {
    if (params.value === null || params.value === undefined) return "";
    const figure = FORMS[form](params.value);
    if (form === "statistic" && params.data.few) return `${figure}*`;
    if (form !== "fate") return figure;
    return params.data.failed === null ? figure : `${figure} / ${count(params.data.failed)}`;
  };

  /* Missing values stay at the end whichever way a column is sorted. */
  functions.agentxMissingLast = (a, b, nodeA, nodeB, descending) => {
    const missing = (value) => value === null || value === undefined;
    if (missing(a) || missing(b)) return (missing(a) - missing(b)) * (descending ? -1 : 1);
    return a - b;
  };

  functions.agentxGridTheme = (quartz) =>
    quartz.withParams({
      accentColor: "var(--accent)",
      backgroundColor: "var(--bg)",
      foregroundColor: "var(--text)",
      headerTextColor: "var(--text-2)",
      headerBackgroundColor: "var(--bg)",
      borderColor: "var(--border)",
      rowHoverColor: "var(--sunk)",
      fontFamily: "inherit",
      fontSize: 13,
      headerFontSize: 12,
      headerFontWeight: 400,
      cellHorizontalPadding: 10,
      spacing: 6,
      wrapperBorder: false,
      wrapperBorderRadius: 0,
      columnBorder: false,
      headerColumnBorder: false,
      headerColumnResizeHandleColor: "transparent",
    });

  components.StackCell = ({ data }) => {
    const { createElement } = window.React;
    const dot = createElement("i", { className: `dot ${data.tone ? `hw-${data.tone}` : "muted"}` });
    const name = createElement("b", null, data.hardware);
    return createElement("a", { href: data.href, className: "stack-cell", "data-point": data.id }, dot, name, ` ${data.stack}`);
  };
})();
