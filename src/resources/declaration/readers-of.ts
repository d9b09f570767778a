import { type Access, evaluateAccess } from './access.ts';
import { probeUser } from './check-rules.ts';

type Rows = 'none' | 'some' | 'all';

/**
 * The readers of rows: a user without a role, and a user with each single role. It evaluates the rule for each of them, because a rule is a
 * function.
 */
export function readersOf(read: Access, roles: readonly string[], now: number) {
  const rowsFor = (...held: string[]): Rows => {
    try {
      const response = evaluateAccess(read, { ...probeUser(now), roles: held, scopes: ['*'] }, now);
      return response === true ? 'all' : response === false ? 'none' : 'some';
    } catch {
      return 'none';
    }
  };
  return { everyone: rowsFor(), roles: Object.fromEntries(roles.map((role) => [role, rowsFor(role)])) };
}
