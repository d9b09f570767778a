import { flag, integer, list, oneOf } from './setting.ts';

const isHttpsOrigin = (value: string): boolean => value.startsWith('https://') && URL.parse(value)?.origin === value;

/** Passkeys, second factors and codes by email. */
export const factorSettings = {
  mfa: oneOf(['off', 'optional', 'admins', 'required'], 'optional').describe(
    'who needs a second factor to sign in. off: nobody. optional: users who have set one up. admins: these users and all administrators. required: everybody',
  ),
  mfaRemember: integer(30 * 86_400, 0, 365 * 86_400).describe(
    'the number of seconds for which a remembered browser needs no second factor. 0: browsers are not remembered',
  ),
  emailCodes: flag(false).describe('whether users can sign in with a code that they get by email'),
  passkeyOrigins: list<string>([], 'a list of https origins such as https://shop.example.org', isHttpsOrigin).describe(
    'other origins whose pages can use the passkeys of this service (WebAuthn related origins)',
  ),
} as const;
