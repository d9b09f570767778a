import { idTokenAlgorithm } from '../../database/keys/make-keys.ts';
import { type Caller, isAdmin } from '../../platform/caller.ts';
import type { FieldError } from '../../platform/errors.ts';
import { asObject } from '../../platform/is-object.ts';
import { isOneOf } from '../../platform/is-one-of.ts';
import type { WriteValues } from '../../resources/declaration/fields/row-types.ts';
import { type clientFields, omittedUris } from './client-fields.ts';
import type { ClientType } from './client-store.ts';
import { checkRedirectUri, checkWebUri } from './client-uris.ts';
import { everyScope } from './scopes/scopes.ts';

/** Control, format (direction, invisible), separator, private-use, surrogate and unassigned characters. */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/u;
const latin = /\p{Script=Latin}/u;
/** Scripts with letters that look like Latin letters. */
const lookalikeScripts =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Cherokee}\p{Script=Armenian}\p{Script=Coptic}\p{Script=Lisu}]/u;
/** More marks on one letter than any language uses: they would cover the lines above. */
const stackedMarks = /\p{M}{4}/u;

/** Digits and signs that can replace a letter in an imitated name. */
const lettersBySign = new Map([...'0o1l!i3e4a@a5s$s7t'.matchAll(/(.)(.)/g)].map(([, sign, letter]) => [sign, letter]));

/** Whether a name can be mistaken for the name of this service, in any spelling. */
export function looksLikeService(name: string): boolean {
  const plain = [...name.normalize('NFKD').toLowerCase()].map((char) => lettersBySign.get(char) ?? char).join('');
  return plain.replace(/[^a-z]/g, '').includes('gatehouse');
}

/** The error in a name that the consent page shows. Undefined if there is none. */
export function checkName(name: string): string | undefined {
  if (invisibleCharacters.test(name) || stackedMarks.test(name))
    return 'contains characters that are invisible or change the direction of text';
  if (/^\s|\s$|\s\s|[^\S ]/u.test(name)) return 'allows only single spaces between words';
  if (name.split(/[^\p{L}\p{M}]+/u).some((word) => latin.test(word) && lookalikeScripts.test(word))) {
    return 'mixes lookalike letters of two scripts in one word';
  }
  return undefined;
}

type WrittenFields = WriteValues<typeof clientFields>;

/** The fields of an application by their API names. Fields that a change omits are undefined. */
export type ApplicationInput = { readonly [K in keyof WrittenFields]?: WrittenFields[K] | null | undefined };

interface ApplicationChange {
  readonly type: ClientType;
  readonly values: ApplicationInput;
  /** Undefined for a new application. */
  readonly before?: ApplicationInput | undefined;
  readonly caller: Caller;
  /** This machine may be called without TLS, in development. */
  readonly allowLoopback: boolean;
  /** The algorithm of access tokens. ID tokens may use it too. */
  readonly signingAlgorithm: string;
}

const applicationFields = [
  ...(['public', 'redirect_uris', 'post_logout_redirect_uris', 'homepage_uri', 'logo_uri'] as const),
  ...(['backchannel_logout_uri', 'trusted', 'tos_uri', 'policy_uri', 'require_pkce'] as const),
  ...(['id_token_signed_response_alg', 'default_max_age', 'token_endpoint_auth_method', 'jwks', 'jwks_uri'] as const),
  ...(['require_pushed_authorization_requests', 'require_signed_request_object'] as const),
  ...(['dpop_bound_access_tokens', 'fapi'] as const),
] as const;
const redirectFields = ['redirect_uris', 'post_logout_redirect_uris'] as const;
const shownUris = ['homepage_uri', 'logo_uri', 'tos_uri', 'policy_uri'] as const;
/** The URIs that this service calls. */
const calledUris = ['backchannel_logout_uri', 'jwks_uri'] as const;
/** Only administrators may change these fields of a trusted application. */
const protectedFields = ['name', 'scopes', ...redirectFields, 'backchannel_logout_uri'] as const;

const error = (field: string, code: string, problem: string) => ({ field, code, message: `${field} ${problem}.` });

/** Checks a new or changed application, or the application fields of another client. */
export function checkApplication(change: ApplicationChange): FieldError[] {
  if (change.type !== 'application') {
    const present = applicationFields.filter((name) => isPresent(change.values[name]));
    return present.map((name) => error(name, 'forbidden', `is only for applications, not for a ${change.type} client`));
  }
  return [
    ...checkTexts(change),
    ...checkUris(change),
    ...checkTrust(change),
    ...checkAlgorithm(change),
    ...checkKeys(change),
  ];
}

const isPresent = (value: unknown): boolean => !!value && !(Array.isArray(value) && value.length === 0);

function checkTexts({ values: { name }, before, caller }: ApplicationChange): FieldError[] {
  const problem = name ? checkName(name) : undefined;
  if (problem) return [error('name', 'characters', problem)];
  const imitatesService = name !== before?.name && !isAdmin(caller) && looksLikeService(name ?? '');
  return imitatesService ? [error('name', 'forbidden', 'imitates the name of this service')] : [];
}

function checkUris({ values, allowLoopback }: ApplicationChange): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of redirectFields) {
    for (const uri of values[field] ?? []) {
      const problem = checkRedirectUri(uri);
      if (problem) errors.push(error(field, problem.code, `contains "${uri.slice(0, 200)}", which ${problem.message}`));
    }
  }
  // An application that uses only the device flow sends an empty list.
  if (values.redirect_uris === omittedUris) errors.push(error('redirect_uris', 'required', 'is required'));
  for (const field of [...shownUris, ...calledUris]) {
    const options = { allowLoopback: allowLoopback && isOneOf(calledUris, field) };
    const problem = values[field] ? checkWebUri(values[field], options) : undefined;
    if (problem) errors.push(error(field, problem.code, problem.message));
  }
  return errors;
}

/** An application that authenticates by keys must have keys. FAPI 2.0 accepts no other authentication. */
function checkKeys({ values, before }: ApplicationChange): FieldError[] {
  const merged = { ...before, ...values };
  const problem = merged.jwks ? checkJwks(merged.jwks) : undefined;
  if (problem) return [error('jwks', 'format', problem)];
  if (merged.jwks && merged.jwks_uri)
    return [error('jwks_uri', 'forbidden', 'cannot be combined with jwks: send only one of them')];
  const usesPrivateKeyJwt = merged.token_endpoint_auth_method === 'private_key_jwt';
  if (merged.fapi && !usesPrivateKeyJwt) {
    return [error('token_endpoint_auth_method', 'required', 'must be private_key_jwt for FAPI 2.0')];
  }
  // A password reset removes keys. The other fields can still be changed.
  if (lacksKeys(merged) && !(before && lacksKeys(before))) {
    return [error('jwks', 'required', 'or jwks_uri is required for private_key_jwt and signed requests')];
  }
  return merged.public && usesPrivateKeyJwt ? [error('public', 'forbidden', 'is for applications without keys')] : [];
}

const lacksKeys = (application: ApplicationInput): boolean =>
  (application.token_endpoint_auth_method === 'private_key_jwt' ||
    application.require_signed_request_object === true) &&
  !application.jwks &&
  !application.jwks_uri;

function checkAlgorithm({ values, signingAlgorithm }: ApplicationChange): FieldError[] {
  const { id_token_signed_response_alg: alg } = values;
  if (!alg || alg === idTokenAlgorithm || alg === signingAlgorithm) return [];
  const supported = [...new Set([idTokenAlgorithm, signingAlgorithm])].join(' or ');
  return [
    error('id_token_signed_response_alg', 'unsupported', `must be ${supported}: the service has no key for ${alg}`),
  ];
}

/** Users are not asked before a trusted application gets tokens, so only administrators may make it trusted. */
function checkTrust({ values, before, caller }: ApplicationChange): FieldError[] {
  if (isAdmin(caller) && caller.scopes.includes(everyScope)) return [];
  if (values.trusted && !before?.trusted) return [error('trusted', 'forbidden', 'can be set only by administrators')];
  if (!before?.trusted || values.trusted === false) return [];
  const changed = protectedFields.filter((name) => name in values && !isSameJson(values[name], before[name]));
  return changed.map((name) =>
    error(name, 'forbidden', 'of a trusted application can be changed only by administrators'),
  );
}

const isSameJson = (first: unknown, second: unknown): boolean =>
  JSON.stringify(first ?? null) === JSON.stringify(second ?? null);

/** The error in a set of public keys (RFC 7517 5), as the end of a sentence. Undefined if there is none. */
export function checkJwks(jwks: unknown): string | undefined {
  const { keys } = asObject(jwks);
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > maxKeys) {
    return `must be an object with a list keys of 1 to ${maxKeys}`;
  }
  if (JSON.stringify(jwks).length > maxJwksLength) return `must have at most ${maxJwksLength} characters`;
  if (!keys.every(isPublicKey))
    return 'must contain only public keys: EC, OKP, or RSA with 2048 to 4096 bits and an exponent of at most 32 bits, without their private part';
  return undefined;
}

const maxKeys = 20;
const maxJwksLength = 20_000;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** 2048 bits (RFC 7518 3.3) to 4096 bits in base64url. */
const modulusPattern = /^[\w-]{342,683}$/;
/** At most 32 bits in base64url. Longer exponents make signatures slow to verify. */
const exponentPattern = /^[\w-]{1,6}$/;

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

function isPublicKey(key: unknown): boolean {
  const { kty, n, e, ...rest } = asObject(key);
  if (kty === 'RSA' && !(isText(n, modulusPattern) && isText(e, exponentPattern))) return false;
  return ['EC', 'OKP', 'RSA'].includes(String(kty)) && !privateMembers.some((name) => Object.hasOwn(rest, name));
}
