import type { UserRow } from '../../../../src/identity/accounts/user-store.ts';
import type { Pass } from '../pass.ts';
import type { UserRecord } from './user-record.ts';

const identifiers = ['email', 'username', 'phone'] as const;

/** Reports the data of a user that was not imported. */
export function reportMissingFields({ findings }: Pass, source: string, { oldId, profile, unreadable }: UserRecord) {
  const example = `${source} ${oldId}`;
  if (identifiers.every((field) => profile[field] === null) && !unreadable.includes('email')) {
    findings.addNote(
      `Users of ${source} without email, username and phone: they stay signed in, with a generated username`,
      example,
    );
  }
  for (const field of unreadable) {
    if (field === 'email') {
      findings.decide(
        'bad-email',
        'Invalid email addresses: their users were imported without an email. Correct them in the old service and run the command again',
        example,
      );
    } else if (field === 'password') {
      findings.addNote(
        `Passwords of ${source} with an unknown hash: after signing out, these users set a new password by email`,
        example,
      );
    } else {
      findings.addNote(`Users of ${source} whose ${field} is too long or invalid: it was omitted`, example);
    }
  }
}

/** Whether all identifiers of the user were imported. */
export const hasAllIdentifiers = (
  { profile, unreadable }: UserRecord,
  stored: Pick<UserRow, 'email' | 'username' | 'phone'>,
) => !unreadable.includes('email') && identifiers.every((field) => profile[field] === null || stored[field] !== null);
