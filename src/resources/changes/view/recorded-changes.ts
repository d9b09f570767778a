import type { Db } from '../../../database/database.ts';
import { parseJson } from '../../../platform/json-text.ts';
import type { Resources } from '../../model/resource.ts';
import { allChanges } from '../log/change-store.ts';
import { loggedChanges } from './logged-change.ts';

/** A change as `/v1/changes` shows it to a caller who may see every row. */
export interface RecordedChange {
  readonly resource: string;
  readonly id: string;
  readonly operation: 'created' | 'updated' | 'deleted';
  readonly version: number | null;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
  readonly actor: { readonly user_id: string | null; readonly client_id: string | null } | null;
  readonly at: string;
}

export async function recordedChanges(db: Db, resources: Resources, name?: string): Promise<RecordedChange[]> {
  if (name !== undefined && !resources.get(name)?.changes)
    throw new Error(`"${name}" records no changes: changes: true`);
  return loggedChanges(resources, await allChanges(db, name)).flatMap((logged) => {
    const json = logged.jsonFor({ before: true, after: true }, '');
    if (!json) return [];
    const { position: _position, ...change } = parseJson<RecordedChange & { position: string }>(json);
    return [change];
  });
}
