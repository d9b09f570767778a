import type { OAuthError } from '../../platform/errors.ts';
import type { ValidatedClient } from './authorization-request.ts';

/** The address of the application with an answer in its query string. The address itself stays as it was registered. */
function withParameters(uri: string, parameters: Record<string, string | undefined>): string {
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const text = sent.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`;
}

type ReturnTo = Pick<ValidatedClient, 'redirectUri' | 'state'>;

/** RFC 6749 4.1.2. RFC 9207: `iss` says whose answer it is, so that an application with two servers mixes up none. */
export const codeResponse = ({ redirectUri, state }: ReturnTo, iss: string, code: string): string =>
  withParameters(redirectUri, { code, state, iss });

/** RFC 6749 4.1.2.1. */
export const errorResponse = ({ redirectUri, state }: ReturnTo, iss: string, { error, message }: OAuthError): string =>
  withParameters(redirectUri, { error, error_description: message, state, iss });
