import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignedOutError } from './errors.ts';
import { fakeService, problem, tokens } from './fake-service.ts';
import { createGatehouse } from './gatehouse.ts';
import { memoryStore } from './login.ts';

/** As `gatehouse types` writes it. */
interface Resources {
  books: {
    row: {
      id: string;
      title: string;
      pages: number | null;
      genre: 'novel' | 'poem';
      author_id: string;
      tags: string[];
    };
    input: { title: string; pages?: number | null; genre?: 'novel' | 'poem'; author_id: string; tags?: string[] };
    replacement: { title: string; pages?: number | null; genre?: 'novel' | 'poem'; author_id: string };
    created: unknown & object;
    search: 'id' | 'title' | 'genre' | 'tags';
    order: 'id' | 'title';
    aggregates: { sum: 'pages'; range: 'pages'; group: 'genre' | 'author_id' };
    softDelete: true;
    relations: { author: { resource: 'authors'; many: false; by: 'author_id' } };
    actions:
      | { name: 'lend'; method: 'POST'; on: 'row'; body: { to: string }; result: { due: string } }
      | { name: 'loan'; method: 'GET'; on: 'row'; body: undefined; result: { to: string } }
      | { name: 'stamps'; method: 'POST'; on: 'row'; body: { at?: string } | null; result: unknown }
      | { name: 'seals'; method: 'DELETE'; on: 'row'; body: { current_password?: string }; result: undefined }
      | { name: 'count'; method: 'POST'; on: 'collection'; body: undefined; result: number };
  };
  authors: {
    row: { id: string; name: string };
    input: { name: string };
    replacement: { name: string };
    created: { secret: string };
    search: 'id' | 'name';
    order: 'id' | 'name';
    aggregates: { sum: never; range: never; group: 'name' };
    softDelete: false;
    relations: { books: { resource: 'books'; many: true; by: 'author_id' } };
    actions: never;
  };
}

const row = { id: '1', title: 'Notes', pages: null, genre: 'novel', author_id: '2', tags: [] };

test('rows, fields, relations and actions are checked by the compiler, and sent as they are named', async () => {
  const { url, seen } = await fakeService(({ path }) => {
    if (/\/(lend|loan|count|stamps|seals)$/.test(path)) return { body: { data: { due: 'soon', to: 'Ada' } } };
    const data = { ...row, author: { data: { id: '2', name: 'Ada', books: { data: [row] } } } };
    const single = path.startsWith('/v1/books/') || path === '/v1/books';
    return { body: { data: single ? data : [data], meta: { pagination: { count: 1, per_page: 20, links: {} } } } };
  });
  const books = createGatehouse<Resources>({ baseUrl: url, accessToken: 't' }).resource('books');
  const authors = createGatehouse<Resources>({ baseUrl: url, accessToken: 't' }).resource('authors');

  const { data } = await books.list({
    search: { title: { contains: 'o' }, genre: ['novel', 'poem'], tags: 'old' },
    orderBy: 'title',
    filter: ['id', 'title', 'author_id'],
    include: ['author', 'author.books'],
  });
  const first = data[0];
  assert.ok(first);
  const title: string = first.title;
  const name: string | undefined = first.author.data?.name;
  const genre: 'novel' | 'poem' | undefined = first.author.data?.books.data[0]?.genre;
  assert.deepEqual([title, name, genre], ['Notes', 'Ada', 'novel']);
  assert.match(decodeURIComponent(seen[0]?.path ?? ''), /filter=id;title;author_id&include=author,author\.books/);

  const { data: whole } = await books.get('1');
  const pages: number | null = whole.pages;
  assert.equal(pages, null);
  const lent: { due: string } = await books.act('1', 'lend', { to: 'Ada' });
  const loan: { to: string } = await books.act('1', 'loan', undefined, { method: 'GET' });
  await books.actOnAll('count');
  await books.act('1', 'stamps');
  await books.act('1', 'stamps', { at: 'noon' });
  await books.act('1', 'seals', undefined, { method: 'DELETE' });
  assert.deepEqual([lent.due, loan.to], ['soon', 'Ada']);
  assert.deepEqual(
    seen.slice(2).map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/v1/books/1/lend', { to: 'Ada' }],
      ['GET', '/v1/books/1/loan', undefined],
      ['POST', '/v1/books/count', {}],
      ['POST', '/v1/books/1/stamps', {}],
      ['POST', '/v1/books/1/stamps', { at: 'noon' }],
      ['DELETE', '/v1/books/1/seals', {}],
    ],
  );
  await authors.of('2', 'books').create({ title: 'Notes' });

  await books.list({
    search: { 'author.name': { startsWith: 'A' } },
    orderBy: ['author.name', 'title'],
    deleted: 'only',
  });
  await authors.list({ search: { 'books.title': 'Notes', 'books.author.name': 'Ada' } });
  const { data: groups } = await books.aggregate({
    aggregate: ['count', 'sum:pages', 'max:pages'],
    groupBy: ['genre'],
    search: { 'author.name': 'Ada' },
    orderBy: 'sum:pages',
  });
  const typed = (group: (typeof groups)[number]) => {
    const kind: 'novel' | 'poem' = group.genre;
    const figures: [number, number | null, number | null] = [group.count, group.sum.pages, group.max.pages];
    // @ts-expect-error a member that was not requested
    group.avg;
    return [kind, figures];
  };
  assert.ok(typed);
  const { data: again } = await books.restore('1', { body: { current_password: 'x' } });
  const titleAgain: string = again.title;
  assert.ok(titleAgain);
  await books.delete('1', { forGood: true });
  assert.deepEqual(
    seen.slice(-5).map(({ method, path }) => [method, decodeURIComponent(path)]),
    [
      ['GET', '/v1/books?search=author.name:A*&orderBy=author.name;title&deleted=only'],
      ['GET', '/v1/authors?search=books.title:Notes;books.author.name:Ada&searchJoin=and'],
      ['GET', '/v1/books?search=author.name:Ada&orderBy=sum:pages&aggregate=count,sum:pages,max:pages&groupBy=genre'],
      ['POST', '/v1/books/1/restorations'],
      ['DELETE', '/v1/books/1?deleted=only'],
    ],
  );

  // Each of these is wrong; the compiler says so. Nothing is sent.
  const wrong = async () => {
    // @ts-expect-error an undeclared resource
    createGatehouse<Resources>().resource('boks');
    // @ts-expect-error an undeclared field
    first.titel;
    // @ts-expect-error a field that `filter` left out
    first.pages;
    // @ts-expect-error a relation that was not included
    whole.author;
    // @ts-expect-error an unknown parameter
    await books.list({ limt: 5 });
    // @ts-expect-error a field that cannot be searched
    await books.list({ search: { pages: 1 } });
    // @ts-expect-error an undeclared value
    await books.list({ search: { genre: 'drama' } });
    // @ts-expect-error a field that cannot be sorted by
    await books.list({ orderBy: 'pages' });
    // @ts-expect-error a field of a related row that cannot be searched
    await books.list({ search: { 'author.secret': 1 } });
    // @ts-expect-error a relation that leads to many rows
    await authors.list({ orderBy: 'books.title' });
    // @ts-expect-error a field that cannot be added up
    await books.aggregate({ aggregate: ['sum:title'] });
    // @ts-expect-error a field that rows cannot be grouped by
    await books.aggregate({ aggregate: ['count'], groupBy: ['title'] });
    // @ts-expect-error a resource that keeps no deleted rows
    await authors.restore('2');
    // @ts-expect-error an unknown relation
    await books.list({ include: ['auther'] });
    // @ts-expect-error an unknown relation of a relation
    await books.get('1', { include: ['author.boks'] });
    // @ts-expect-error an unknown field
    await books.get('1', { filter: ['titel'] });
    // @ts-expect-error what is required must be sent
    await books.create({ title: 'Notes' });
    // @ts-expect-error an undeclared field
    await books.patch('1', { titel: 'Notes' });
    // @ts-expect-error an action that is not there
    await books.act('1', 'burn');
    // @ts-expect-error an action without its body
    await books.act('1', 'lend');
    // @ts-expect-error a relation that leads to one row
    books.of('1', 'author');
  };
  assert.ok(wrong);
});

test('nobody needs to log in for what is public', async () => {
  const { url, seen } = await fakeService(({ path, headers }) => {
    if (path.endsWith('/refresh')) return { status: 400, body: { error: 'invalid_grant' } };
    if (path.endsWith('/login')) return tokens(1);
    if (path === '/v1/books' || headers.authorization) {
      return { body: { data: [row], meta: { pagination: { count: 1, per_page: 20, links: {} } } } };
    }
    return problem(401, 'token_missing');
  });
  const client = createGatehouse<Resources>({ baseUrl: url });
  assert.equal((await client.resource('books').list()).data[0]?.title, 'Notes');
  assert.equal((await client.resource('books').list()).data.length, 1);
  assert.deepEqual(
    seen.map(({ path }) => path),
    ['/v1/clients/web/admin/refresh', '/v1/books', '/v1/books'],
    'one look for a login is enough',
  );
  await assert.rejects(client.resource('authors').list(), SignedOutError);
  await client.login({ email: 'a@example.com', password: 'pw' });
  assert.equal((await client.resource('authors').list()).data.length, 1);

  const before = seen.length;
  const mobile = createGatehouse({ baseUrl: url, refreshTokens: memoryStore() });
  await mobile.resource('books').list();
  assert.equal(seen.length, before + 1, 'an empty store needs no call');
});
