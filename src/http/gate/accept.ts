import { Problem } from '../../platform/errors.ts';

/** How specifically a media range names `application/json`. The most specific one decides (RFC 9110 12.5.1). Java sends `*`. */
const specificity = new Map([
  ['application/json', 3],
  ['application/*', 2],
  ['*/*', 1],
  ['*', 1],
]);

/** RFC 9110: the most specific range decides, and a weight of zero refuses. Errors ignore the Accept header. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept === 'application/json' || accept === '*/*') return true;
  let closest = 0;
  let accepted = false;
  for (const range of splitOutsideQuotes(accept, ',')) {
    const [type = '', ...parameters] = splitOutsideQuotes(range, ';');
    const close = specificity.get(type.trim().toLowerCase()) ?? 0;
    if (close === 0 || close < closest) continue;
    // Of two equally specific ranges, the more generous one counts: they differ in parameters that JSON does not have.
    accepted = (close === closest && accepted) || weightOf(parameters) > 0;
    closest = close;
  }
  return accepted;
}

/** Whether it asks for Server-Sent Events by name. */
export const acceptsEventStream = (accept: string | undefined): boolean =>
  accept !== undefined &&
  splitOutsideQuotes(accept, ',').some((range) => {
    const [type = '', ...parameters] = splitOutsideQuotes(range, ';');
    return type.trim().toLowerCase() === 'text/event-stream' && weightOf(parameters) > 0;
  });

/** RFC 9110 12.4.2. An invalid number is ignored. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2);
    if (name.trim().toLowerCase() !== 'q') continue;
    const weight = value.trim() === '' ? Number.NaN : Number(value);
    return Number.isNaN(weight) ? 1 : weight;
  }
  return 1;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes('"')) return text.split(separator);
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted && char === '\\') i++;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === separator) {
      pieces.push(text.slice(start, i));
      start = i + 1;
    }
  }
  pieces.push(text.slice(start));
  return pieces;
}

export const notAcceptable = () =>
  new Problem(406, 'Not Acceptable', 'Send the header "Accept: application/json". The API responds in JSON.', {
    code: 'accept_header_required',
  });

/** Whether a path, or the pattern of a route, is under `/v1`, where responses are JSON. */
export const isApiPath = (url: string): boolean =>
  url.startsWith('/v1') && (url.length === 3 || '/?'.includes(url[3] as string));
