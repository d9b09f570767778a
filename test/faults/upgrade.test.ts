import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ended, type ServerProcess } from '../harness/command.ts';
import { createTestDatabase } from '../harness/engines.ts';
import { onServer } from '../harness/replicated-postgres.ts';
import { root } from '../harness/starts.ts';
import { trials } from '../harness/trial.ts';
import { twoVersions } from '../harness/two-versions.ts';

const isReady = async ({ url }: ServerProcess) =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
const until = async (condition: () => Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** The whole schema: tables with their columns, indexes, and the applied migrations. */
const schemaOf = async (url: string): Promise<string[]> =>
  (
    await onServer(
      { url },
      `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'
       union all select indexname from pg_indexes where schemaname = 'public' union all select name from migrations`,
    )
  ).map(({ name }) => String(name));

/** The declarations of the trial, with the imports of each version. The newer version has one more searchable field. */
function declarations(older: string, newer: string): { old: string; next: string } {
  const from = join(root, 'test/faults/resources');
  const [old, next] = [older === root ? from : join(older, 'declared'), join(newer, 'declared')];
  if (old !== from) cpSync(from, old, { recursive: true });
  mkdirSync(next);
  const text = readFileSync(join(from, 'entries.ts'), 'utf8');
  const more = text.replace('fields: {', 'fields: { remark: text({ searchable: true }),');
  assert.notEqual(more, text);
  writeFileSync(join(next, 'entries.ts'), more);
  return { old, next };
}

describe('Two instances of an earlier version, under load', () => {
  const begin = trials();
  const { older, newer } = twoVersions();

  it('are replaced by newer ones, one after the other, and one of them is started again', async (t) => {
    const database = await createTestDatabase('postgres');
    t.after(() => database.remove());
    const { old, next } = declarations(older, newer);
    const env = { DATABASE_URL: database.url, BASE_URL: 'http://auth.example' };
    const { oracle, start, leave } = await begin({ ...env, RESOURCES_DIR: old }, undefined, older);
    let folders = 0;
    const run = (version: 'old' | 'new') => {
      const own = { DRAIN_SECONDS: '3', DATA_DIR: `data-${folders++}` };
      return version === 'old' ? start(own, older) : start({ ...own, RESOURCES_DIR: next }, newer);
    };
    const replace = async (one: ServerProcess, version: 'old' | 'new') => {
      const by = await run(version);
      await until(() => isReady(by));
      await oracle.succeeds(150);
      one.child.kill('SIGTERM');
      await until(async () => !(await isReady(one)));
      leave(one);
      assert.deepEqual(await ended(one.child), [0, null]);
      await oracle.succeeds(150);
      return by;
    };
    const [first, second] = [await run('old'), await run('old')];
    const before = await schemaOf(database.url);
    oracle.begin(6);
    await oracle.succeeds(150);
    const third = await replace(first, 'new');
    const migrated = await schemaOf(database.url);
    const added = migrated.filter((name) => !before.includes(name));
    for (const name of ['999-trial', 'trials.id', 'users.trial', 'entries.remark'])
      assert.ok(added.includes(name), name);
    assert.deepEqual(
      before.filter((name) => !migrated.includes(name)),
      [],
      'an upgrade removes nothing',
    );
    const fourth = await replace(second, 'new');
    // Back to the earlier version, and forward again.
    const fifth = await replace(third, 'old');
    const still = await schemaOf(database.url);
    assert.deepEqual(
      migrated.filter((name) => !still.includes(name)),
      [],
      'a start of the earlier version removes nothing either',
    );
    const sixth = await replace(fifth, 'new');
    await oracle.end();
    for (const { lines } of [first, second, third, fourth, fifth, sixth])
      for (const line of lines)
        if (line.includes('"status":500') || line.includes('request failed')) t.diagnostic(line);
    const unanswered = oracle.responses.get(0) ?? 0;
    const refused = [...oracle.responses].filter(([status]) => status >= 500);
    t.diagnostic(`${added.length} names added to the schema`);
    t.diagnostic(await oracle.check());
    assert.deepEqual([unanswered, refused], [0, []]);
    for (const { child } of [fourth, sixth]) assert.equal(child.exitCode, null);
  });
});
