"""One module per URL: reads its view, asks the store, hands rows to components."""
