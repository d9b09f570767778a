import type { Engine } from '../../src/database/database.ts';
import { openKeyRing } from '../../src/database/keys/key-ring.ts';
import type { Sessions } from '../../src/oauth/sessions/sessions.ts';
import type { TokenVerifier } from '../../src/oauth/sessions/verify/token-verifier.ts';
import { addClient, addUser } from './accounts.ts';
import type { contexts, TestContext } from './contexts.ts';
import { createSessions } from './create-sessions.ts';

interface Instance {
  readonly context: TestContext;
  readonly sessions: Sessions;
  readonly verifier: TokenVerifier;
}

/** Two instances on one database, with one clock, a user and a client. */
export interface SessionInstances {
  readonly userId: string;
  readonly clientId: string;
  now(): number;
  advance(ms: number): void;
  /** The instances in turn: the caller does not choose. */
  any(): Instance;
  /** Restarts both instances, so that their memory is empty. */
  crash(): void;
}

/** On SQLite, both instances share the connection, but nothing else. */
export async function openSessions(
  make: ReturnType<typeof contexts>,
  engine: Engine,
  env: Record<string, string>,
): Promise<SessionInstances> {
  const context = await make({ env });
  const other = engine === 'sqlite' ? context : await make({ env, database: context.testDatabase });
  const keys = await openKeyRing(context);
  const otherKeys = engine === 'sqlite' ? keys : await openKeyRing(other);
  const { id: userId } = await addUser(context);
  const { id: clientId } = await addClient({ context, keys }, { type: 'password' });
  const begin = (): Instance[] => [
    { context, ...createSessions(context, keys) },
    { context: other, ...createSessions(other, otherKeys) },
  ];
  let instances = begin();
  let turn = 0;
  return {
    userId,
    clientId,
    now: context.now,
    advance(ms) {
      context.advance(ms);
      if (other !== context) other.advance(ms);
    },
    any: () => instances[turn++ % 2] as Instance,
    crash() {
      instances = begin();
    },
  };
}
