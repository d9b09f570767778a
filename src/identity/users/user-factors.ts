import { Type } from 'typebox';
import { requireProof } from '../../http/gate/require-proof.ts';
import { isAdmin } from '../../platform/caller.ts';
import { notFound } from '../../platform/errors.ts';
import { type Action, action } from '../../resources/declaration/define-resource.ts';
import { role } from '../../resources/declare.ts';
import type { FactorServices } from '../factors/factor-services.ts';
import { countFactors } from '../factors/held-factor-store.ts';
import { removeFactors } from '../factors/remove-factors.ts';
import { isSelf, requireEveryScope } from './guard-user.ts';

const name = 'factors';

const Held = Type.Object({
  passkeys: Type.Integer(),
  authenticators: Type.Integer(),
  recovery_codes: Type.Integer({ description: 'The number of unused codes' }),
});

/** The second factors of a user: only their counts, never the factors themselves. */
export const userFactors = ({ context, mail, guardChange }: FactorServices): Action[] => [
  action({
    name,
    method: 'GET',
    summary: 'Show how many factors of each kind a user has',
    response: Held,
    async run({ caller, row }) {
      if (!isSelf(caller, row.id) && !isAdmin(caller)) throw notFound();
      return countFactors(context.database.db, row.id);
    },
  }),
  action({
    name,
    method: 'DELETE',
    access: role('admin'),
    summary: 'Remove all factors of a user except the password, and notify the user by email',
    async run({ row, transaction }) {
      await transaction(async ({ tx, caller, source, now }) => {
        requireEveryScope(caller);
        requireProof(caller, now);
        // The owner needs the same proof as for the removal of one factor.
        if (isSelf(caller, row.id)) await guardChange(tx, caller);
        await removeFactors({ context, mail }, tx, { userId: row.id, actorId: caller.userId, source });
      });
    },
  }),
];
