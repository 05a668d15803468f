// How far a long piece of work is, and how long the rest will take: from the texts that the server has encoded.

import { get } from "./api.js";
import { counted, make } from "./elements.js";

const EVERY = 500; // milliseconds

/** The rest of the time in words. */
export function rest(seconds) {
  if (seconds < 2) return "nearly done";
  return seconds < 90 ? `about ${Math.round(seconds)} s left` : `about ${Math.round(seconds / 60)} min left`;
}

/** Show progress in a place until the returned function is called; `total` is the number of texts. */
export function following(place, total) {
  const meter = make("progress", { max: total, "aria-label": "Texts that were read" });
  const words = make("span", { class: "hint" });
  const line = make("p", { class: "progress" }, meter, words);
  const began = performance.now();
  let first = null, timer = null, ended = false;
  const look = async () => {
    try {
      const { encoded } = await get("api/health");
      if (ended) return;
      first ??= encoded;
      // What others ask for is counted, too: this is an estimate, and never says that all is done.
      const done = Math.min(encoded - first, total - 1);
      if (done > 0) {
        meter.value = done;
        words.textContent = `${done.toLocaleString("en")} of ${counted(total, "text")}, ${rest(((performance.now() - began) / done) * (total - done) / 1000)}`;
      } else words.textContent = counted(total, "text");
      if (!line.isConnected) place.prepend(line);
    } catch { /* The work itself says what is wrong. */ }
    if (!ended) timer = setTimeout(look, EVERY);
  };
  timer = setTimeout(look, EVERY);
  return () => { ended = true; clearTimeout(timer); line.remove(); };
}
