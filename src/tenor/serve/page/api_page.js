// The API for people to read, from the server's own OpenAPI document.

import { byId, make } from "./elements.js";
import { written } from "./exports.js";
import { tableOf } from "./text_list.js";

/** A type in a few words: "string", "list of numbers", "one of a, b". */
export function typeOf(schema, components) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.enum) return `one of ${schema.enum.filter((each) => each !== null).map((each) => JSON.stringify(each)).join(", ")}`;
  if (schema.anyOf) return schema.anyOf.map((each) => typeOf(each, components)).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map((each) => typeOf(each, components)).join(", ")}]`;
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {}, components)}`;
  if (schema.type === "object") return "object";
  return schema.type ?? "anything";
}

const BOUNDS = { minimum: "at least", exclusiveMinimum: "more than", maximum: "at most", minItems: "items, at least", minLength: "characters, at least", maxLength: "characters, at most" };

function boundsOf(schema) {
  return Object.entries(BOUNDS).filter(([name]) => schema[name] !== undefined).map(([name, words]) => `${words} ${schema[name].toLocaleString("en")}`).join("; ");
}

/** The fields of a dataclass, and of those that it contains, one table each. */
function tables(name, components, seen, where) {
  if (seen.has(name) || !components[name]?.properties) return [];
  seen.add(name);
  const { properties, required = [], description } = components[name];
  const rows = Object.entries(properties).map(([field, schema]) => [
    make("code", {}, field), typeOf(schema, components),
    [required.includes(field) ? "required" : schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`, boundsOf(schema)].filter(Boolean).join("; "),
    schema.description ?? ""]);
  const inner = JSON.stringify(properties).match(/#\/components\/schemas\/\w+/g) ?? [];
  return [make("h4", {}, name), make("p", { class: "hint" }, description ?? ""), tableOf(`Fields of ${name}, ${where}`, ["Field", "Type", "Bounds", "What it is"], rows),
    ...inner.flatMap((each) => tables(each.split("/").pop(), components, seen, where))];
}

/** An example of a request, by its schema. */
export function exampleOf(schema, components) {
  if (schema.$ref) return exampleOf(components[schema.$ref.split("/").pop()], components);
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return exampleOf(schema.anyOf[0], components);
  if (schema.type === "array") return [exampleOf(schema.items, components)];
  if (schema.type === "object") {
    const wanted = schema.required?.length ? schema.required : schema.oneOf ? schema.oneOf[0].required : [];
    return Object.fromEntries(wanted.map((name) => [name, exampleOf(schema.properties[name], components)]));
  }
  return { string: "A man eats.", integer: 1, number: 0.5, boolean: true }[schema.type] ?? null;
}

function route(path, method, operation, components) {
  const ask = operation.requestBody?.content["application/json"].schema;
  const answer = operation.responses["200"].content["application/json"]?.schema;
  const statuses = Object.entries(operation.responses).filter(([status]) => status !== "200").map(([status, { description }]) => [make("code", {}, status), description]);
  const calls = ask ? written(new URL(path.slice(1), document.baseURI).href, exampleOf(ask, components)) : { curl: `curl ${new URL(path.slice(1), document.baseURI).href}` };
  return make("section", { class: "route", id: operation.operationId, "aria-labelledby": `${operation.operationId}-title` },
    make("h2", { id: `${operation.operationId}-title` }, make("span", { class: "method" }, method.toUpperCase()), " ", make("code", {}, path)),
    make("p", {}, operation.summary),
    ...Object.entries(calls).slice(0, 2).map(([language, code]) => make("pre", { tabindex: "0", role: "region", "aria-label": `${method} ${path} in ${language}` }, make("code", {}, code))),
    ...(ask ? [make("h3", {}, "Request"), ...tables(ask.$ref?.split("/").pop(), components, new Set(), `request of ${path}`)] : []),
    ...(answer?.$ref ? [make("h3", {}, "Response"), ...tables(answer.$ref.split("/").pop(), components, new Set(), `response of ${method} ${path}`)] : []),
    make("details", {}, make("summary", {}, "When it is refused"), tableOf(`Refusals of ${method} ${path}`, ["Status", "Meaning"], statuses)));
}

const response = await fetch("openapi.json");
const document_ = await response.json();
const all = Object.entries(document_.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => [path, method, operation]));
byId("api-contents").append(...all.map(([path, , { operationId, summary }]) => make("li", {}, make("a", { href: `#${operationId}` }, path), ` ${summary}`)));
byId("api-routes").append(...all.map(([path, method, operation]) => route(path, method, operation, document_.components.schemas)));
