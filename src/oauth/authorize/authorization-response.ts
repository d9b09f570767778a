import type { OAuthError } from '../../platform/errors.ts';

/** How the response reaches the application (OAuth 2.0 Multiple Response Types 2.1, OAuth 2.0 Form Post Response Mode). */
export const responseModes = ['query', 'fragment', 'form_post'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** A response to an application. */
export interface AuthorizationResponse {
  readonly mode: ResponseMode;
  readonly redirectUri: string;
  readonly parameters: Readonly<Record<string, string>>;
}

interface ResponseTarget {
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  readonly state: string | undefined;
}

function response(
  { redirectUri, responseMode: mode, state }: ResponseTarget,
  iss: string,
  responseParameters: Record<string, string>,
): AuthorizationResponse {
  const all = { ...responseParameters, ...(state === undefined ? {} : { state }), iss };
  const parameters = Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value.toWellFormed()]));
  return { mode, redirectUri, parameters };
}

/** RFC 6749 4.1.2. RFC 9207: `iss` names the server that responds, so that an application with two servers cannot confuse them. */
export const codeResponse = (to: ResponseTarget, iss: string, code: string): AuthorizationResponse =>
  response(to, iss, { code });

/** RFC 6749 4.1.2.1. */
export const errorResponse = (to: ResponseTarget, iss: string, { error, message }: OAuthError): AuthorizationResponse =>
  response(to, iss, { error, error_description: message });

/** The redirect URI with the response parameters. The registered URI itself is not changed. */
export function redirectLocation({ mode, redirectUri, parameters }: AuthorizationResponse): string {
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  if (mode === 'fragment') return `${redirectUri}#${text}`;
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${text}`;
}
