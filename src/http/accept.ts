import { Problem } from '../errors.ts';

/** Whether an Accept header names `application/json`; the wildcard alone does not, nor does a quality of zero. */
export function namesJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept === 'application/json') return true;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';');
    if (type?.trim().toLowerCase() !== 'application/json') return false;
    return !parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/i.test(parameter));
  });
}

export const notAcceptable = () =>
  new Problem(406, 'Not Acceptable', 'Send the header "Accept: application/json": answers here are JSON.', {
    code: 'accept_header_required',
  });

/** Whether a path, or the pattern of a route, is under `/v1`, where answers are JSON. */
export const isApi = (url: string): boolean =>
  url.startsWith('/v1') && (url.length === 3 || '/?'.includes(url[3] as string));
