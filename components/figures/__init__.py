"""Pure figure dicts: rows in, plotly JSON out; no Dash."""
