import { decodeJwt } from 'jose';
import type { Context } from '../../src/database/context.ts';
import type { Tx } from '../../src/database/database.ts';
import { systemSource } from '../../src/http/request-source.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import type { ProviderDefinition } from './declaration/define-provider.ts';
import { callbackOf } from './sign-in/begin-attempt.ts';
import {
  type DeclaredProvider,
  deleteProvider,
  findProviders,
  insertProvider,
  updateProvider,
} from './sign-in/provider-store.ts';

/** The expiry of the client's secret: declared, or read from a secret that is a JWT. Null if unknown. */
export function secretExpiry({ clientSecret, clientSecretExpires }: ProviderDefinition): number | null {
  if (clientSecretExpires !== undefined) return Date.parse(clientSecretExpires);
  if (typeof clientSecret !== 'string' || clientSecret.split('.').length !== 3) return null;
  try {
    const { exp } = decodeJwt(clientSecret);
    return exp === undefined ? null : exp * 1000;
  } catch {
    return null;
  }
}

const declaredOf = (config: Context['config'], definition: ProviderDefinition): DeclaredProvider => ({
  id: definition.name,
  label: definition.label ?? definition.name,
  issuer: definition.issuer,
  client_id: definition.clientId,
  redirect_uri: callbackOf(config, definition.name),
  enabled: definition.enabled === false ? 0 : 1,
  secret_expires_at: secretExpiry(definition),
});

/** Updates the table from the declarations. Records added, changed and removed providers in the audit trail. */
export const syncProviders = (context: Context, definitions: readonly ProviderDefinition[]): Promise<void> =>
  context.database.db.transaction().execute(async (tx) => {
    const stored = new Map((await findProviders(tx)).map((row) => [row.id, row]));
    for (const definition of definitions) {
      const declared = declaredOf(context.config, definition);
      const row = stored.get(declared.id);
      stored.delete(declared.id);
      if (!row) {
        if (await insertProvider(tx, declared, context.now())) await record(context, tx, 'added', declared.id);
        continue;
      }
      const names = (Object.keys(declared) as (keyof DeclaredProvider)[]).filter(
        (name) => row[name] !== declared[name],
      );
      if (names.length === 0) continue;
      await updateProvider(tx, declared.id, declared);
      const changes = Object.fromEntries(names.map((name) => [name, { from: row[name], to: declared[name] }]));
      await record(context, tx, 'changed', declared.id, { changes });
    }
    for (const id of stored.keys()) {
      await deleteProvider(tx, id);
      await record(context, tx, 'removed', id);
    }
  });

const record = (context: Context, tx: Tx, change: 'added' | 'changed' | 'removed', id: string, data: object = {}) =>
  recordEvent(context, tx, {
    type: `provider.${change}`,
    rowId: id,
    source: systemSource,
    data: { provider: id, ...data },
  });
