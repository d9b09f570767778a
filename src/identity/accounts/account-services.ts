import type { Invalidate } from '../../database/bus.ts';
import type { LockAuthority } from '../../database/change-as.ts';
import type { Context } from '../../database/context.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { Mail } from '../mail/mail.ts';
import type { Passwords } from '../passwords/passwords.ts';

/** The services that the account functions need. `services.ts` creates them. */
export interface AccountServices {
  readonly context: Context;
  readonly passwords: Passwords;
  readonly keys: KeyRing;
  readonly mail: Mail;
  readonly lockAuthority: LockAuthority;
  /** Creates the first personal access token of a new user. The user can reveal it once. */
  issueFirstToken(tx: Tx, userId: string): Promise<void>;
  endSessions(
    tx: Tx,
    invalidate: Invalidate,
    where: { readonly userId: string; readonly exceptSessionId?: string | null; readonly type?: 'session' },
    cause: string,
  ): Promise<void>;
  /** Ends the sessions of a user's clients and, unless kept, their secrets and keys. */
  endClients(
    tx: Tx,
    invalidate: Invalidate,
    of: { readonly userId: string; readonly keepSecrets: boolean; readonly cause: string },
  ): Promise<void>;
}
