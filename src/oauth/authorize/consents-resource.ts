import { lockForRevocation } from '../../database/locks/revocation-locks.ts';
import { recordEvent } from '../../resources/audit/record-event.ts';
import { anyOf, ownRows, role } from '../../resources/declaration/access.ts';
import { defineResource } from '../../resources/declaration/define-resource.ts';
import { belongsTo } from '../../resources/declaration/relations.ts';
import { list, reference, text, timestamp } from '../../resources/declare.ts';
import { endSessions } from '../sessions/end-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { deleteUnusedCodes } from './code-store.ts';
import { deleteConsent } from './consent-store.ts';

/** Consents of users to applications. The consent page creates them. This resource lets users list and withdraw them. */
export const consentsResource = (sessions: Sessions) =>
  defineResource({
    name: 'consents',
    description:
      'The consent of a user to an application. Deleting it ends all sessions of the application with the user.',
    managed: false,
    // Applications must not decide on consents.
    mcp: false,
    fields: {
      user_id: reference('users', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
      client_id: reference('clients', { required: true, readOnly: true, searchable: true, onDelete: 'cascade' }),
      client_name: text({
        readOnly: true,
        searchable: true,
        sortable: true,
        description: 'The name of the application at the time of the last consent',
      }),
      scopes: list({
        required: true,
        readOnly: true,
        searchable: true,
        description: 'The scopes that the user allowed',
      }),
      asked: list({
        required: true,
        readOnly: true,
        description: 'The scopes that the application requested, allowed or not',
      }),
      created_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
      updated_at: timestamp({ required: true, readOnly: true, searchable: true, sortable: true }),
    },
    relations: { user: belongsTo('users', { by: 'user_id' }), client: belongsTo('clients', { by: 'client_id' }) },
    access: { read: anyOf(role('admin'), ownRows), write: 'nobody', delete: anyOf(role('admin'), ownRows) },
    changes: true,
    operations: ['list', 'find', 'delete'],
    defaultOrder: '-id',
    /** Each step waits for a concurrent redemption. The last step finds the session that this redemption opened. */
    async remove({ context, tx, invalidate, caller, source }, consent) {
      const parties = { userId: consent.user_id, clientId: consent.client_id };
      // A redemption locks the user first, too.
      await lockForRevocation(tx, [consent.user_id]);
      await deleteConsent(tx, consent.id);
      await deleteUnusedCodes(tx, parties);
      const sessionsEnded = await endSessions(sessions, tx, invalidate, parties, 'consent_withdrawn');
      const actorId = caller.userId === parties.userId ? null : caller.userId;
      const data = { scopes: consent.scopes, sessions_ended: sessionsEnded };
      await recordEvent(context, tx, { type: 'consent.withdrawn', ...parties, actorId, source, data });
    },
  });
