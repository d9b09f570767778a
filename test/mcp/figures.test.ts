import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onBothEngines } from '../harness/engines.ts';
import { connectAssistant } from '../harness/mcp-client.ts';
import { password, registerUser } from '../harness/people.ts';
import { services } from '../harness/service.ts';
import { Visitor } from '../harness/visitor.ts';

const resources = new URL('./kept', import.meta.url).pathname;

onBothEngines('An assistant', (engine) => {
  const start = services(engine);

  it('aggregates, searches through relations, and restores a deleted row', async () => {
    const service = await start({ env: { RESOURCES_DIR: resources, DYNAMIC_CLIENTS: 'open' } });
    const { email } = await registerUser(service);
    const visitor = new Visitor(service);
    await visitor.signIn(email, password);
    const { client } = await connectAssistant(service, visitor);
    const call = async (name: string, given: Record<string, unknown>) => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: given });
      const [text] = content as { text: string }[];
      assert.ok(isError !== true, String(text?.text));
      return structuredContent as { data: { id: string; title?: string } & unknown[]; total?: number };
    };
    const refusal = async (name: string, given: Record<string, unknown>) => {
      const { content, isError } = await client.callTool({ name, arguments: given });
      assert.ok(isError);
      return (content as { text: string }[])[0]?.text ?? '';
    };

    const label = (await call('create', { resource: 'labels', values: { name: 'Blue Note' } })).data.id;
    const made: string[] = [];
    for (const [title, genre, price] of [
      ['Moanin', 'jazz', '9.90'],
      ['Maiden Voyage', 'jazz', '0.20'],
      ['Loud', 'rock', '5'],
    ]) {
      const values = { title, genre, price, label_id: genre === 'jazz' ? label : null };
      made.push((await call('create', { resource: 'albums', values })).data.id);
    }
    const figures = { resource: 'albums', aggregate: 'count,sum:price', groupBy: 'genre' };
    assert.deepEqual(await call('list', figures), {
      data: [
        { genre: 'jazz', count: 2, sum: { price: '10.10' } },
        { genre: 'rock', count: 1, sum: { price: '5.00' } },
      ],
      next_cursor: null,
      total: 2,
    });
    const found = await call('list', {
      resource: 'albums',
      search: 'label.name:blue*',
      orderBy: 'label.name;title',
      filter: 'title',
    });
    assert.deepEqual(found.data, [{ title: 'Maiden Voyage' }, { title: 'Moanin' }]);
    for (const asked of [{ search: 'secret.word:a*' }, { orderBy: 'secret.word' }, { search: 'title|secret.word:a' }]) {
      assert.match(await refusal('list', { resource: 'albums', ...asked }), /there is no relation \\"secret\\" here/);
    }

    const [id] = made;
    await call('delete', { resource: 'albums', id });
    assert.deepEqual((await call('list', { resource: 'albums', aggregate: 'count' })).data, [{ count: 2 }]);
    const deleted = await call('list', { resource: 'albums', deleted: 'only', filter: 'title' });
    assert.deepEqual(deleted.data, [{ title: 'Moanin' }]);
    const restored = await call('restore', { resource: 'albums', id });
    assert.equal(restored.data.title, 'Moanin');
    assert.match(await refusal('restore', { resource: 'labels', id: label }), /resource/);
  });
});
