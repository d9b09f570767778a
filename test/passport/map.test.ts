import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeArgon2, writeArgon2 } from '../../src/identity/passwords/password-hash.ts';
import { databases, onBothEngines } from '../harness/engines.ts';
import { request } from '../harness/request.ts';
import { services } from '../harness/service.ts';
import { oldDatabases } from './old-database.ts';
import { heldByClients, introspect, mappedScopes, runImport, setClock } from './run-import.ts';

const held = heldByClients('passport10');
const web = { id: '2', secret: held.secretOf('2') };
const password = 'a password of the old service';
const hash = writeArgon2(makeArgon2(Buffer.from(password)));
const profiles = `import { anyOf, defineResource, owner, role, t } from 'gatehouse-server/resources';
export default defineResource({
  name: 'profiles',
  fields: {
    user_id: t.reference('users', { required: true, searchable: true }),
    birthday: t.date(),
    shoe_size: t.integer({ max: 60 }),
    newsletter: t.boolean({ default: false }),
    seen_at: t.timestamp(),
    tags: t.list(),
  },
  access: { read: anyOf(role('admin'), owner('user_id')), write: anyOf(role('admin'), owner('user_id')) },
});`;
const model = 'App\\Containers\\AppSection\\User\\Models\\User';
const change = `
  alter table users add column birthday varchar(20); alter table users add column shoe_size varchar(20);
  alter table users add column newsletter integer; alter table users add column seen_at varchar(20);
  alter table users add column tags varchar(200); alter table users add column mobile varchar(40);
  alter table users add column lang varchar(20);
  update users set password = '${hash}';
  update users set birthday = '1815-12-10 00:00:00', shoe_size = '38', newsletter = 1, seen_at = '2026-11-01 10:00:00',
    tags = '["a","b"]', mobile = '+49 30 901820', lang = 'pt_BR' where id = 1;
  update users set birthday = '0000-00-00', shoe_size = '99', lang = 'not a language' where id = 3;
  insert into roles (id, name, guard_name) values (5, 'editor', 'api'), (6, 'viewer', 'api');
  insert into permissions (id, name, guard_name) values (1, 'list-profiles', 'api'), (2, 'edit-profiles', 'api');
  insert into role_has_permissions (permission_id, role_id) values (1, 5), (2, 5), (1, 6);
  insert into model_has_roles (role_id, model_type, model_id) values (5, '${model}', 3), (6, '${model}', 4)`;
const map = {
  fields: {
    birthday: 'profiles.birthday',
    shoe_size: 'profiles.shoe_size',
    newsletter: 'profiles.newsletter',
    seen_at: 'profiles.seen_at',
    tags: 'profiles.tags',
    mobile: 'phone',
    lang: 'locale',
  },
  permissions: { 'list-profiles': ['profiles:read', 'users:read'], 'edit-profiles': 'profiles:write' },
};

interface Profile {
  readonly id: string;
  readonly user_id: string;
  readonly birthday: string | null;
  readonly shoe_size: number | null;
}

onBothEngines('The map of an import', (engine) => {
  const start = services(engine);
  const make = oldDatabases('sqlite');
  const createDatabase = databases(engine);

  it('maps user columns to declared fields, and role permissions to scopes', async () => {
    const [database, old] = [await createDatabase(), await make()];
    mkdirSync(join(database.dir, 'resources'));
    writeFileSync(join(database.dir, 'resources', 'profiles.ts'), profiles);
    const ROLE_SCOPES = 'editor=profiles:read profiles:write users:read; viewer=profiles:read users:read';
    const service = await start({ database, env: { ROLES: 'editor,viewer', ROLE_SCOPES, COMPAT: 'apiato12' } });
    setClock(service);
    await old.run(change);
    const run = (more: object = {}) => runImport(service, old, { scopes: mappedScopes, map, ...more });
    const first = await run();
    assert.equal(first.decisions.length, 1, first.decisions.join('\n'));
    assert.match(first.decisions.join(), /profiles does not accept.*\[field-values\] \(users 3: shoe_size\)/);
    assert.match(first.notes.join(), /whose locale .*users 3/);
    assert.deepEqual((await run()).decisions, first.decisions);

    const logIn = async (username: string) =>
      (
        await request<{ access_token: string; scope?: string }>(service, '/oauth/token', {
          form: { grant_type: 'password', username, password, client_id: web.id, client_secret: web.secret },
        })
      ).body;
    const { access_token: ada } = await logIn('ada@example.com');
    const me = await request<{ data: { id: string; phone: string; locale: string } }>(service, '/v1/users/me', {
      token: ada,
    });
    assert.deepEqual([me.body.data.phone, me.body.data.locale], ['+4930901820', 'pt-BR']);
    const profile = async () => {
      const path = `/v1/profiles?search=user_id:${me.body.data.id}`;
      return (await request<{ data: Profile[] }>(service, path, { token: ada })).body.data;
    };
    const [own, ...others] = await profile();
    assert.deepEqual(others, []);
    const { id, user_id, object, created_at, updated_at, version, ...values } = own as Profile &
      Record<string, unknown>;
    assert.deepEqual(values, {
      birthday: '1815-12-10',
      shoe_size: 38,
      newsletter: true,
      seen_at: '2026-11-01T10:00:00.000Z',
      tags: ['a', 'b'],
    });

    await old.run('update users set shoe_size = 39 where id = 1; update users set shoe_size = 40 where id = 3');
    assert.deepEqual((await run()).decisions, []);
    assert.deepEqual(
      (await profile()).map(({ id: same, shoe_size }) => [same, shoe_size]),
      [[id, 39]],
    );
    const changed = await request(service, `/v1/profiles/${id}`, {
      method: 'PATCH',
      token: ada,
      json: { shoe_size: 41 },
    });
    assert.equal(changed.status, 200, changed.text);
    await old.run('update users set shoe_size = 42 where id = 1');
    assert.match((await run()).decisions.join(), /changed in both services.*users 1: profiles/);
    assert.equal((await profile())[0]?.shoe_size, 41);

    // Only the permissions of the role.
    const [editor, viewer] = [await logIn('alan@example.com'), await logIn('joan@example.com')];
    assert.equal(viewer.scope, 'profiles:read users:read');
    assert.equal((await introspect(service, viewer.access_token, web)).body.scope, 'profiles:read users:read');
    for (const [token, read, write] of [
      [editor.access_token, 200, 201],
      [viewer.access_token, 200, 403],
    ] as const) {
      const { body } = await request<{ data: { id: string } }>(service, '/v1/users/me?filter=id', { token });
      assert.equal((await request(service, '/v1/profiles', { token })).status, read);
      const made = await request(service, '/v1/profiles', { token, json: { user_id: body.data.id } });
      assert.equal(made.status, write, made.text);
      assert.equal((await request(service, '/v1/clients', { token, json: { name: 'x' } })).status, 403);
    }
    const roles = await request<{ data: { name: string; scopes: string[] | null }[] }>(service, '/v1/roles', {
      token: ada,
    });
    assert.deepEqual(
      roles.body.data.map(({ name, scopes }) => [name, scopes]),
      [
        ['admin', null],
        ['editor', ['profiles:read', 'profiles:write', 'users:read']],
        ['viewer', ['profiles:read', 'users:read']],
      ],
    );
    const shown = await request<{ data: { permissions: { data: { name: string }[] } } }>(
      service,
      '/v1/user/profile?include=permissions',
      { token: viewer.access_token },
    );
    assert.deepEqual(
      shown.body.data.permissions.data.map(({ name }) => name),
      ['profiles:read', 'users:read'],
    );
  });

  it('prints the required ROLE_SCOPES, and reports values that it cannot map', async () => {
    const [service, old] = [await start({ env: { ROLES: 'editor,viewer' } }), await make()];
    setClock(service);
    await old.run(change);
    const run = (permissions: object, more: object = {}) =>
      runImport(service, old, { scopes: mappedScopes, map: { permissions }, ...more });
    const asked = await run({ 'list-profiles': 'users:read' });
    assert.match(asked.decisions.join('\n'), /does not name.*\(edit-profiles\)/);
    assert.match(asked.decisions.join('\n'), /Set ROLE_SCOPES.*\(editor=users:read; viewer=users:read\)/);
    const accepted = await run({ 'list-profiles': 'users:read' }, { accept: ['role-scopes', 'permission-names'] });
    assert.deepEqual(accepted.decisions, []);
    await assert.rejects(
      run({ 'list-profiles': 'profiles:fly' }),
      /--map: "profiles:fly".*is not a scope of this service/,
    );
    const fields = (wrong: Record<string, unknown>) => runImport(service, old, { scopes: mappedScopes, map: wrong });
    await assert.rejects(fields({ fields: { mobile: 'password_hash' } }), /"mobile" must become a field of users/);
    await assert.rejects(fields({ fields: { fax: 'phone' } }), /no table of users has a column "fax"/);
    await assert.rejects(fields({ fields: { lang: 'nothing.here' } }), /no declared resource is named "nothing"/);
    await assert.rejects(fields({ columns: {} }), /Expected "fields" and "permissions"/);
  });
});
