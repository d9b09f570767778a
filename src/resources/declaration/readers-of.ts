import { anonymousCaller, type Caller } from '../../platform/caller.ts';
import { type Access, decide } from './access.ts';

type Rows = 'none' | 'some' | 'all';

/** The readers of rows: a user without a role, and a user with each single role. */
export interface Readers {
  readonly everyone: Rows;
  readonly roles: Readonly<Record<string, Rows>>;
}

const someId = '0199d0a0-7c00-7000-8000-000000000001';

/** Calls the rule for users with each role, because a rule is a function. */
export function readersOf(read: Access, roles: readonly string[], now: number): Readers {
  const ask = (...held: string[]): Rows => {
    const proof = { time: now, amr: ['pwd', 'hwk'], acr: 'phr', freshFor: 0, renewable: true } as const;
    const ids = { userId: someId, clientId: someId, sessionId: someId };
    const user: Caller = { ...anonymousCaller, ...ids, kind: 'user', roles: held, scopes: ['*'], proof };
    try {
      const answer = decide(read, user, now);
      return answer === true ? 'all' : answer === false ? 'none' : 'some';
    } catch {
      return 'none';
    }
  };
  return { everyone: ask(), roles: Object.fromEntries(roles.map((role) => [role, ask(role)])) };
}
