import type { Invalidate } from '../../database/bus.ts';
import type { HoldAuthority } from '../../database/change-as.ts';
import type { Tx } from '../../database/database.ts';
import type { KeyRing } from '../../database/keys/key-ring.ts';
import type { Mail } from '../mail/mail.ts';
import type { Passwords } from '../passwords/passwords.ts';

/** The services that the rules about users need. `services.ts` makes them. */
export interface AccountServices {
  readonly passwords: Passwords;
  readonly keys: KeyRing;
  readonly mail: Mail;
  readonly holdAuthority: HoldAuthority;
  /** The personal access token that every new user has, to be collected once. */
  issueFirstToken(tx: Tx, userId: string): Promise<void>;
  endSessions(
    tx: Tx,
    invalidate: Invalidate,
    where: { readonly userId: string; readonly exceptSessionId?: string | null; readonly type?: 'session' },
    cause: string,
  ): Promise<void>;
  /** The sessions of a user's clients end, and unless they are kept their secrets too. */
  endClients(
    tx: Tx,
    invalidate: Invalidate,
    of: { readonly userId: string; readonly keepSecrets: boolean; readonly cause: string },
  ): Promise<void>;
}
