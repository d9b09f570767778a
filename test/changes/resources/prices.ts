import { anyOf, compare, decimal, defineResource, role } from '../../../src/resources/declare.ts';

/** Prices of 5.00 and 7.00 are secret. */
export default defineResource({
  name: 'prices',
  fields: { amount: decimal({ precision: 10, scale: 2, required: true }) },
  access: {
    read: anyOf(role('admin'), () => ({
      kind: 'all',
      of: [compare('amount', '!=', '5.00'), compare('amount', '!=', '7.00')],
    })),
    write: 'auth:api',
  },
  changes: true,
});
