import { flag, integer, list, oneOf } from './setting.ts';

const isHttpsOrigin = (value: string): boolean =>
  URL.canParse(value) && new URL(value).origin === value && value.startsWith('https://');

/** Passkeys, second factors and codes by mail. */
export const factorSettings = {
  mfa: oneOf(
    'MFA',
    ['off', 'optional', 'admins', 'required'],
    'optional',
    'who signs in with a second factor: nobody, whoever has set one up, administrators too, or everybody',
  ),
  mfaRemember: integer(
    'MFA_REMEMBER',
    30 * 86_400,
    'seconds for which a browser can be remembered, so that it is not asked for the second factor; 0: never',
    0,
    365 * 86_400,
  ),
  emailCodes: flag('EMAIL_CODES', false, 'whether people can sign in with a code that is sent to their email address'),
  passkeyOrigins: list<string>(
    'PASSKEY_ORIGINS',
    [],
    'other origins whose pages may use the passkeys of this service (WebAuthn related origins)',
    'a list of https origins such as https://shop.example.org',
    isHttpsOrigin,
  ),
} as const;
