/* What pages drawn by modules share: the view lives in the address, data comes from routes that name what is wrong. */

/** The address with some parameters changed; a value that is null or the first view's own leaves it. */
export function addressWith(changes, first) {
  const url = new URL(window.location.href);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === first[name]) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search.replace(/%2C/gi, ",").replace(/%3A/gi, ":") + url.hash;
}

/** Puts a changed view into the address, in place of the present one. */
export function replaceAddress(changes, first) {
  window.history.replaceState(window.history.state, "", addressWith(changes, first));
}

/** An answer of a data route, read by `read`; an error that says what the server said. */
export async function fetched(url, read, signal) {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error || `The server answered ${answer.status}.`);
  return read(answer);
}
