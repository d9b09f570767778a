import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OAuthErrorCode } from '../../src/platform/errors.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ErrorCode {
  readonly status: number;
  readonly code: string;
  readonly about: string;
}

/** The meaning of each code. `npm run docs` and its test fail if a code is missing here or no longer exists. */
const meanings: Readonly<Record<string, string>> = {
  accept_header_required: 'the `Accept` header does not allow JSON; `FORCE_ACCEPT_HEADER=false` turns this check off',
  already_confirmed: 'this authenticator app is already enabled',
  already_revealed: 'the value of this token was already shown',
  bad_request: 'the request is malformed; `detail` names the problem',
  body_empty: 'the headers announce a body, but the body is empty',
  body_invalid: 'the body does not have the format that `Content-Type` names',
  body_too_large: 'the body is larger than 1 MiB',
  client_revoked: 'the client of the token no longer exists',
  conflict: 'the current state does not allow the request; `detail` gives the reason',
  connection_closed: 'only in the log and the metrics: the caller closed the connection before the response',
  csrf_refused: 'the form is too old, or it did not come from a page of this service',
  email_confirmed: 'the address is already confirmed',
  email_missing: 'the user has no email address',
  email_taken: 'another user has confirmed this address in the meantime',
  encoding_invalid: 'the path or the body is not valid UTF-8, or its percent-encoding is wrong',
  expectation_failed: 'the `Expect` header has a value other than `100-continue`',
  field_unknown:
    'a query parameter names a field that does not exist or is not allowed there; `detail` lists the allowed ones',
  forbidden: 'the token is valid, but the caller has no right to do this',
  foreign_origin: 'a page of another origin called a route that only pages of this service may call',
  gone: 'the row that the first request with this `Idempotency-Key` created or changed has been deleted',
  headers_too_large: 'the headers are too large',
  host_invalid: 'the `Host` header is malformed, or the request has two',
  host_missing: 'the request has no `Host` header',
  http_invalid: 'the request is not valid HTTP',
  idempotency_key_invalid: '`Idempotency-Key` is empty, too long, or contains characters other than printable ASCII',
  idempotency_key_reused: 'another request used the same `Idempotency-Key`',
  identity_taken: 'this account of the provider is linked to another user',
  insufficient_scope: 'the token does not have the required scope; the response names it',
  internal_error: 'an error in the service; the log has the request id',
  invalid_grant: 'the `mfa_token` is wrong or has expired: log in again',
  invitation_address: 'the email address of the account is not the invited one, or the provider has not verified it',
  json_invalid: 'the body is not JSON',
  last_administrator: 'there would be no administrator left',
  last_sign_in_method: 'the user cannot remove the last way to sign in',
  link_invalid: 'the emailed link was already used, has expired, or is wrong',
  link_used: 'the link was already used',
  local_passwords_off: 'the service has no passwords (`LOCAL_PASSWORDS=off`)',
  method_not_allowed: 'the path does not support this method; `Allow` lists the supported methods',
  mfa_off: 'second factors are switched off (`MFA=off`)',
  no_factor: 'recovery codes need a second factor: set one up first',
  not_found: 'the path or the row does not exist, or the caller may not see it',
  operator_unknown:
    '`searchFields` or `aggregate` has an unknown operator or function; `detail` lists the allowed ones',
  other_account: 'the email belongs to an account other than the one that is signed in',
  parameter_invalid: 'a query parameter has a wrong value; `detail` gives the reason',
  parameter_repeated: 'the request has the same query parameter twice',
  parameter_unknown: 'a query parameter is unknown; `detail` lists the allowed ones',
  passkey_used: 'this passkey is already registered, or its challenge was already used',
  precondition_failed: '`If-Match` does not match: the row has changed in the meantime',
  proof_too_old: 'the proof of identity is too old or too weak for this: [renew it](../proof.md)',
  provider_failed: 'the response of the identity provider is not usable; the log has the reason',
  registration_closed: 'only administrators create users (`REGISTRATION=closed`)',
  relation_unknown: '`include` or a field of a related row names an unknown relation; `detail` lists the allowed ones',
  request_timeout: 'the request did not arrive within `REQUEST_TIMEOUT`',
  resource_unknown:
    '`resources` names a resource that does not exist or records no changes; `detail` lists the allowed ones',
  resync:
    'the position is too old, or is from before a restore, move or failover of the database: read the list again and continue from its `meta.changes_position`',
  run_not_ended: 'a run of this scheduled job waits, runs, or will be retried',
  sign_in_refused: 'the account may not sign in',
  still_referred_to: 'other rows refer to this one; `detail` names them',
  token_expired: 'the token has expired: refresh it',
  token_malformed: 'the value is not an access token of this service',
  token_missing: 'the request needs an access token',
  token_revoked: 'the token was revoked: log in again',
  too_expensive:
    'the read takes too long (`READ_TIMEOUT`), its rows or their includes are larger than 16 MiB, or the caller has too many expensive reads',
  too_many_members: 'the body has more than 1,000 members',
  too_many_requests: 'too many requests or attempts; try again after `Retry-After` seconds',
  unavailable: 'the database or a part of the service is not available; try again after `Retry-After` seconds',
  unsupported_encoding: 'the service does not accept compressed bodies',
  unsupported_media_type: 'the service does not accept this type of body: send JSON or a form',
  url_too_long: 'the URL is too long',
  user_disabled: 'the user is disabled: enable the user first',
  user_gone: 'the user of the token no longer exists, or is disabled',
  validation_failed: 'some fields are invalid; `errors` names each of them',
  value_unknown: 'the value of a query parameter is not an allowed one; `detail` lists them',
};

const statuses = new Map([
  ['badRequest', 400],
  ['unknownName', 400],
  ['unauthorized', 401],
  ['forbidden', 403],
  ['conflict', 409],
]);

/** Every error code in the sources, with its status. */
export function foundCodes(): Map<string, number> {
  const found = new Map<string, number>();
  for (const file of globSync('{src,extensions}/**/*.ts', { cwd: root })) {
    if (file.endsWith('.test.ts')) continue;
    const source = readFileSync(`${root}/${file}`, 'utf8');
    for (const [, status, code] of source.matchAll(
      /\bProblem\(\s*(\d{3}),(?:(?!\bProblem\()[\s\S]){0,300}?\bcode: '(\w+)'/g,
    )) {
      found.set(code as string, Number(status));
    }
    const calls =
      /\b(badRequest|unauthorized|forbidden|conflict|unknownName)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;
    for (const [, name, args = ''] of source.matchAll(calls)) {
      // Only `unknownName` has an argument after the code: the reason.
      const pattern = name === 'unknownName' ? /,\s*'(\w+_unknown)'/ : /,\s*'([a-z_]+)',?\s*$/;
      const code = (name === 'unauthorized' ? /^\s*'(\w+)'/ : pattern).exec(args)?.[1];
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
    throw new Error(`error-codes.ts: describe these codes: ${without}; remove these: ${gone}`);
  }
  return [...found]
    .map(([code, status]) => ({ status, code, about: meanings[code] as string }))
    .sort((a, b) => a.status - b.status || a.code.localeCompare(b.code));
}

export const oauthErrors: Readonly<Record<OAuthErrorCode, string>> = {
  invalid_request: 'a parameter is missing, wrong or repeated; `error_description` names it',
  invalid_client: 'the client is unknown, or its credentials are missing or wrong (401)',
  invalid_grant: 'the password, code, passkey or refresh token is wrong, has expired, or was used before',
  unauthorized_client: 'this client may not use this grant or this token',
  unsupported_grant_type: 'the service does not have this `grant_type`, or it is disabled',
  invalid_scope: 'a scope does not exist, or the client may not request it',
  invalid_target: '`resource` names an API that does not exist, or that the client may not use (RFC 8707)',
  invalid_authorization_details: '`authorization_details` is malformed, or its type is not allowed (RFC 9396)',
  mfa_required:
    'the password was correct: prove a [second factor](../factors.md) with the `mfa_token` of this response (403)',
  authorization_pending: 'the user has not yet confirmed the device: continue to poll (RFC 8628)',
  slow_down: 'the device polled too early: wait five seconds longer between requests from now on (RFC 8628)',
  expired_token: 'the code of the device has expired: start again (RFC 8628)',
  invalid_token: 'the access token is missing, wrong, expired or revoked (401)',
  insufficient_scope: 'the access token does not have the required scope (403)',
  insufficient_user_authentication: 'the proof of identity is too old: [renew it](../proof.md) (401, RFC 9470)',
  use_dpop_nonce: 'send the proof again with the nonce from the `DPoP-Nonce` header (RFC 9449)',
  invalid_dpop_proof: 'the DPoP proof is missing or not valid (RFC 9449)',
  invalid_redirect_uri: 'a redirect URI of the registration is not allowed (RFC 7591)',
  invalid_client_metadata: 'a field of the registration is missing or not allowed (RFC 7591)',
  access_denied: 'the user, or the service, refused the request',
  temporarily_unavailable:
    'too many attempts (429), or a part of the service is not available (503): try again after `Retry-After` seconds',
  server_error: 'an error in the service; the log has the request id (500)',
  unsupported_response_type: 'the service supports only `response_type=code`',
  login_required: '`prompt=none` was sent, but the user is not signed in, or signed in too long ago',
  consent_required: '`prompt=none` was sent, but the user has not approved the application',
  interaction_required: '`prompt=none` was sent, but the user has to confirm this application each time',
  unmet_authentication_requirements: 'the user cannot sign in at the level that `acr_values` or `claims` requires',
  request_not_supported: 'the application has no keys to verify a signed `request`: send the parameters unsigned',
  request_uri_not_supported: '`request_uri` takes only the value from a pushed authorization request',
  registration_not_supported: '`registration` is not supported: register the application first',
};
