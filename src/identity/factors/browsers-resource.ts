import { recordEvent } from '../../resources/audit/record-event.ts';
import { compare, ownRows } from '../../resources/declaration/access.ts';
import { defineResource } from '../../resources/declaration/define-resource.ts';
import { reference, text, timestamp } from '../../resources/declare.ts';
import { deleteBrowser } from './remembered-browser-store.ts';

/** Browsers that do not ask for the second factor. After its deletion, a browser asks again. */
export const browsersResource = defineResource({
  name: 'browsers',
  table: 'remembered_browsers',
  singular: 'browser',
  label: 'remembered browsers',
  description: 'Browsers that skip the second factor. After you delete one, it asks for the factor again.',
  managed: false,
  mcp: false,
  fields: {
    user_id: reference('users', { required: true, readOnly: true, onDelete: 'cascade' }),
    address: text({ readOnly: true }),
    user_agent: text({ readOnly: true }),
    created_at: timestamp({ required: true, readOnly: true, sortable: true }),
    last_used_at: timestamp({ required: true, readOnly: true, sortable: true }),
    expires_at: timestamp({ required: true, readOnly: true, sortable: true }),
  },
  access: { read: ownRows, write: ownRows },
  where: (now) => compare('expires_at', '>', new Date(now).toISOString()),
  operations: ['list', 'find', 'delete'],
  defaultOrder: '-id',
  async remove({ context, tx, caller, source }, { id }) {
    await deleteBrowser(tx, id);
    await recordEvent(context, tx, { type: 'browser.forgotten', userId: caller.userId, rowId: id, source });
  },
});
