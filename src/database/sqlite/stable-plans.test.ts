import assert from 'node:assert/strict';
import { constants, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { afterEach, describe, it, mock } from 'node:test';
import { addClient, addLogin, password } from '../../../test/harness/accounts.ts';
import { garage } from '../../../test/harness/garage.ts';
import { request } from '../../../test/harness/request.ts';
import { idOf, resourceServices } from '../../../test/harness/resource-service.ts';
import { services } from '../../../test/harness/service.ts';
import { byCredentials, requestBy } from '../../../test/harness/token-requests.ts';
import { rowFunction } from './row-mark.ts';

type Values = readonly SQLInputValue[];

/** Each SQL text that is executed from now on, with the values of its last execution. */
function recordStatements(): Map<string, Values> {
  const executed = new Map<string, Values>();
  const prepare = DatabaseSync.prototype.prepare;
  mock.method(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, text: string) {
    const statement = prepare.call(this, text);
    for (const name of ['run', 'all', 'get'] as const) {
      const execute = statement[name] as (...values: SQLInputValue[]) => unknown;
      Object.defineProperty(statement, name, {
        value: (...values: SQLInputValue[]) => {
          executed.set(text, values);
          return execute.apply(statement, values);
        },
      });
    }
    return statement;
  });
  return executed;
}

const isQuery = (text: string) => /^\s*(with|select|insert|update|delete)\b/i.test(text);

function execute(statement: StatementSync, values: Values): void {
  try {
    statement.all(...values);
  } catch (error) {
    // The row already exists. SQLite has still planned and run the statement.
    if (!/constraint failed/.test((error as Error).message)) throw error;
  }
}

/** The SQL texts that SQLite plans again at a second execution. SQLite calls the authorizer only while it plans. */
function plannedAgain(path: string, executed: ReadonlyMap<string, Values>): string[] {
  const copy = `${path}.copy`;
  const original = new DatabaseSync(path);
  // The service keeps writing to the original, so the test uses a copy.
  original.prepare('vacuum into ?').run(copy);
  original.close();
  const file = new DatabaseSync(copy);
  file.function(rowFunction, (_rows) => 1);
  let asked = 0;
  file.setAuthorizer(() => {
    asked++;
    return constants.SQLITE_OK;
  });
  const again: string[] = [];
  for (const [text, values] of executed) {
    if (!isQuery(text)) continue;
    asked = 0;
    const statement = file.prepare(text);
    assert.ok(asked > 0, `the authorizer saw no planning: ${text}`);
    file.exec('begin');
    execute(statement, values);
    asked = 0;
    execute(statement, values);
    if (asked > 0) again.push(text);
    file.exec('rollback');
  }
  file.close();
  return again;
}

describe('SQLite plans statements once, not for each execution', () => {
  const start = services('sqlite');
  const startEngine = resourceServices('sqlite');
  afterEach(() => mock.restoreAll());

  it('of tokens, users and clients', async () => {
    const executed = recordStatements();
    const service = await start();
    // Migrations use tables that no longer exist.
    executed.clear();
    const user = await addLogin(service);
    const login = await addClient(service, { type: 'password' });
    const machine = await addClient(service, {});
    const token = async (form: Record<string, string>) => {
      const response = await request(service, '/v1/oauth/token', { form });
      assert.equal(response.status, 200, response.text);
      return response.body as { access_token: string; refresh_token: string };
    };
    await token(byCredentials(machine));
    const first = await token(requestBy(login, { grant_type: 'password', username: user.email, password }));
    const second = await token(requestBy(login, { grant_type: 'refresh_token', refresh_token: first.refresh_token }));
    const asUser = { token: second.access_token };
    for (const path of ['/v1/me', '/v1/tokens', '/v1/clients', '/v1/users?limit=5', '/v1/events?limit=5'])
      await request(service, path, asUser);
    const seen = await request(service, '/v1/oauth/introspect', {
      form: requestBy(login, { token: second.access_token }),
    });
    assert.equal(seen.body.active, true, seen.text);
    await request(service, '/v1/oauth/revoke', { form: requestBy(login, { token: second.refresh_token }) });
    assert.ok(executed.size > 30, `${executed.size} statements`);
    assert.deepEqual(plannedAgain(service.database.url.slice('sqlite:'.length), executed), []);
  });

  it('of resources: rows, lists, searches, rules, includes and writes', async () => {
    const executed = recordStatements();
    const service = await startEngine(garage);
    executed.clear();
    const write = async (method: string, path: string, json: object, token = 'admin') => {
      const response = await service.request(method, path, { json, token });
      assert.ok(response.status < 300, response.text);
      return response.row;
    };
    const owner = await write('POST', '/v1/owners', { name: 'Ann', user_id: idOf('alice') });
    const car = await write('POST', '/v1/cars', { plate: 'A 1', tags: ['fast'], owner_id: owner.id });
    const driver = await write('POST', '/v1/drivers', { name: 'Dan' });
    await write('POST', '/v1/assignments', { car_id: car.id, driver_id: driver.id });
    await write('PATCH', `/v1/cars/${car.id}`, { seats: 5 });
    await write('PATCH', `/v1/owners/${owner.id}`, { name: 'Anne' }, 'alice');
    const paths = [
      `/v1/cars/${car.id}`,
      `/v1/cars/${car.id}?include=owner,drivers`,
      '/v1/cars?limit=1',
      '/v1/cars?limit=1&page=2',
      '/v1/cars?limit=1&cursor=',
      '/v1/cars?orderBy=seats&sortedBy=desc',
      '/v1/cars?search=plate:A',
      '/v1/cars?search=plate:A&searchFields=plate:like',
      '/v1/cars?search=seats:5&searchFields=seats:=',
      '/v1/cars?search=tags:fast&searchFields=tags:=',
      '/v1/cars?search=seats:4,5&searchFields=seats:in',
      '/v1/owners?include=cars',
      `/v1/owners/${owner.id}`,
    ];
    for (const path of paths)
      for (const token of ['admin', 'alice']) {
        const response = await service.request('GET', path, { token });
        assert.equal(response.status, 200, `${path}: ${response.text}`);
      }
    await service.request('DELETE', `/v1/cars/${car.id}`);
    assert.ok(executed.size > 30, `${executed.size} statements`);
    assert.deepEqual(plannedAgain(service.database.url.slice('sqlite:'.length), executed), []);
  });
});
