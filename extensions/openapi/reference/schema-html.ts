import { isObject } from '../../../src/platform/is-object.ts';
import { type JsonSchema, nameOfReference, type Schemas } from '../document/json-schema.ts';
import { type Html, html, inlineMarkdown } from './html.ts';
import type { Operation } from './reference-document.ts';

const maxMembersInline = 3;

/** The type of a value in a few words: `text`, `list of Car`, `{ data: Car }`. Named schemas are links. */
export function typeInWords(schema: JsonSchema): Html {
  const name = nameOfReference(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const { anyOf, oneOf, allOf, enum: values, const: only, type, items, format, properties } = schema;
  const choices = anyOf ?? oneOf ?? allOf;
  if (choices) return joined(choices.map(typeInWords), allOf ? ' and ' : ' or ');
  if (only !== undefined) return html`<code>${JSON.stringify(only)}</code>`;
  if (values) {
    return joined(
      values.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' | ',
    );
  }
  const types = [type].flat().filter((one) => one !== undefined);
  if (types.length === 0) return html`any value`;
  return joined(
    types.map((one) => {
      if (one === 'array') return html`list of ${typeInWords(items ?? {})}`;
      if (one === 'object') return objectInWords(properties ?? {});
      return html`${one === 'string' ? (format === undefined ? 'text' : String(format)) : one}`;
    }),
    ' or ',
  );
}

function objectInWords(properties: Schemas): Html {
  const members = Object.entries(properties);
  if (members.length === 0 || members.length > maxMembersInline) return html`object`;
  return html`{ ${joined(
    members.map(([name, member]) => html`${name}: ${typeInWords(member)}`),
    ', ',
  )} }`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part]))}`;
}

const limits: readonly [string, string][] = [
  ['minLength', 'at least {} characters'],
  ['maxLength', 'at most {} characters'],
  ['minimum', 'from {}'],
  ['maximum', 'to {}'],
  ['pattern', 'matches {}'],
];

const limitsOf = (schema: JsonSchema): string =>
  limits
    .filter(([name]) => schema[name] !== undefined && !(name === 'minLength' && Number(schema[name]) <= 1))
    .map(([name, words]) => words.replace('{}', () => String(schema[name])))
    .concat(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`])
    .join(', ');

/** The members of a named schema. For requests, required members are marked. */
export function schemaTable(name: string, schema: JsonSchema, isSent: boolean): Html {
  const properties = Object.entries(schema.properties ?? {});
  const description =
    typeof schema.description === 'string' ? html`<p class="quiet">${inlineMarkdown(schema.description)}</p>` : '';
  return html`<section class="schema" id="schema-${name}" aria-labelledby="schema-${name}-title"><h3 id="schema-${name}-title">${name}</h3>${description}
${properties.length > 0 ? membersTable(schema, isSent) : html`<p>${typeInWords(schema)}</p>`}</section>`;
}

/** The members of an object, one per line. */
export function membersTable(schema: JsonSchema, isSent: boolean): Html {
  const properties = Object.entries(schema.properties ?? {});
  const required = new Set(isSent ? schema.required : []);
  return html`<table>
<thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">About it</th></tr></thead>
<tbody>${properties.map(
    ([
      member,
      of,
    ]) => html`<tr><th scope="row"><code>${member}</code>${required.has(member) && html` <span class="required">required</span>`}</th>
<td>${typeInWords(of)}</td><td>${typeof of.description === 'string' && html`${inlineMarkdown(of.description)} `}<span class="quiet">${limitsOf(of)}</span></td></tr>`,
  )}</tbody></table>`;
}

/** The names of the schemas of request bodies. */
export const sentNames = (operations: readonly Operation[]): ReadonlySet<string | undefined> =>
  new Set(
    operations.map(({ requestBody }) => nameOfReference(requestBody?.content?.['application/json']?.schema ?? {})),
  );

/** The named schemas that these operations use, directly or indirectly. */
export function schemasOf(operations: readonly Operation[], schemas: Schemas): [string, JsonSchema][] {
  const schemasByName = new Map<string, JsonSchema>();
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const name = isObject(value) ? nameOfReference(value) : undefined;
    const schema = name === undefined || schemasByName.has(name) ? undefined : schemas[name];
    if (name !== undefined && schema) {
      schemasByName.set(name, schema);
      collect(schema);
    }
    for (const inner of Object.values(value)) collect(inner);
  };
  for (const { requestBody, responses, parameters } of operations) collect({ requestBody, responses, parameters });
  return [...schemasByName].sort(([a], [b]) => (a < b ? -1 : 1));
}
