import { anyOf, belongsTo, defineResource, owner, role, t, unprocessable } from 'gatehouse-server/resources';

/** A name of two words, row-level rules, a hook that writes another resource, events and changes. */
export default defineResource({
  name: 'pet-visits',
  fields: {
    user_id: t.reference('users', { required: true, default: ({ caller }) => caller.userId, immutable: true }),
    owner_id: t.reference('owners'),
    reason: t.text({ required: true, max: 40, searchable: true }),
    due_at: t.timestamp({ searchable: true }),
    state: t.oneOf(['open', 'closed'], { default: 'open', searchable: true }),
    price: t.integer({ readOnly: true }),
    note: t.text({ hidden: true }),
  },
  relations: { owner: belongsTo('owners', { by: 'owner_id' }) },
  access: { read: 'auth:api', write: anyOf(role('vet'), owner('user_id')) },
  events: true,
  changes: true,
  hooks: {
    async afterWrite(call, { operation, after }) {
      if (operation === 'delete' || !after) return;
      if (after.reason === 'bill') {
        await call
          .resource('bills', { as: 'service' })
          .create({ title: `For ${after.reason}`, visit_id: after.id, amount: 5 });
      }
      if (after.reason === 'bad bill') await call.resource('bills', { as: 'caller' }).create({ title: '' });
      if (after.reason === 'caught') {
        const bills = call.resource('bills', { as: 'service' });
        await bills.create({ title: 'kept', amount: 1 });
        await bills.create({ title: 'refuse me', amount: 1 }).catch(() => undefined);
      }
      if (after.reason === 'round') await call.resource('pet-visits', { as: 'service' }).create({ ...seed(after) });
      if (after.reason === 'nobody says') await (call.resource as (name: string) => unknown)('bills');
      if (after.reason === 'refuse') throw unprocessable([{ field: 'reason', code: 'no', message: 'No.' }]);
    },
  },
});

const seed = ({ reason, user_id }: { reason: string; user_id: string }) => ({ reason, user_id });
