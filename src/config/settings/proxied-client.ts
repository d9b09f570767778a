import { OperatorError } from '../../platform/errors.ts';
import { showValue } from '../../platform/json-text.ts';

/** A first-party client whose credentials the server adds, reached at `/v1/clients/<path>/login` and `/refresh`. */
export interface ProxiedClient {
  /** Platform and audience, such as `web/admin`, or one word, such as `web`. */
  readonly path: string;
  readonly id: string;
  readonly secret: string;
}

/** The settings of one client read so far, and where they were read. */
export interface ClientSettings {
  readonly id?: string;
  readonly secret?: string;
  readonly source: string;
}

/** Reads CLIENT_<PLATFORM>_<AUDIENCE>_ID or …_SECRET from the environment or `gatehouse.config.ts`. */
export function readClientSetting(name: string, value: unknown, clients: Map<string, ClientSettings>): void {
  const match = /^CLIENT_([A-Z][A-Z0-9]*(?:_[A-Z][A-Z0-9]*)?)_(ID|SECRET)$/.exec(name);
  if (!match) {
    throw new OperatorError(
      `${name} is not a setting. A login proxy is CLIENT_<PLATFORM>_<AUDIENCE>_ID and …_SECRET, such as CLIENT_WEB_ADMIN_ID, or CLIENT_WEB_ID.`,
    );
  }
  const [, clientName = '', part] = match;
  const path = clientName.toLowerCase().replace('_', '/');
  const client = clients.get(path) ?? { source: `CLIENT_${clientName}` };
  if (value !== undefined) clients.set(path, { ...client, [part === 'ID' ? 'id' : 'secret']: value });
}

export function readClientsFromConfigFile(value: unknown, clients: Map<string, ClientSettings>): void {
  if (typeof value !== 'object' || value === null) {
    throw new OperatorError(
      `gatehouse.config.ts: clients: got a value that is not shown; expected { 'web/admin': { id, secret } }.`,
    );
  }
  for (const [path, client] of Object.entries(value)) {
    if (!/^[a-z][a-z0-9]*(\/[a-z][a-z0-9]*)?$/.test(path)) {
      throw new OperatorError(
        `gatehouse.config.ts: clients: "${path}" is not a path; expected platform/audience, such as 'web/admin', or one word, such as 'web'.`,
      );
    }
    clients.set(path, { ...client, source: `gatehouse.config.ts: clients['${path}']` });
  }
}

export function completeClient(path: string, client: ClientSettings): ProxiedClient {
  const name = (part: 'id' | 'secret') =>
    client.source.startsWith('CLIENT_') ? `${client.source}_${part.toUpperCase()}` : `${client.source}.${part}`;
  for (const part of ['id', 'secret'] as const) {
    const value: unknown = client[part];
    if (value === undefined || value === '') {
      throw new OperatorError(
        `${name(part)} is missing: got nothing; expected text. A login proxy needs both ${name('id')} and ${name('secret')}.`,
      );
    }
    if (typeof value !== 'string') {
      const got = part === 'secret' ? 'a value that is not shown' : showValue(value);
      throw new OperatorError(`${name(part)}: got ${got}; expected text.`);
    }
  }
  const { id, secret } = client as { id: string; secret: string };
  if (!/^[\x21-\x7e]{1,128}$/.test(id)) {
    throw new OperatorError(
      `${name('id')}: got ${JSON.stringify(id)}; expected 1 to 128 printable ASCII characters without spaces.`,
    );
  }
  return Object.freeze({ path, id, secret });
}
