import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { logIn, request } from '../harness/request.ts';
import { services } from '../harness/service.ts';

const resources = new URL('./kept', import.meta.url).pathname;

interface Change {
  readonly operation: string;
  readonly before: { readonly name: string } | null;
  readonly after: { readonly name: string } | null;
}

onBothEngines('Changes of resources that keep deleted rows', (engine) => {
  const start = services(engine);

  it('show a deletion as deleted, and a restoration as created', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources } });
    const token = await logIn(service, 'admin@example.com', 'correct horse battery');
    const list = await request<{ meta: { changes_position: string } }>(service, '/v1/folders', { token });
    const made = await request<{ data: { id: string } }>(service, '/v1/folders', { json: { name: 'a' }, token });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/folders/${made.body.data.id}`;
    for (const [method, at] of [
      ['DELETE', path],
      ['POST', `${path}/restorations`],
      ['DELETE', path],
      ['DELETE', `${path}?deleted=only`],
    ] as const) {
      const done = await request(service, at, { method, token });
      assert.ok(done.status < 300, done.text);
    }
    for (const search of ['', '&search=name:a']) {
      const after = `after=${list.body.meta.changes_position}`;
      const changes = await request<{ data: Change[] }>(service, `/v1/changes?resources=folders&${after}${search}`, {
        token,
      });
      assert.deepEqual(
        changes.body.data.map(({ operation, before, after: now }) => [operation, before?.name, now?.name]),
        [
          ['created', undefined, 'a'],
          ['deleted', 'a', undefined],
          ['created', undefined, 'a'],
          ['deleted', 'a', undefined],
        ],
        changes.text,
      );
    }
    const through = await request(service, '/v1/changes?resources=folders&search=user.name:a', { token });
    assert.equal(through.status, 400, through.text);
  });
});
