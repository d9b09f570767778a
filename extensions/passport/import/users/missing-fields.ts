import type { UserRow } from '../../../../src/identity/accounts/user-store.ts';
import type { Pass } from '../pass.ts';
import type { UserRecord } from './user-record.ts';

const identifiers = ['email', 'username', 'phone'] as const;

/** Tells the operator what of a user did not come over. */
export function sayWhatIsMissing({ findings }: Pass, source: string, { oldId, profile, unreadable }: UserRecord): void {
  const example = `${source} ${oldId}`;
  if (identifiers.every((field) => profile[field] === null) && !unreadable.includes('email')) {
    findings.note(
      `Users of ${source} without email, username and phone: they stay signed in, under a made-up username`,
      example,
    );
  }
  for (const field of unreadable) {
    if (field === 'email') {
      findings.decide(
        'bad-email',
        'Emails that are no addresses: their users came without one. Correct them there and run again',
        example,
      );
    } else if (field === 'password') {
      findings.note(
        `Passwords of ${source} in a form that is not known here: who signs out sets a new one by mail`,
        example,
      );
    } else {
      findings.note(`Users of ${source} whose ${field} is too long or is not one here: it was left out`, example);
    }
  }
}

/** Whether all by which the user signs in came over. */
export const isWhole = ({ profile, unreadable }: UserRecord, stored: Pick<UserRow, 'email' | 'username' | 'phone'>) =>
  !unreadable.includes('email') && identifiers.every((field) => profile[field] === null || stored[field] !== null);
