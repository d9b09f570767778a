import type { DescribedResponse } from '../document/example-of.ts';
import { type JsonSchema, resolveReference } from '../document/json-schema.ts';
import { type Html, html, inlineMarkdown, paragraphs } from './html.ts';
import type { Operation, Parameter, ReferenceDocument } from './reference-document.ts';
import { membersTable, typeInWords } from './schema-html.ts';

export const methodBadge = (method: string) => html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const firstSchema = ({ content = {} }: DescribedResponse): JsonSchema | undefined => Object.values(content)[0]?.schema;

function responseList({ responses = {} }: Operation): Html {
  return html`<dl class="responses">${Object.entries(responses).map(([status, response]) => {
    const schema = firstSchema(response);
    return html`<div><dt>${status === 'default' ? 'other' : status}</dt><dd>${inlineMarkdown(response.description === 'Default Response' ? 'Done.' : (response.description ?? ''))}${schema && html` <span class="quiet">${typeInWords(schema)}</span>`}</dd></div>`;
  })}</dl>`;
}

/** The security of an operation, as text. */
function access({ security = [] }: Operation): Html {
  if (security.length === 0) return html`<p class="needs">Needs no access token.</p>`;
  if (security.some((scheme) => 'session' in scheme))
    return html`<p class="needs">Needs a signed-in browser (session cookie).</p>`;
  const scopes = security.flatMap(({ oauth2 = [] }) => oauth2);
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  const scope = scopes.length > 0 && html` with the scope ${scopes.map((name) => html`<code>${name}</code>`)}`;
  return html`<p class="needs">${optional ? 'Works with or without an access token' : 'Needs an access token'}${scope}.</p>`;
}

/** `access` already shows the sentence `Needs the scope …`. */
const ownWords = ({ description = '', summary = '' }: Operation): string =>
  description
    .replace(/Needs the scope `[^`]+`\.\s*/, '')
    .replace(/^(.*)\.$/s, (whole, words: string) => (words === summary ? '' : whole))
    .trim();

function body({ requestBody }: Operation): Html {
  const schema = requestBody?.content?.['application/json']?.schema;
  if (!schema) return html``;
  const members = Object.keys(schema.properties ?? {}).length;
  if (members === 0) return html`<p>Body: ${typeInWords(schema)}</p>`;
  return html`<div class="schema"><h3>Body</h3>${membersTable(schema, true)}</div>`;
}

export function operationHtml(operation: Operation, described: ReferenceDocument): Html {
  const { id, method, path, summary = id } = operation;
  const words = ownWords(operation);
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h2 id="${id}-title"><a href="#${id}">${summary}</a></h2>
<p class="line">${methodBadge(method)} <code>${path}</code></p>
${words !== '' && paragraphs(words)}
${access(operation)}
${body(operation)}
${responseList(operation)}
</div>
${requestForm(operation, described)}
</article>`;
}

/** The list that contains the rows of a path parameter: `/v1/cars` for the id in `/v1/cars/{id}/park`. */
function listOf({ path }: Operation, name: string, { hasList }: ReferenceDocument): string | undefined {
  const list = path.slice(0, path.indexOf(`/{${name}}`));
  return path.includes(`/{${name}}`) && !list.includes('{') && hasList(list) ? list : undefined;
}

const exampleOf = ({ in: place, example, schema = {} }: Parameter): string => {
  const declared = example ?? schema.examples?.[0];
  return place === 'path' && declared !== undefined ? String(declared) : '';
};

function input(operation: Operation, parameter: Parameter, described: ReferenceDocument): Html {
  const { name, in: place, required = false, description, schema = {} } = parameter;
  const id = `${operation.id}-${name}`;
  const values = schema.enum;
  const list = place === 'path' ? listOf(operation, name, described) : undefined;
  const shared = html`id="${id}" name="${name}" data-in="${place}"${description !== undefined && html` aria-describedby="${id}-about"`}${required && html` required`}`;
  const field = values
    ? html`<select ${shared}>${!required && html`<option value="">not sent</option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input ${shared} value="${exampleOf(parameter)}" autocomplete="off" autocapitalize="none" spellcheck="false"${list !== undefined && html` data-rows="${list}"`}${schema.default !== undefined && html` placeholder="${String(schema.default)}"`}>`;
  return html`<div class="field"><label for="${id}"><code>${name}</code>${!required && html` <span class="optional">optional</span>`}</label>${field}${
    description !== undefined && html`<p class="hint" id="${id}-about">${inlineMarkdown(description)}</p>`
  }</div>`;
}

/** The data for the script that makes examples that can be sent unchanged: references to rows of a list, and what is unique, alone or together. */
function factsOf(schema: JsonSchema) {
  const members = Object.entries(schema.properties ?? {});
  const references = members.flatMap(([name, of]) =>
    typeof of['x-resource'] === 'string' ? [[name, `/v1/${of['x-resource']}`]] : [],
  );
  return {
    references: Object.fromEntries(references),
    unique: members.filter(([, of]) => of['x-unique'] === true).map(([name]) => name),
    together: schema['x-unique-together'] ?? [],
    members: members.map(([name]) => name),
  };
}

function bodyField({ id, requestBody, method }: Operation, { schemas }: ReferenceDocument): Html {
  const json = requestBody?.content?.['application/json'];
  if (!json) return html``;
  const facts = factsOf(resolveReference(json.schema ?? {}, schemas));
  const example = json.example === undefined ? '' : JSON.stringify(json.example, null, 2);
  const rows = Math.min(12, Math.max(3, example.split('\n').length + 1));
  // A form for PUT or PATCH starts with the current row.
  const fromRow = method === 'put' || method === 'patch';
  return html`<div class="field"><label for="${id}-body">Body${requestBody?.required !== true && html` <span class="optional">optional</span>`}</label>
<textarea id="${id}-body" name="body" rows="${rows}" spellcheck="false" autocapitalize="none" autocomplete="off" data-facts="${JSON.stringify(facts)}"${fromRow && html` data-from-row="${method}"`}>${example}</textarea>
<p class="error" data-body-error hidden></p></div>`;
}

/** A request that cannot be undone, or that replaces a secret, needs a second confirmation. */
const needsConfirmation = ({ method, path, id }: Operation): boolean =>
  method === 'delete' || (method === 'post' && path.includes('{id}') && !id.startsWith('create_'));

/** The request as a filled-in form, for the script to send or to copy for a shell. Without a script it is only shown. */
function requestForm(operation: Operation, described: ReferenceDocument): Html {
  const { id, method, path, parameters = [], security = [], 'x-codeSamples': samples = [] } = operation;
  const secured = security.some((scheme) => 'bearer' in scheme);
  const needed = parameters.filter(({ required, in: place }) => required === true && place !== 'header');
  const others = parameters.filter(({ required, in: place }) => required !== true && place !== 'header');
  const all = (some: readonly Parameter[]) => some.map((parameter) => input(operation, parameter, described));
  const [first, ...more] = samples;
  return html`<form class="try" data-method="${method.toUpperCase()}" data-path="${path}"${secured && html` data-secured`}${needsConfirmation(operation) && html` data-twice`} aria-label="Request: ${operation.summary ?? id}">
${all(needed)}
${others.length > 0 && html`<details class="more"><summary>${others.length} optional ${others.length === 1 ? 'parameter' : 'parameters'}</summary><div class="stack">${all(others)}</div></details>`}
${bodyField(operation, described)}
<div class="row send" hidden><button class="primary">Send</button><span class="quiet small" data-note></span></div>
<div class="response" role="status" data-response hidden></div>
${first && html`<figure class="sample"><figcaption>${first.label}<button type="button" class="slim" data-copy="${id}-curl" hidden>Copy</button></figcaption><pre id="${id}-curl" tabindex="0" data-curl>${first.source}</pre></figure>`}
${more.map(({ label, source }) => html`<details class="more"><summary>${label === 'client' ? 'JavaScript' : label}</summary><pre tabindex="0">${source}</pre></details>`)}
</form>`;
}
