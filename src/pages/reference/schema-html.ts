import type { Json } from '../../http/openapi/openapi-components.ts';
import { type Described, nameOfReference, type Operation } from './described.ts';
import { type Html, html, marked } from './html.ts';

const few = 3;

/** The type of a value, in a few words: `text`, `list of Car`, `{ data: Car }`. Schemas with a name are links. */
export function typeInWords(schema: Json): Html {
  const name = nameOfReference(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { anyOf, oneOf, allOf, enum: values, const: only, type, items, format, properties } = schema;
  const choices = (anyOf ?? oneOf ?? allOf) as Json[] | undefined;
  if (choices) return joined(choices.map(typeInWords), allOf ? ' and ' : ' or ');
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (Array.isArray(values)) {
    return joined(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    );
  }
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== undefined) as string[];
  if (types.length === 0) return html`any value`;
  return joined(
    types.map((one) => {
      if (one === 'array') return html`list of ${typeInWords((items ?? {}) as Json)}`;
      if (one === 'object') return objectInWords((properties ?? {}) as Record<string, Json>);
      return html`${one === 'string' ? (format === undefined ? 'text' : String(format)) : one}`;
    }),
    ' or ',
  );
}

function objectInWords(properties: Record<string, Json>): Html {
  const members = Object.entries(properties);
  if (members.length === 0 || members.length > few) return html`object`;
  return html`{ ${joined(
    members.map(([name, member]) => html`${name}: ${typeInWords(member)}`),
    ', ',
  )} }`;
}

function joined(parts: readonly Html[], by: string): Html {
  return html`${parts.flatMap((part, i) => (i === 0 ? [part] : [by, part]))}`;
}

const limits: readonly [string, string][] = [
  ['minLength', 'at least {} characters'],
  ['maxLength', 'at most {} characters'],
  ['minimum', 'from {}'],
  ['maximum', 'to {}'],
  ['pattern', 'matches {}'],
];

const limitsOf = (schema: Json): string =>
  limits
    .filter(([name]) => schema[name] !== undefined && !(name === 'minLength' && Number(schema[name]) <= 1))
    .map(([name, words]) => words.replace('{}', () => String(schema[name])))
    .concat(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`])
    .join(', ');

/** The members of one named schema; required members are marked, for requests. */
export function schemaTable(name: string, schema: Json, isSent: boolean): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const description =
    typeof schema.description === 'string' ? html`<p class="quiet">${marked(schema.description)}</p>` : '';
  return html`<section class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title"><h3 id="schema-${name}-title">${name}</h3>${description}
${properties.length > 0 ? membersTable(schema, isSent) : html`<p>${typeInWords(schema)}</p>`}</section>`;
}

/** The members of an object, one on each line. */
export function membersTable(schema: Json, isSent: boolean): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const required = new Set(isSent ? ((schema.required ?? []) as string[]) : []);
  return html`<table>
<thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">About it</th></tr></thead>
<tbody>${properties.map(
    ([
      member,
      of,
    ]) => html`<tr><th scope="row"><code>${member}</code>${required.has(member) && html` <span class="required">required</span>`}</th>
<td>${typeInWords(of)}</td><td>${typeof of.description === 'string' && html`${marked(of.description)} `}<span class="quiet">${limitsOf(of)}</span></td></tr>`,
  )}</tbody></table>`;
}

/** The names of what is sent as a body. */
export const sentNames = (operations: readonly Operation[]): ReadonlySet<string | undefined> =>
  new Set(
    operations.map(({ requestBody }) => nameOfReference(requestBody?.content?.['application/json']?.schema ?? {})),
  );

/** The named schemas that some operations speak of, directly or by one another, by name. */
export function schemasOf(operations: readonly Operation[], schemas: Described['schemas']): [string, Json][] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = nameOfReference(value as Json);
    if (name !== undefined && schemas[name] && !found.has(name)) {
      found.add(name);
      look(schemas[name]);
    }
    for (const inner of Object.values(value)) look(inner);
  };
  for (const { requestBody, responses, parameters } of operations) look({ requestBody, responses, parameters });
  return [...found].sort().map((name) => [name, schemas[name] as Json]);
}
