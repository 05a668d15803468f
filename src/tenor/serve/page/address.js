// What is shown, in the part of the address after #, which browsers keep to themselves: it can be shared as a
// link, the back button works, and no text of the reader's gets into a server's log by it.

// Browsers take more, but what people paste links into often does not.
export const LONGEST = 8000;

/** The view and its settings that an address names. */
export function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return { view: path, settings: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view with settings; empty ones are left out. */
export function write(view, settings = {}) {
  const kept = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

/** Go to a view, as a new step that the back button undoes. */
export function go(view, settings) {
  const next = write(view, settings);
  // The same address again is no new step, but a wish to see it afresh.
  if (next === location.hash) dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = next;
}

/** Change the address without a new step and without showing anything afresh. */
export function amend(view, settings) {
  history.replaceState(null, "", write(view, settings));
  dispatchEvent(new CustomEvent("amended"));
}
