// Asking the server, and saying in plain words what went wrong.

const PATIENCE = 125_000; // milliseconds: a little more than the server gives itself
const RETRIES = 3;

let token = null;
try { token = sessionStorage.getItem("tenor-token"); } catch { /* Storage may be switched off. */ }

/** A failure that can be shown to a person: what happened, what to do, and whether trying again may help. */
export class Failure extends Error {
  constructor(message, { status = 0, again = false } = {}) {
    super(message);
    this.status = status;
    this.again = again;
  }
}

export function useToken(value) {
  token = value;
  try { sessionStorage.setItem("tenor-token", value); } catch { /* Then it lasts until the next reload. */ }
}

/** Whether this server was given a token by the reader. */
export const usesToken = () => Boolean(token);

export const get = (path, options) => ask("GET", path, undefined, options);
export const post = (path, body, options) => ask("POST", path, body, options);

/** Send a request and return the JSON of the response; `waiting` is called with how many seconds a busy server wants to be left alone. */
async function ask(method, path, body, { signal, waiting } = {}) {
  for (let tried = 0; ; tried += 1) {
    const response = await send(method, path, body, signal);
    if (response.ok) return await received(response);
    if (response.status === 429 && tried < RETRIES) {
      const seconds = Math.min(10, Math.max(1, Number(response.headers.get("Retry-After")) || 1));
      waiting?.(seconds);
      await pause(seconds * 1000, signal);
      continue;
    }
    throw await failureOf(response);
  }
}

async function send(method, path, body, signal) {
  const headers = { Accept: "application/json" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  const limit = AbortSignal.timeout(PATIENCE);
  try {
    return await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    if (limit.aborted) throw new Failure("The server has not answered for two minutes. It may be busy with something big.", { again: true });
    throw new Failure("The server does not answer. Is “tenor serve” still running?", { again: true });
  }
}

async function received(response) {
  try {
    return await response.json();
  } catch {
    throw new Failure("The server's answer broke off. Is “tenor serve” still running?", { again: true });
  }
}

async function failureOf(response) {
  const { status } = response;
  const said = await explanation(response);
  if (status === 401) {
    dispatchEvent(new CustomEvent("token-wanted", { detail: { wrong: token !== null } }));
    return new Failure("This server asks for a token: give it above.", { status });
  }
  if (status === 429) return new Failure("The server is busy with other requests. Try again in a moment.", { status, again: true });
  if (status === 413) return new Failure(said ?? "This is more than the server takes at once. Try a shorter text or list.", { status });
  if (status >= 500) return new Failure(said ?? "Something went wrong in the server; its window says more.", { status, again: true });
  return new Failure(said ?? `The server refused this (${status}).`, { status });
}

/** The server's own sentence, if it sent one. */
async function explanation(response) {
  try {
    const { error, detail, message } = await response.json();
    const said = error?.message ?? error ?? detail ?? message;
    return typeof said === "string" && said ? said : null;
  } catch {
    return null;
  }
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}
