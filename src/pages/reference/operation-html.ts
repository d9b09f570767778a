import type { Json } from '../../http/openapi/openapi-components.ts';
import type { Described, Operation } from './described.ts';
import { type Html, html, marked, paragraphs } from './html.ts';
import { requestForm } from './request-form.ts';
import { membersTable, typeInWords } from './schema-html.ts';

interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Json }>>;
}

export const methodBadge = (method: string): Html =>
  html`<span class="method ${method}">${method.toUpperCase()}</span>`;

const firstSchema = ({ content = {} }: Answer): Json | undefined => Object.values(content)[0]?.schema;

function answers({ responses = {} }: Operation): Html {
  return html`<dl class="answers">${Object.entries(responses as Record<string, Answer>).map(([status, answer]) => {
    const schema = firstSchema(answer);
    return html`<div><dt>${status === 'default' ? 'else' : status}</dt><dd>${marked(answer.description === 'Default Response' ? 'Done.' : (answer.description ?? ''))}${schema && html` <span class="quiet">${typeInWords(schema)}</span>`}</dd></div>`;
  })}</dl>`;
}

/** The security of an operation, in words. */
function access({ security = [] }: Operation): Html {
  if (security.length === 0) return html`<p class="needs">Open to everybody.</p>`;
  const scopes = security.flatMap(({ oauth2 }) => (oauth2 as string[] | undefined) ?? []);
  const optional = security.some((scheme) => Object.keys(scheme).length === 0);
  const scope = scopes.length > 0 && html` with the scope ${scopes.map((name) => html`<code>${name}</code>`)}`;
  return html`<p class="needs">${optional ? 'Takes an access token, and works without one' : 'Needs an access token'}${scope}.</p>`;
}

/** `Needs the scope …` is said by `access`. */
const ownWords = ({ description = '', summary = '' }: Operation): string =>
  description
    .replace(/Needs the scope `[^`]+`\.\s*/, '')
    .replace(/^(.*)\.$/s, (whole, words: string) => (words === summary ? '' : whole))
    .trim();

function body({ requestBody }: Operation): Html {
  const schema = requestBody?.content?.['application/json']?.schema;
  if (!schema) return html``;
  const members = Object.keys((schema.properties ?? {}) as object).length;
  if (members === 0) return html`<p>Body: ${typeInWords(schema)}</p>`;
  return html`<div class="schema"><h3>Body</h3>${membersTable(schema, true)}</div>`;
}

export function operationHtml(operation: Operation, described: Described): Html {
  const { id, method, path, summary = id } = operation;
  const words = ownWords(operation);
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="about">
<h2 id="${id}-title"><a href="#${id}">${summary}</a></h2>
<p class="line">${methodBadge(method)} <code>${path}</code></p>
${words !== '' && paragraphs(words)}
${access(operation)}
${body(operation)}
${answers(operation)}
</div>
${requestForm(operation, described)}
</article>`;
}
