import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startTestService, type TestService } from 'gatehouse-server/testing';
import type { Resources } from '../gatehouse-types.d.ts';

let service: TestService<Resources>;
before(async () => {
  service = await startTestService<Resources>();
});
after(() => service.stop());

it('keeps books, and finds them', async () => {
  const { client } = await service.user();
  const books = client.resource('books');
  const { data: made } = await books.create({ title: 'The Analytical Engine', pages: 66 });
  const { data } = await books.list({ search: { title: { contains: 'engine' } } });
  assert.deepEqual(data, [made]);
});

it('shows books to everybody, and lets nobody write without a token', async () => {
  const { id } = await service.make('books');
  const accept = { accept: 'application/json' };
  assert.equal((await fetch(`${service.url}/v1/books/${id}`, { headers: accept })).status, 200);
  assert.equal((await fetch(`${service.url}/v1/books`, { method: 'POST', headers: accept })).status, 401);
});
