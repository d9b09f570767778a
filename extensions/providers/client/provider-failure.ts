import { OutboundError } from '../../../src/http/outbound/guarded-fetch.ts';
import { Problem } from '../../../src/platform/errors.ts';
import type { FailureCode, ProviderFailure } from './failure-meanings.ts';

/** Errors of `openid-client` and `jose`. */
type LibraryError = Error & { readonly code?: string; readonly error?: unknown; readonly status?: number };

/** The error codes of the libraries, by prefix. The first match wins. */
const byCode: readonly (readonly [string, FailureCode])[] = [
  ['OAUTH_TIMEOUT', 'unreachable'],
  ['ERR_JWKS_TIMEOUT', 'unreachable'],
  ['OAUTH_JWT_TIMESTAMP_CHECK_FAILED', 'clock'],
  ['ERR_JWT_EXPIRED', 'clock'],
  ['OAUTH_RESPONSE_IS_NOT', 'bad_answer'],
  ['OAUTH_PARSE_ERROR', 'bad_answer'],
  ['OAUTH_MISSING_SERVER_METADATA', 'bad_answer'],
  ['OAUTH_INVALID_SERVER_METADATA', 'bad_answer'],
  ['OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED', 'bad_answer'],
  ['OAUTH_INVALID_RESPONSE', 'token_rejected'],
  ['OAUTH_JWT', 'token_rejected'],
  ['OAUTH_KEY_SELECTION_FAILED', 'token_rejected'],
  ['OAUTH_UNSUPPORTED_OPERATION', 'token_rejected'],
  ['ERR_J', 'token_rejected'],
];

/** RFC 6749 5.2, and GitHub's own code. */
const clientErrors = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials']);

const maxDetailLength = 300;
/** The message of `openid-client` for an error of `fetch`. Only the cause explains the failure. */
const unexplained = 'something went wrong';

/** Libraries wrap the errors of `fetch`. */
function causesOf(error: unknown): LibraryError[] {
  const causes: LibraryError[] = [];
  for (let current = error; current instanceof Error && causes.length < 5; current = current.cause)
    causes.push(current);
  return causes;
}

export function describeFailure(error: unknown): ProviderFailure {
  const causes = causesOf(error);
  const messages = causes.flatMap(({ error, message, cause }) =>
    cause instanceof Response ? [message, `status ${cause.status}`] : [error, message],
  );
  const words: string[] = [];
  for (const word of messages) {
    if (typeof word !== 'string' || word === '' || word === unexplained) continue;
    if (!words.some((earlier) => earlier.includes(word))) words.push(word);
  }
  // The text may come from the provider and contain anything.
  const detail = words
    .join(': ')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .toWellFormed()
    .slice(0, maxDetailLength);
  return { code: codeOf(causes), detail: detail.toWellFormed() };
}

function codeOf(causes: readonly LibraryError[]): FailureCode {
  const [first] = causes;
  if (first instanceof Problem) return 'declaration';
  if (causes.some((cause) => cause instanceof OutboundError)) return 'unreachable';
  for (const { code = '', error, status, message } of causes) {
    if (typeof error === 'string') return clientErrors.has(error) ? 'client_rejected' : 'request_rejected';
    if (status === 401) return 'client_rejected';
    // The provider did not authenticate the user again as `max_age` requires.
    if (/last End-User authentication/.test(message)) return 'token_rejected';
    const match = byCode.find(([beginning]) => code.startsWith(beginning));
    if (match) return match[1];
  }
  return 'other';
}
