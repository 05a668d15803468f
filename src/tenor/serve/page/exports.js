// What stands below every result: the same as JSON and as CSV, and the call that a program would make for it.

import { usesToken } from "./api.js";
import * as csv from "./csv.js";
import { announce, make } from "./elements.js";

const FEW = 3; // items of a long list that a call shows
const LONG = 400; // characters of a text that a call shows

/** Buttons for a result: `json` is the server's answer, `rows` the table of it, `path` and `body` the request. */
export function exported(name, { json, rows, path, body }) {
  return make("div", { class: "exports" },
    make("button", { class: "quiet", type: "button", onclick: () => save(`${name}.json`, "application/json", JSON.stringify(json(), null, 1)) }, "JSON"),
    make("button", { class: "quiet", type: "button", onclick: () => save(`${name}.csv`, "text/csv", csv.write(rows())) }, "CSV"),
    calls(path, body));
}

/** Hand a file to the reader; it goes nowhere else. */
export function save(name, type, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function calls(path, body) {
  const details = make("details", { class: "calls" }, make("summary", {}, "Show the call"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const { shown, cut } = abridged(body);
    details.append(
      ...Object.entries(written(new URL(path, document.baseURI).href, shown, { token: usesToken() })).map(([language, code]) => call(language, code)),
      cut ? make("p", { class: "hint" }, `Only the first ${FEW} items are shown here, and long texts are cut.`) : "");
  });
  return details;
}

function call(language, code) {
  const copy = make("button", { class: "quiet", type: "button", "aria-label": `Copy the call in ${language}` }, "Copy");
  copy.addEventListener("click", async () => {
    try { await navigator.clipboard.writeText(code); copy.textContent = "Copied"; } catch { copy.textContent = "Select and copy it"; }
    announce(copy.textContent);
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });
  return make("div", { class: "call" },
    make("div", { class: "row between" }, make("strong", {}, language), copy),
    make("pre", { tabindex: "0", role: "region", "aria-label": `The call in ${language}` }, make("code", {}, code)));
}

/** The same call in three languages. */
export function written(url, body, { token = false } = {}) {
  const json = JSON.stringify(body, null, 2);
  const [shell, python, script] = token ? [" \\\n  -H \"Authorization: Bearer $TENOR_TOKEN\"", ', "Authorization": "Bearer TOKEN"', ', Authorization: "Bearer TOKEN"'] : ["", "", ""];
  return {
    curl: `curl ${url} \\\n  -H 'Content-Type: application/json'${shell} \\\n  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
    Python: `import json, urllib.request\n\nbody = json.loads(r'''${JSON.stringify(body).replaceAll("'", "\\u0027")}''')\n`
      + `request = urllib.request.Request(\n    "${url}", json.dumps(body).encode(), {"Content-Type": "application/json"${python}}\n)\n`
      + "print(json.load(urllib.request.urlopen(request)))",
    JavaScript: `const response = await fetch("${url}", {\n  method: "POST",\n  headers: { "Content-Type": "application/json"${script} },\n`
      + `  body: JSON.stringify(${json.replaceAll("\n", "\n  ")}),\n});\nconsole.log(await response.json());`,
  };
}

/** A body that can be read: the first items of its lists, the beginnings of its texts. */
function abridged(body) {
  let cut = false;
  const brief = (value) => {
    if (Array.isArray(value)) {
      cut ||= value.length > FEW;
      return value.slice(0, FEW).map(brief);
    }
    if (typeof value !== "string" || value.length <= LONG) return value;
    cut = true;
    return `${Array.from(value).slice(0, LONG).join("")}…`;
  };
  return { shown: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => [name, brief(value)])), cut };
}
