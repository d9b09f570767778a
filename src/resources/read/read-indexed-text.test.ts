import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../test/harness/engines.ts';
import { garage } from '../../../test/harness/garage.ts';
import { type ResourceService, resourceServices } from '../../../test/harness/resource-service.ts';

/** Nearly all drivers have the same name, so that the index is not selective. */
const rows = 3000;
const name = `case when i % 1000 = 0 then 'Rare' when i < 20 then 'Name' || (i % 5) else 'Often' end`;
const id = (hex: string) => `'0199d0a0-7c00-7000-8000-' || ${hex}`;
const seed = {
  sqlite: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows}) select ${id("printf('%012d', i)")}, ${name}, lower(${name}), 1, 1, 1 from n`,
  postgres: `select ${id("lpad(i::text, 12, '0')")}, ${name}, lower(${name}), 1, 1, 1 from generate_series(1, ${rows}) as i`,
};

onBothEngines('Searches for one text', (engine) => {
  const start = resourceServices(engine);
  let service: ResourceService;
  before(async () => {
    service = await start(garage);
    const { db } = service.context.database;
    const columns = 'id, name, name_folded, created_at, updated_at, version';
    await sql.raw(`insert into drivers (${columns}) ${seed[engine]}`).execute(db);
    await sql`analyze`.execute(db);
  });
  const search = async (query: string) => {
    const { status, rows, pagination, text } = await service.request('GET', `/v1/drivers?search=name:${query}`);
    assert.equal(status, 200, text);
    return { names: rows.map(({ name }) => name), numbers: rows.map(({ id }) => Number(id.slice(-12))), pagination };
  };

  it('find the rows of each search among concurrent ones', async () => {
    const queries = ['name1', 'NAME2', 'rare', 'often&limit=3', 'none', 'name1&limit=2&sortedBy=desc', 'name1&page=2'];
    const [one, two, rare, often, none, last, beyond] = await Promise.all([...queries, ...queries].map(search));
    assert.deepEqual(one?.numbers, [1, 6, 11, 16]);
    assert.deepEqual(two?.names, ['Name2', 'Name2', 'Name2', 'Name2']);
    assert.deepEqual(two?.pagination.total, 4);
    assert.deepEqual(rare?.numbers, [1000, 2000, 3000]);
    assert.deepEqual(often?.numbers, [20, 21, 22]);
    assert.deepEqual([often?.pagination.total, often?.pagination.count], [rows - 22, 3]);
    assert.match(String(often?.pagination.links.next), /page=2/);
    assert.deepEqual([none?.numbers, none?.pagination.total], [[], 0]);
    assert.deepEqual([last?.numbers, last?.pagination.total], [[16, 11], 4]);
    assert.deepEqual([beyond?.numbers, beyond?.pagination.total], [[], 4]);
    for (const [i, query] of queries.entries()) {
      const alone = await search(query);
      assert.deepEqual([one, two, rare, often, none, last, beyond][i], alone, query);
    }
  });

  it('read only rows that they return, on PostgreSQL in one statement for all searches', {
    skip: engine === 'sqlite',
  }, async () => {
    const { database } = service.context;
    const texts = new Set<string>();
    const readKeyed = database.readKeyed ?? assert.fail('PostgreSQL reads by key');
    database.readKeyed = (text, ...more) => {
      texts.add(text);
      return readKeyed(text, ...more);
    };
    await Promise.all(['rare', 'often', 'name1'].map(search));
    database.readKeyed = readKeyed;
    const [text = '', ...others] = texts;
    assert.equal(others.length, 0);
    const explained = text.replace('$1', `array['rare', 'often', 'name1']`);
    const { rows: lines } = await sql.raw(`explain (analyze, costs off) ${explained}`).execute(database.db);
    const plan = lines.map((line) => Object.values(line as object)[0]).join('\n');
    assert.match(plan, /Index Scan using drivers_name_folded_id_order/);
    assert.doesNotMatch(plan, /Sort|Filter|Seq Scan/);
  });
});
