import { createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import { OperatorError } from '../../platform/errors.ts';

const setting = 'PROVIDER_APPLE_SECRET';
const takes = 'TEAM_ID:KEY_ID:PRIVATE_KEY, where PRIVATE_KEY is the content of the .p8 file';

/** Apple's client secret is a JWT that the operator's key signs. A new one is made for each sign-in, so none expires. */
export function appleSecret(clientId: string, secret: string): () => Promise<string> {
  const match = /^([A-Z0-9]{10}):([A-Z0-9]{10}):(.+)$/s.exec(secret.trim());
  if (!match) throw new OperatorError(`${setting}: got a value that is not shown; it takes ${takes}.`);
  const [, teamId, keyId, key] = match as unknown as [string, string, string, string];
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

/** PEM, whose line breaks may be written as `\n`, or its base64 alone. */
function readKey(text: string): KeyObject {
  const written = text.replaceAll('\\n', '\n').trim();
  const pem = written.includes('-----BEGIN')
    ? written
    : `-----BEGIN PRIVATE KEY-----\n${written.replace(/\s/g, '')}\n-----END PRIVATE KEY-----`;
  try {
    return createPrivateKey(pem);
  } catch {
    throw new OperatorError(`${setting}: the private key cannot be read; it takes ${takes}.`);
  }
}
