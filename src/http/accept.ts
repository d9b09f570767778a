import { Problem } from '../errors.ts';

/** Whether an Accept header names `application/json`; the wildcard alone does not. */
export function namesJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept === 'application/json') return true;
  return accept.split(',').some((range) => range.split(';', 1)[0]?.trim().toLowerCase() === 'application/json');
}

export const notAcceptable = () =>
  new Problem(406, 'Not Acceptable', 'Send the header "Accept: application/json": answers here are JSON.', {
    code: 'accept_header_required',
  });
