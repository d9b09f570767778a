import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onBothEngines } from '../../test/harness/engines.ts';
import { type Service, services } from '../../test/harness/service.ts';
import { logIn, seed } from './seed.ts';

type Row = Record<string, unknown> & { id: string };

onBothEngines('The fleet', (engine) => {
  const start = services(engine);
  let service: Service;
  let admin: string;
  let ada: string;
  before(async () => {
    const resourcesDir = fileURLToPath(new URL('resources', import.meta.url));
    service = await start({ env: { RESOURCES_DIR: resourcesDir } });
    admin = await logIn(service.url, 'admin@example.com', 'correct horse battery');
    assert.equal(await seed(service.url, admin), true);
    assert.equal(await seed(service.url, admin), false, 'it is filled once');
    ada = await logIn(service.url, 'ada@fleet.example');
  });

  const ask = async <T = Row>(method: string, path: string, token: string, body?: object) => {
    const response = await fetch(`${service.url}/v1/${path}`, {
      method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const { data } = (text ? JSON.parse(text) : {}) as { data: unknown };
    return { status: response.status, text, row: data as T, rows: data as T[] };
  };
  const plates = async (path: string, token = admin) => (await ask('GET', path, token)).rows.map(({ plate }) => plate);

  it('speaks to people by hints and icons, and tells front ends what an action takes', async () => {
    const [car] = (await ask('GET', 'cars?search=plate:AB 123', admin)).rows as [Row];
    const { status, text } = await ask('PATCH', `cars/${car.id}`, admin, { plate: 'lower case' });
    assert.equal(status, 422);
    assert.match(text, /plate does not have the right form: Capital letters, digits, spaces and dashes/);
    const described = (await ask('GET', 'resources', admin)).rows.find(({ name }) => name === 'cars');
    assert.partialDeepStrictEqual(described, {
      icon: 'car',
      fields: { plate: { example: 'AB 123' } },
      actions: [{ bodySchema: { required: ['place'] } }],
    });
  });

  it('tells the history of a row', async () => {
    const [car] = (await ask('GET', 'cars?search=plate:GH 12', admin)).rows as [Row];
    await ask('PATCH', `cars/${car.id}`, admin, { seats: 3 });
    const { rows } = await ask('GET', `events?search=row_id:${car.id}&orderBy=created_at`, admin);
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['cars.created', 'cars.updated'],
    );
  });

  it('searches, sorts and embeds', async () => {
    assert.deepEqual(await plates('cars?orderBy=plate'), ['AB 123', 'CD 456', 'EF 789', 'GH 12']);
    assert.deepEqual(await plates('cars?search=model:fiat*&orderBy=seats'), ['CD 456', 'AB 123']);
    assert.deepEqual(await plates('cars?search=price_per_day:>=42;kind:car'), ['EF 789']);
    assert.deepEqual(await plates('cars?search=tags:quiet;kind:truck&searchJoin=or&orderBy=plate'), [
      'EF 789',
      'GH 12',
    ]);
    const vans = 'cars?search=plate:cd*&include=owner,drivers&filter=plate';
    const [van] = (await ask<{ plate: string; owner: { data: Row }; drivers: { data: Row[] } }>('GET', vans, admin))
      .rows;
    const { plate, owner, drivers } = van ?? assert.fail('no van');
    assert.equal(plate, 'CD 456');
    assert.equal(owner.data.name, 'Ada Lovelace');
    assert.deepEqual(
      drivers.data.map(({ name }) => name),
      ['Mia Duran'],
    );
    const [driver] = (await ask('GET', `drivers?search=name:ZOË*`, admin)).rows as [Row];
    assert.deepEqual(await plates(`drivers/${driver.id}/cars`), ['EF 789']);
  });

  it('shows owners themselves, and lets them write their own cars only', async () => {
    const owners = (await ask('GET', 'owners?include=cars', ada)).rows;
    assert.deepEqual(
      owners.map(({ name }) => name),
      ['Ada Lovelace'],
    );
    const byPlate = new Map((await ask('GET', 'cars', ada)).rows.map((car) => [car.plate, car]));
    const own = byPlate.get('CD 456') as Row;
    const foreign = byPlate.get('EF 789') as Row;
    assert.equal((await ask('PATCH', `cars/${own.id}`, ada, { seats: 5 })).row.seats, 5);
    assert.equal((await ask('PATCH', `cars/${foreign.id}`, ada, { seats: 5 })).status, 403);
    const taken = await ask('PATCH', `cars/${own.id}`, ada, { owner_id: foreign.owner_id });
    assert.equal(taken.status, 422, 'the other owner is not there for Ada');
    const [driver] = (await ask('GET', 'drivers?search=licence:L-0001;name:max*', ada)).rows as [Row];
    const assigned = await ask('POST', 'assignments', ada, { car_id: own.id, driver_id: driver.id });
    assert.equal(assigned.status, 201, assigned.text);
    assert.equal((await ask('POST', 'assignments', ada, { car_id: foreign.id, driver_id: driver.id })).status, 403);
  });

  it('parks a car by its action, which is recorded', async () => {
    const [car] = (await ask('GET', 'cars?search=plate:AB*', ada)).rows as [Row];
    const parked = await ask('POST', `cars/${car.id}/park`, ada, { place: 'Level 2' });
    assert.equal(parked.status, 200, parked.text);
    const found = (await ask('GET', `cars/${car.id}`, ada)).row;
    assert.equal(found.parked_at, 'Level 2');
    assert.equal(found.parked_since, parked.row.parked_since);
    const [event] = (await ask('GET', `events?search=type:cars.updated&orderBy=created_at&sortedBy=desc`, admin))
      .rows as [Row];
    assert.deepEqual((event.data as { fields: string[] }).fields, ['parked_at', 'parked_since']);
    assert.equal((await ask('POST', `cars/${car.id}/park`, ada, {})).status, 422);
  });

  it('refuses what its declarations refuse', async () => {
    const [owner] = (await ask('GET', 'owners', admin)).rows as [Row];
    const wrong = await ask('POST', 'cars', admin, { plate: 'lower', kind: 'boat', owner_id: owner.id });
    assert.equal(wrong.status, 422);
    const { errors } = JSON.parse(wrong.text) as { errors: { field: string }[] };
    assert.deepEqual(errors.map(({ field }) => field).sort(), ['kind', 'model', 'plate']);
    assert.equal((await ask('DELETE', `owners/${owner.id}`, admin)).status, 409);
  });
});
