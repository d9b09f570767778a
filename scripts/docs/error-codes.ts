import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ErrorCode {
  readonly status: number;
  readonly code: string;
  readonly about: string;
}

/** What each code means. One that the code does not have, or that is missing here, fails `npm run docs` and its test. */
const meanings: Readonly<Record<string, string>> = {
  accept_header_required: 'the request does not take JSON (`Accept`); `FORCE_ACCEPT_HEADER=false` lifts it',
  already_confirmed: 'this authenticator app is enabled already',
  already_revealed: 'the value of this token was shown already',
  bad_request: 'the request cannot be understood; `detail` says what',
  body_empty: 'a body was announced and none came',
  body_invalid: 'the body cannot be read in the form that `Content-Type` names',
  body_too_large: 'more than 1 MiB',
  client_revoked: 'the client of the token no longer exists',
  conflict: 'the state of things does not allow it; `detail` says why',
  csrf_refused: 'a form that did not come from our own page, or is too old',
  email_confirmed: 'the address is confirmed already',
  email_missing: 'the user has no email address',
  email_taken: 'somebody else has confirmed this address meanwhile',
  encoding_invalid: 'the path or the body is not UTF-8, or not percent-encoded rightly',
  expectation_failed: '`Expect` asks for something else than `100-continue`',
  forbidden: 'the token is good, and may not do this',
  foreign_origin: 'a page of another origin asked for what is for our own pages',
  gone: 'what the first request with this `Idempotency-Key` made or changed was deleted',
  headers_too_large: 'the headers are too large',
  host_invalid: 'the `Host` header is malformed, or came twice',
  host_missing: 'the request names no host',
  http_invalid: 'what arrived is not HTTP',
  idempotency_key_invalid: '`Idempotency-Key` is empty, too long or holds other than printable ASCII',
  idempotency_key_reused: 'the same `Idempotency-Key` came with another request',
  identity_taken: 'this account of the provider belongs to another user here',
  insufficient_scope: 'the token lacks the scope that is named',
  internal_error: 'a fault of ours; the log has the request id',
  invitation_address:
    'an invitation was accepted with another email address than the invited one, or one that the provider has not verified',
  json_invalid: 'the body is not JSON',
  last_administrator: 'there would be no administrator left',
  last_sign_in_method: 'the last way to sign in cannot be removed',
  link_invalid: 'a link from a mail that is used up, expired or wrong',
  link_used: 'what was to be linked was linked before',
  local_passwords_off: 'the service has no passwords (`LOCAL_PASSWORDS=off`)',
  method_not_allowed: 'the path is there, the method is not; `Allow` lists those that are',
  mfa_off: 'second factors are switched off (`MFA=off`)',
  no_factor: 'recovery codes need a second factor: set one up first',
  not_found: 'there is nothing here, or nothing that the caller may see',
  other_account: 'the email belongs to another account than the one that is signed in',
  parameter_invalid: 'a query parameter is unknown or wrong; `detail` lists what is allowed',
  parameter_repeated: 'a query parameter came twice',
  passkey_used: 'this passkey is registered already, or its challenge was used',
  precondition_failed: '`If-Match` does not match: somebody changed it meanwhile',
  proof_too_old: 'the proof of identity is too old or too weak for this: [renew it](../proof.md)',
  provider_failed: 'what a provider said cannot be used; the log says why',
  registration_closed: '`REGISTRATION=closed`: administrators make users',
  request_timeout: 'the request did not arrive within `REQUEST_TIMEOUT`',
  resync:
    'the position is too old, or of another history: read the list again and go on from its `meta.changes_position`',
  sign_in_refused: 'the account may not sign in',
  still_referred_to: 'other rows refer to this one; `detail` names them',
  token_expired: 'the token has expired: refresh it',
  token_malformed: 'this is no access token of this service',
  token_missing: 'an access token is needed',
  token_revoked: 'the token was revoked: log in again',
  too_expensive: 'the read takes more of the database than one caller may (`READ_TIMEOUT`)',
  too_many_members: 'more than 1,000 members in the body',
  too_many_requests: 'too many requests or attempts; `Retry-After` says when',
  unavailable: 'the database or a part of the service is away; `Retry-After` says when',
  unsupported_encoding: 'compressed bodies are not taken',
  unsupported_media_type: 'a body of this type is not taken: send JSON or a form',
  url_too_long: 'the URL is too long',
  user_disabled: 'the user is disabled: enable the user first',
  user_gone: 'the user of the token no longer exists, or is disabled',
  validation_failed: 'fields are wrong; `errors` names each',
};

const statuses = new Map([
  ['badRequest', 400],
  ['unauthorized', 401],
  ['forbidden', 403],
  ['conflict', 409],
]);

/** Every code that the sources give a problem, with its status. */
export function foundCodes(): Map<string, number> {
  const found = new Map<string, number>();
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    if (file.endsWith('.test.ts')) continue;
    const source = readFileSync(`${root}/${file}`, 'utf8');
    for (const [, status, code] of source.matchAll(
      /\bProblem\(\s*(\d{3}),(?:(?!\bProblem\()[\s\S]){0,300}?\bcode: '(\w+)'/g,
    )) {
      found.set(code as string, Number(status));
    }
    const calls = /\b(badRequest|unauthorized|forbidden|conflict)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;
    for (const [, name, args = ''] of source.matchAll(calls)) {
      const code = name === 'unauthorized' ? /^\s*'(\w+)'/.exec(args)?.[1] : /,\s*'([a-z_]+)',?\s*$/.exec(args)?.[1];
      if (code) found.set(code, statuses.get(name as string) as number);
    }
    for (const [, name, code] of source.matchAll(/const (badRequest|forbidden|conflict) = .*?code = '(\w+)'/g)) {
      found.set(code as string, statuses.get(name as string) as number);
    }
  }
  return found;
}

export function errorCodes(): ErrorCode[] {
  const found = foundCodes();
  const without = [...found.keys()].filter((code) => !(code in meanings));
  const gone = Object.keys(meanings).filter((code) => !found.has(code));
  if (without.length > 0 || gone.length > 0) {
    throw new Error(`error-codes.ts: give these a meaning: ${without}; these are gone: ${gone}`);
  }
  return [...found]
    .map(([code, status]) => ({ status, code, about: meanings[code] as string }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}
