import type { Passwords } from './passwords.ts';

/** For `/health/ready`. A storm from one network does not fill the queue for others, and does not show here. */
export const queueCheck = ({ hasRoom }: Pick<Passwords, 'hasRoom'>) => ({
  name: 'queue',
  async check() {
    if (!hasRoom()) throw new Error('the queue of passwords is full');
  },
});
