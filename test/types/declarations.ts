/**
 * The mistakes that an editor marks in a declaration: each line after `@ts-expect-error` is wrong, and the compiler
 * reports it. The type check compiles this file with the sources, and the test of the package with the packed types.
 */
import {
  all,
  allOf,
  anyOf,
  belongsTo,
  boolean,
  compare,
  computed,
  defineResource,
  equals,
  hasMany,
  type InputFor,
  integer,
  isNull,
  list,
  listsNames,
  oneOf,
  owner,
  type RowOf,
  reference,
  related,
  role,
  Type,
  text,
} from 'gatehouse-server/resources';

const access = { read: 'public', write: 'auth:api' } as const;

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(): T | undefined => undefined;

// Options of fields.
text({ required: true, max: 12, pattern: /^[A-Z]/, default: ({ caller }) => caller.userId });
oneOf(['a', 'b'], { default: 'a' });
// @ts-expect-error
text({ required: true, serchable: true });
// @ts-expect-error
integer({ mim: 1 });
// @ts-expect-error
boolean({ default: 'yes' });
// @ts-expect-error
oneOf(['a', 'b'], { default: 'c' });
// @ts-expect-error
reference('owners', { onDelete: 'casade' });
// @ts-expect-error
reference('owners', { required: true, ondelete: 'cascade' });
// @ts-expect-error
list({ values: ['a'], maxitem: 3 });
// @ts-expect-error
computed({ as: 'text', from: ['title'], nulable: true }, () => '');
// @ts-expect-error
computed({ as: 'text', from: ['title'] }, ({ titel }) => titel);

const fields = {
  title: text({ required: true, sortable: true }),
  pages: integer({ sortable: false }),
  kind: oneOf(['novel', 'essay'], { default: 'novel' }),
  tags: list(),
  code: text({ virtual: true, writeOnly: true }),
  secret: text({ hidden: true }),
  user_id: reference('users', { default: ({ caller }) => caller.userId }),
  short: computed({ as: 'boolean', from: ['pages'] }, ({ pages }) => pages < 100),
};

const books = defineResource({
  name: 'books',
  fields,
  relations: {
    user: belongsTo('users', { by: 'user_id' }),
    reviews: hasMany('reviews', { by: 'book_id' }),
    tag_details: listsNames('tags', { list: 'tags', key: 'name' }),
  },
  uniqueTogether: [['title', 'user_id']],
  defaultOrder: '-created_at',
  where: () => isNull('secret'),
  access: {
    read: anyOf(role('admin'), owner('user_id'), (caller) => caller.userId !== null && equals('kind', 'essay')),
    write: allOf(owner('user_id'), () => all(compare('pages', '<', 5), related('user', equals('name', 'x')))),
    delete: 'nobody',
  },
  hooks: {
    prepare(_call, { values }) {
      const code: string | null | undefined = values.code;
      return code ? { secret: code } : undefined;
    },
    beforeWrite(call, { values, before }) {
      const title: string | undefined = before?.title;
      const short: boolean | undefined = before?.short;
      const made: string | undefined = before?.created_at;
      values.title = `${title} ${short} ${made} ${call.caller.userId}`;
      // @ts-expect-error
      values.titel = 'x';
      // @ts-expect-error
      values.pages = 'many';
      // @ts-expect-error
      before?.titel;
      // @ts-expect-error
      before?.code;
    },
  },
  actions: [
    {
      name: 'lend',
      summary: 'Lend a book',
      access: owner('user_id'),
      body: Type.Object({ to: Type.String() }),
      run({ row, body, change }) {
        const to: string = body.to;
        const kind: 'novel' | 'essay' = row.kind;
        // @ts-expect-error
        row.titel;
        // @ts-expect-error
        body.form;
        // @ts-expect-error
        change({ titel: kind });
        // @ts-expect-error
        change({ kind: 'poem' });
        return change({ title: to, secret: kind });
      },
    },
    {
      name: 'count',
      method: 'GET',
      on: 'collection',
      summary: 'Count the books',
      access: role('admin'),
      run: async ({ db, ...rest }) => {
        // @ts-expect-error
        rest.row;
        await db.selectFrom('books').select(['id', 'title']).where('pages', '>', 5).execute();
        // @ts-expect-error
        await db.selectFrom('users').select('emial').execute();
        return db.selectFrom('users').select('id').execute();
      },
    },
  ],
  events: true,
});

holds<Same<RowOf<typeof books>['kind'], 'novel' | 'essay'>>();
holds<Same<RowOf<typeof books>['pages'], number | null>>();
holds<Same<RowOf<typeof books>['short'], boolean>>();
holds<Same<InputFor<typeof books>['title'], string>>();
// @ts-expect-error
holds<Same<RowOf<typeof books>['pages'], string>>();

// Options of the resource and its parts.
// @ts-expect-error
defineResource({ name: 'a', fields, access, uniqeTogether: [] });
// @ts-expect-error
defineResource({ name: 'a', fields });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: 'public', write: 'auth:api', delet: 'nobody' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: 'everybody', write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: 'public', write: 'public' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: 'public' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access, operations: ['list', 'remove'] });
// @ts-expect-error
defineResource({ name: 'a', fields, access, hooks: { beforeWrit() {} } });
// @ts-expect-error
defineResource({ name: 'a', fields, access, actions: [{ name: 'b', sumary: 'B', summary: 'B', run: () => 1 }] });
// @ts-expect-error
defineResource({ name: 'a', fields, access, actions: [{ name: 'b', summary: 'B', method: 'PSOT', run: () => 1 }] });
// @ts-expect-error
defineResource({ name: 'a', fields, access, actions: [{ name: 'b', summary: 'B', access: 'reed', run: () => 1 }] });

// Names of fields and relations.
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: owner('userid'), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: anyOf(role('admin'), owner('userid')), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: () => equals('titel', 'x'), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: () => all(equals('titel', 'x'), true), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: () => equals('short', true), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access: { read: () => related('usr', equals('name', 'x')), write: 'auth:api' } });
// @ts-expect-error
defineResource({ name: 'a', fields, access, where: () => isNull('secrt') });
// @ts-expect-error
defineResource({ name: 'a', fields, access, uniqueTogether: [['title', 'userid']] });
// @ts-expect-error
defineResource({ name: 'a', fields, access, defaultOrder: '-titel' });
// @ts-expect-error
defineResource({ name: 'a', fields, access, defaultOrder: 'pages' });
// @ts-expect-error
defineResource({ name: 'a', fields, access, relations: { user: belongsTo('users', { by: 'userid' }) } });
// @ts-expect-error
defineResource({ name: 'a', fields, access, relations: { user: belongsTo('users', { buy: 'user_id' }) } });
// @ts-expect-error
defineResource({ name: 'a', fields, access, relations: { tags: listsNames('tags', { list: 'tag', key: 'name' }) } });
defineResource({
  name: 'a',
  // @ts-expect-error
  fields: { title: text(), label: computed({ as: 'text', from: ['titel'] }, ({ titel }) => String(titel)) },
  access,
});
