import type { Json } from '../../http/openapi/openapi-components.ts';
import { type Described, type Operation, type Parameter, resolved } from './described.ts';
import { type Html, html, marked } from './html.ts';

/** The list whose rows a parameter of a path names: `/v1/cars` for the id of `/v1/cars/{id}/park`. */
function listOf({ path }: Operation, name: string, { hasList }: Described): string | undefined {
  const list = path.slice(0, path.indexOf(`/{${name}}`));
  return path.includes(`/{${name}}`) && !list.includes('{') && hasList(list) ? list : undefined;
}

const exampleOf = ({ in: place, example, schema = {} }: Parameter): string => {
  const given = example ?? (schema.examples as unknown[] | undefined)?.[0];
  return place === 'path' && given !== undefined ? String(given) : '';
};

function input(operation: Operation, parameter: Parameter, described: Described): Html {
  const { name, in: place, required = false, description, schema = {} } = parameter;
  const id = `${operation.id}-${name}`;
  const values = schema.enum as unknown[] | undefined;
  const list = place === 'path' ? listOf(operation, name, described) : undefined;
  const shared = html`id="${id}" name="${name}" data-in="${place}"${description !== undefined && html` aria-describedby="${id}-about"`}${required && html` required`}`;
  const field = values
    ? html`<select ${shared}>${!required && html`<option value="">not sent</option>`}${values.map((value) => html`<option>${String(value)}</option>`)}</select>`
    : html`<input ${shared} value="${exampleOf(parameter)}" autocomplete="off" autocapitalize="none" spellcheck="false"${list !== undefined && html` data-rows="${list}"`}${schema.default !== undefined && html` placeholder="${String(schema.default)}"`}>`;
  return html`<div class="field"><label for="${id}"><code>${name}</code>${!required && html` <span class="optional">optional</span>`}</label>${field}${
    description !== undefined && html`<p class="hint" id="${id}-about">${marked(description)}</p>`
  }</div>`;
}

interface BodyFacts {
  /** Members that refer to rows of a list, by name. */
  readonly references: Readonly<Record<string, string>>;
  /** Members that no two rows share. */
  readonly unique: readonly string[];
  /** Members that no two rows share all of. */
  readonly together: readonly (readonly string[])[];
  /** Everything that can be sent. */
  readonly members: readonly string[];
}

/** The data for the script that makes examples that can be sent unchanged. */
function factsOf(schema: Json): BodyFacts {
  const members = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  const references = members.flatMap(([name, of]) =>
    typeof of['x-resource'] === 'string' ? [[name, `/v1/${of['x-resource']}`]] : [],
  );
  return {
    references: Object.fromEntries(references),
    unique: members.filter(([, of]) => of['x-unique'] === true).map(([name]) => name),
    together: (schema['x-unique-together'] as string[][] | undefined) ?? [],
    members: members.map(([name]) => name),
  };
}

function bodyField({ id, requestBody, method }: Operation, { schemas }: Described): Html {
  const json = requestBody?.content?.['application/json'];
  if (!json) return html``;
  const facts = factsOf(resolved(json.schema ?? {}, schemas));
  const example = json.example === undefined ? '' : JSON.stringify(json.example, null, 2);
  const rows = Math.min(12, Math.max(3, example.split('\n').length + 1));
  // A form for PUT or PATCH starts with the current row.
  const fromRow = method === 'put' || method === 'patch';
  return html`<div class="field"><label for="${id}-body">Body${requestBody?.required !== true && html` <span class="optional">optional</span>`}</label>
<textarea id="${id}-body" name="body" rows="${rows}" spellcheck="false" autocapitalize="none" autocomplete="off" data-facts="${JSON.stringify(facts)}"${fromRow && html` data-from-row="${method}"`}>${example}</textarea>
<p class="error" data-body-error hidden></p></div>`;
}

/** A request that cannot be undone, or that replaces a secret, needs a second confirmation. */
const asksTwice = ({ method, path, id }: Operation): boolean =>
  method === 'delete' || (method === 'post' && path.includes('{id}') && !id.startsWith('create_'));

/** The request as a form: filled in, to be sent by the script or copied for a shell. Without a script it shows and does not send. */
export function requestForm(operation: Operation, described: Described): Html {
  const { id, method, path, parameters = [], security = [], 'x-codeSamples': samples = [] } = operation;
  const secured = security.some((scheme) => 'bearer' in scheme);
  const needed = parameters.filter(({ required, in: place }) => required === true && place !== 'header');
  const others = parameters.filter(({ required, in: place }) => required !== true && place !== 'header');
  const all = (some: readonly Parameter[]) => some.map((parameter) => input(operation, parameter, described));
  const [first, ...more] = samples;
  return html`<form class="try" data-method="${method.toUpperCase()}" data-path="${path}"${secured && html` data-secured`}${asksTwice(operation) && html` data-twice`} aria-label="Request: ${operation.summary ?? id}">
${all(needed)}
${others.length > 0 && html`<details class="more"><summary>${others.length} optional ${others.length === 1 ? 'parameter' : 'parameters'}</summary><div class="stack">${all(others)}</div></details>`}
${bodyField(operation, described)}
<div class="row send" hidden><button class="primary">Send</button><span class="quiet small" data-note></span></div>
<div class="answer" role="status" data-answer hidden></div>
${first && html`<figure class="sample"><figcaption>${first.label}<button type="button" class="slim" data-copy="${id}-curl" hidden>Copy</button></figcaption><pre id="${id}-curl" tabindex="0" data-curl>${first.source}</pre></figure>`}
${more.map(({ label, source }) => html`<details class="more"><summary>${label === 'client' ? 'JavaScript' : label}</summary><pre tabindex="0">${source}</pre></details>`)}
</form>`;
}
