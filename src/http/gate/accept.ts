import { Problem } from '../../platform/errors.ts';

/** How specifically a media range names `application/json` (RFC 9110 12.5.1). Java clients send `*`. */
const specificity = new Map([
  ['application/json', 3],
  ['application/*', 2],
  ['*/*', 1],
  ['*', 1],
]);

/**
 * Whether the header accepts JSON. RFC 9110 12.5.1: the most specific range decides, and a weight of zero rejects.
 * Errors are sent regardless of the header.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept === 'application/json' || accept === '*/*') return true;
  let bestRank = 0;
  let accepted = false;
  for (const range of splitOutsideQuotes(accept, ',')) {
    const [type = '', ...parameters] = splitOutsideQuotes(range, ';');
    const rank = specificity.get(type.trim().toLowerCase()) ?? 0;
    if (rank === 0 || rank < bestRank) continue;
    // If two ranges are equally specific, one with a weight above zero is enough: they differ only in parameters that
    // JSON does not have.
    accepted = (rank === bestRank && accepted) || weightOf(parameters) > 0;
    bestRank = rank;
  }
  return accepted;
}

/** Whether the header prefers a stream of events to JSON: by weight, then by order. */
export function prefersEventStream(accept: string | undefined): boolean {
  const ranges = splitOutsideQuotes(accept ?? '', ',').map((range, position) => {
    const [type = '', ...parameters] = splitOutsideQuotes(range, ';');
    return { type: type.trim().toLowerCase(), weight: weightOf(parameters), position };
  });
  const rank = ({ type }: { readonly type: string }): number => specificity.get(type) ?? 0;
  const stream = ranges.find(({ type, weight }) => type === 'text/event-stream' && weight > 0);
  const json = ranges.filter(rank).sort((a, b) => rank(b) - rank(a))[0];
  if (!stream || !json) return stream !== undefined;
  return stream.weight === json.weight ? stream.position < json.position : stream.weight > json.weight;
}

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

/** Splits at a separator outside of quoted strings (RFC 9110 5.6.4). A type before `;` can be empty. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  if (!text.includes('"')) return text.split(separator);
  const partPattern = separator === ',' ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /^(?=;)|(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g;
  return text.match(partPattern) ?? [];
}

export const notAcceptable = () =>
  new Problem(406, 'Not Acceptable', 'Send the header "Accept: application/json". The API responds in JSON.', {
    code: 'accept_header_required',
  });

/** Whether a path, or the pattern of a route, is under `/v1`, where responses are JSON. */
export const isApiPath = (url: string): boolean =>
  url.startsWith('/v1') && (url.length === 3 || '/?'.includes(url.charAt(3)));
