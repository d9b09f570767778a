import type { Pass } from './pass.ts';
import type { UserRecord } from './user-record.ts';

/** Tells the operator what of a user did not come over. */
export function sayWhatIsMissing({ findings }: Pass, source: string, { oldId, profile, unreadable }: UserRecord): void {
  if (profile.email === null && profile.username === null && profile.phone === null && !unreadable.includes('email')) {
    findings.note(
      `Users of ${source} without email, username and phone: they stay signed in, under a made-up username`,
    );
  }
  for (const field of unreadable) {
    if (field === 'email') {
      findings.decide(
        'Emails that are no addresses: their users came without one; mend them there and run again',
        `${source} ${oldId}`,
      );
    } else if (field === 'password') {
      findings.note(`Passwords of ${source} in a form that is not known here: who signs out sets a new one by mail`);
    } else findings.note(`Users of ${source} whose ${field} is not one here: it was left out`);
  }
}
