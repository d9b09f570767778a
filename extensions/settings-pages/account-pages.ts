import { Readable } from 'node:stream';
import { message } from '../../src/config/languages/message.ts';
import { requestSource } from '../../src/http/request-source.ts';
import { findTimeZone } from '../../src/identity/accounts/user-store.ts';
import type { Page, PageKit, PageRequest } from '../../src/pages/kit/page-request.ts';
import type { ApiResponse } from '../../src/pages/session/call-api.ts';
import { userIdOf } from '../../src/platform/caller.ts';
import { recordEvent } from '../../src/resources/audit/record-event.ts';
import { formErrors, hasOwnPassword, requireOk, showSettings } from './settings-shell.ts';
import { eventsOfUserAfter } from './settings-store.ts';

/** So few that rows of hundreds of KB are within the limit of a list. */
const pageSize = 20;
/** The limit of pages per list: far above the rows of any user, so that an export always ends. */
const maxPages = 5000;

type Row = Readonly<Record<string, unknown>>;

interface Described {
  readonly name: string;
  readonly path: string;
  readonly operations: readonly string[];
  readonly fields: Readonly<Record<string, { readonly references?: string; readonly searchable: boolean }>>;
}

/** Lists that the export handles separately, or that contain no personal data. */
const excludedLists = new Set(['users', 'clients', 'tokens', 'consents', 'events', 'roles', 'queued-jobs']);

/** RATE_LIMIT counts the export as one request. Otherwise it could end the export in the middle. */
const read = <T>(pageRequest: PageRequest, path: string) =>
  pageRequest.callAsUser<T>('GET', path, undefined, { uncounted: true });

/**
 * All data about the user as one JSON document, written in pieces: everything that the user may read by the API, and
 * the user's events in the audit trail. It contains no credentials: the values of tokens and secrets are not stored.
 */
async function* ownData(pageRequest: PageRequest): AsyncGenerator<string> {
  const id = userIdOf(pageRequest.caller);
  const { db } = pageRequest.kit.database;
  const head = {
    service: pageRequest.kit.config.baseUrl,
    exported_at: new Date(pageRequest.kit.now()).toISOString(),
    profile: await requireOk(read<object>(pageRequest, '/v1/users/me')),
    time_zone: (await findTimeZone(db, id)) ?? null,
  };
  yield JSON.stringify(head, null, 2).slice(0, -2);
  const parts: [string, AsyncIterable<unknown>][] = [
    ['sessions', rowsOf(pageRequest, '/v1/tokens', `type:session;user_id:${id}`)],
    ['access_tokens', rowsOf(pageRequest, '/v1/tokens', `type:personal;user_id:${id}`)],
    ['applications', rowsOf(pageRequest, '/v1/clients', `user_id:${id}`)],
    ['connected_applications', rowsOf(pageRequest, '/v1/consents', `user_id:${id}`)],
    ['events', eventsOf(pageRequest.kit, id)],
  ];
  for (const { name, path, fields } of await resourcesAboutUsers(pageRequest)) {
    const naming = Object.keys(fields).filter((field) => fields[field]?.references === 'users');
    const rows = naming.every((field) => fields[field]?.searchable)
      ? rowsOf(pageRequest, path, naming.map((field) => `${field}:${id}`).join(';'), 'or')
      : rowsOf(pageRequest, path);
    parts.push([name, rowsNaming(id, naming, rows)]);
  }
  for (const [name, rows] of parts) yield* written(name, rows);
  yield '\n}\n';
}

async function* written(name: string, rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `,\n  ${JSON.stringify(name)}: [`;
  let first = true;
  for await (const row of rows) {
    yield `${first ? '' : ','}\n    ${JSON.stringify(row)}`;
    first = false;
  }
  yield first ? ']' : '\n  ]';
}

async function resourcesAboutUsers(pageRequest: PageRequest): Promise<Described[]> {
  const described = await requireOk(read<Described[]>(pageRequest, '/v1/resources'));
  return described.filter(
    ({ name, operations, fields }) =>
      !excludedLists.has(name) &&
      operations.includes('list') &&
      Object.values(fields).some(({ references }) => references === 'users'),
  );
}

async function* rowsNaming(id: string, fields: readonly string[], rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  for await (const row of rows) if (fields.some((field) => row[field] === id)) yield row;
}

/** The export contains only rows that the user may read. */
async function* rowsOf(pageRequest: PageRequest, path: string, search?: string, searchJoin = 'and') {
  let cursor: string | undefined = '';
  for (let page = 1; page <= maxPages && cursor !== undefined; page++) {
    const query = new URLSearchParams({ limit: String(pageSize), cursor, ...(search ? { search, searchJoin } : {}) });
    const response: ApiResponse<Row[]> = await read<Row[]>(pageRequest, `${path}?${query}`);
    if (response.status === 403) return;
    yield* await requireOk(Promise.resolve(response));
    cursor = response.nextCursor;
  }
}

async function* eventsOf({ database }: PageKit, userId: string): AsyncGenerator<object> {
  let last = '';
  for (;;) {
    const events = await eventsOfUserAfter(database.db, userId, last, pageSize);
    for (const { id, data, created_at, user_id, ...event } of events) {
      last = id;
      // Actions of an administrator on other users belong to those users, so their data is omitted.
      const eventData = user_id === userId ? { data: JSON.parse(data) } : {};
      yield { id, ...event, user_id, ...eventData, created_at: new Date(created_at).toISOString() };
    }
    if (events.length < pageSize) return;
  }
}

export const showAccount = async (pageRequest: PageRequest, variables: object = {}) =>
  showSettings(pageRequest, 'account', 'settings/account', {
    title: message('account.title'),
    has_password: await hasOwnPassword(pageRequest),
    ...variables,
  });

/** Records the event first, so that the audit trail and the export itself contain it. */
export async function sendOwnData(pageRequest: PageRequest): Page {
  const { userId, sessionId } = pageRequest.caller;
  const { oauth, database } = pageRequest.kit;
  const source = requestSource(pageRequest.request);
  await recordEvent(oauth.context, database.db, { type: 'user.exported', userId, sessionId, source });
  const day = new Date(pageRequest.kit.now()).toISOString().slice(0, 10);
  return pageRequest.reply
    .type('application/json; charset=utf-8')
    .header('content-disposition', `attachment; filename="my-data-${day}.json"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(ownData(pageRequest)));
}

/** The API requires the password or a recent proof, and a token with all scopes. */
export async function deleteAccount(pageRequest: PageRequest): Page {
  const body = pageRequest.form('current_password');
  const response = await pageRequest.callAsUser('DELETE', `/v1/users/${pageRequest.caller.userId}`, body);
  if (!response.ok) return showAccount(pageRequest.statusOf(response), formErrors(response, ['current_password']));
  pageRequest.kit.cookies.clearSession(pageRequest.reply);
  return pageRequest.redirect('/account-deleted');
}

export const showDeleted = (pageRequest: PageRequest): Page =>
  pageRequest.show('message', { title: message('account.deleted'), lines: [message('account.deleted_about')] });
