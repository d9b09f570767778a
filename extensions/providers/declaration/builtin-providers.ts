import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { ProviderSettings } from '../../../src/config/settings/provider-settings.ts';
import { OperatorError } from '../../../src/platform/errors.ts';
import { asObject } from '../../../src/platform/is-object.ts';
import { isOneOf } from '../../../src/platform/is-one-of.ts';
import type { Claims, ProviderDefinition } from './define-provider.ts';

const setting = 'PROVIDER_APPLE_SECRET';
const takes = 'TEAM_ID:KEY_ID:PRIVATE_KEY, where PRIVATE_KEY is the content of the .p8 file';

/** Apple's client secret is a JWT signed with the operator's key. Each sign-in makes a new one, so none expires. */
function appleSecret(clientId: string, secret: string): () => Promise<string> {
  const match = /^([A-Z0-9]{10}):([A-Z0-9]{10}):(.+)$/s.exec(secret.trim());
  if (!match) throw new OperatorError(`${setting}: got a value that is not shown; expected ${takes}.`);
  const [, teamId = '', keyId = '', key = ''] = match;
  const privateKey = readKey(key);
  return () =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
}

/** PEM (line breaks may be written as `\n`), or only its base64. */
function readKey(text: string): KeyObject {
  const written = text.replaceAll('\\n', '\n').trim();
  const pem = written.includes('-----BEGIN')
    ? written
    : `-----BEGIN PRIVATE KEY-----\n${written.replace(/\s/g, '')}\n-----END PRIVATE KEY-----`;
  try {
    return createPrivateKey(pem);
  } catch {
    throw new OperatorError(`${setting}: the private key cannot be read; expected ${takes}.`);
  }
}

type BuiltIn = (settings: ProviderSettings) => Omit<ProviderDefinition, 'name' | 'clientId'>;

interface GitHubEmail {
  readonly email: string;
  readonly primary: boolean;
  readonly verified: boolean;
}

const facebook = 'https://graph.facebook.com/v23.0';

/** Anybody can set a Microsoft account's email ("nOAuth"). `xms_edov` (true, 1 or "1"): the domain verified it. */
const isOwnedByDomain = ({ xms_edov }: Claims): boolean => isOneOf([true, 1, '1', 'true'], xms_edov);

/** The ready-made providers. Each needs an id and a secret. */
const builtins = new Map<string, BuiltIn>([
  [
    'google',
    ({ secret }) => ({
      label: 'Google',
      issuer: 'https://accounts.google.com',
      clientSecret: secret,
      // Google rejects `login`, although OpenID Connect defines it.
      prompts: ['none', 'consent', 'select_account'],
    }),
  ],
  [
    'microsoft',
    ({ secret, tenant = 'common' }) => ({
      label: 'Microsoft',
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      clientSecret: secret,
      emailVerified: isOwnedByDomain,
    }),
  ],
  [
    'apple',
    ({ id, secret }) => ({
      label: 'Apple',
      issuer: 'https://appleid.apple.com',
      clientSecret: appleSecret(id, secret),
      scopes: ['openid', 'name', 'email'],
      responseMode: 'form_post',
    }),
  ],
  [
    'github',
    ({ secret }) => ({
      label: 'GitHub',
      issuer: 'https://github.com/login/oauth',
      authorizationEndpoint: 'https://github.com/login/oauth/authorize',
      tokenEndpoint: 'https://github.com/login/oauth/access_token',
      clientSecret: secret,
      scopes: ['read:user', 'user:email'],
      async profile(get) {
        const { id, login, name } = asObject(await get('https://api.github.com/user'));
        const emails = (await get('https://api.github.com/user/emails')) as GitHubEmail[];
        const primary = emails.find((each) => each.primary && each.verified);
        return {
          sub: String(id),
          preferred_username: login,
          name: name ?? login,
          email: primary?.email,
          email_verified: primary !== undefined,
        };
      },
    }),
  ],
  ['gitlab', ({ secret, issuer = 'https://gitlab.com' }) => ({ label: 'GitLab', issuer, clientSecret: secret })],
  [
    'facebook',
    ({ secret }) => ({
      label: 'Facebook',
      issuer: 'https://www.facebook.com',
      authorizationEndpoint: 'https://www.facebook.com/v23.0/dialog/oauth',
      tokenEndpoint: `${facebook}/oauth/access_token`,
      clientSecret: secret,
      scopes: ['public_profile', 'email'],
      // Facebook does not say whether an address is verified.
      email: 'never',
      async profile(get) {
        const { id, name, email } = asObject(await get(`${facebook}/me?fields=id,name,email`));
        return { sub: id, name, email };
      },
    }),
  ],
  [
    'discord',
    ({ secret }) => ({
      label: 'Discord',
      issuer: 'https://discord.com',
      authorizationEndpoint: 'https://discord.com/oauth2/authorize',
      tokenEndpoint: 'https://discord.com/api/oauth2/token',
      clientSecret: secret,
      scopes: ['identify', 'email'],
      async profile(get) {
        const user = asObject(await get('https://discord.com/api/users/@me'));
        const { id, username, global_name, email, verified } = user;
        return {
          sub: id,
          preferred_username: username,
          name: global_name ?? username,
          email,
          email_verified: verified === true,
        };
      },
    }),
  ],
]);

export function builtinProvider(settings: ProviderSettings): ProviderDefinition {
  const make = builtins.get(settings.name) as BuiltIn;
  const { name, id: clientId, secretExpires } = settings;
  const expires = secretExpires === undefined ? {} : { clientSecretExpires: secretExpires };
  return { name, clientId, ...expires, ...make(settings) };
}
