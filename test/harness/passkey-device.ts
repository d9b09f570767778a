import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

interface Flags {
  /** The device has verified the user by a finger, a face or a PIN. */
  readonly verified?: boolean;
  readonly present?: boolean;
  readonly origin?: string;
  /** The signature counter. A synced passkey sends 0. */
  readonly counter?: number;
  readonly rpId?: string;
}

/** Enough CBOR for a passkey: maps with the values in place. */
function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
}
const text = (value: string) => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const integer = (value: number) => (value >= 0 ? head(0, value) : head(1, -1 - value));
const map = (...entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()]);

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();

/** A device with a passkey, implemented from the standard. It shares no code with the service. */
export class PasskeyDevice {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly id = randomBytes(32);
  readonly #origin: string;
  userHandle = '';

  constructor(origin: string) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = pair.privateKey;
    this.#publicKey = pair.publicKey;
    this.#origin = origin;
  }

  get credentialId(): string {
    return this.id.toString('base64url');
  }

  #clientData(type: string, challenge: string, origin: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #authenticatorData(rpId: string, { verified = true, present = true, counter = 0 }: Flags, attested: Buffer): Buffer {
    const flags = Number(present) | (Number(verified) << 2) | (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, attested]);
  }

  /** The result of `navigator.credentials.create`, as JSON. */
  create({ challenge, rp, user }: CreationOptions, flags: Flags = {}): Record<string, unknown> {
    this.userHandle = user.id;
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const coordinate = (value: string) => bytes(Buffer.from(value, 'base64url'));
    const cose = map(
      [integer(1), integer(2)],
      [integer(3), integer(-7)],
      [integer(-1), integer(1)],
      [integer(-2), coordinate(x)],
      [integer(-3), coordinate(y)],
    );
    const length = Buffer.from([this.id.length >> 8, this.id.length & 255]);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const authData = this.#authenticatorData(flags.rpId ?? rp.id, flags, attested);
    const attestation = map([text('fmt'), text('none')], [text('attStmt'), map()], [text('authData'), bytes(authData)]);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', challenge, flags.origin ?? this.#origin).toString(
          'base64url',
        ),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** The result of `navigator.credentials.get`, as JSON. */
  get({ challenge, rpId }: RequestOptions, flags: Flags = {}): Record<string, unknown> {
    const authData = this.#authenticatorData(flags.rpId ?? rpId, flags, Buffer.alloc(0));
    const clientData = this.#clientData('webauthn.get', challenge, flags.origin ?? this.#origin);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#key);
    return {
      id: this.credentialId,
      rawId: this.credentialId,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: this.userHandle,
      },
    };
  }
}
