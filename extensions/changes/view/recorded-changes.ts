import type { Db } from '../../../src/database/database.ts';
import { parseJson } from '../../../src/platform/json-text.ts';
import type { RecordedChange } from '../../../src/resources/model/change-feed.ts';
import type { Resources } from '../../../src/resources/model/resource.ts';
import { allChanges } from '../log/change-store.ts';
import { loggedChanges } from './logged-change.ts';

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
