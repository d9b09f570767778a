import { noProof, type Proof } from './proof.ts';

/** Who is asking. A required argument everywhere: its absence never means "may do everything". */
export interface Caller {
  readonly kind: 'anonymous' | 'user' | 'client' | 'system';
  /** The user who acts, or the user whose personal client acts. */
  readonly userId: string | null;
  readonly clientId: string | null;
  readonly sessionId: string | null;
  /** Roles of the user who acts; a client never has its owner's. */
  readonly roles: readonly string[];
  /** Granted scopes; `*` stands for all that the subject may do. */
  readonly scopes: readonly string[];
  /** Asked by `requireProof` alone. */
  readonly proof: Proof;
}

export const anonymousCaller: Caller = Object.freeze({
  kind: 'anonymous',
  userId: null,
  clientId: null,
  sessionId: null,
  roles: [],
  scopes: [],
  proof: noProof,
});

/** For work of the service's own: migrations, the command line, background jobs. */
export const systemCaller: Caller = Object.freeze({
  kind: 'system',
  userId: null,
  clientId: null,
  sessionId: null,
  roles: ['admin'],
  scopes: ['*'],
  // `requireProof` asks nothing of the service itself.
  proof: noProof,
});

export const isAdmin = (caller: Caller): boolean => caller.roles.includes('admin');

export const mayUseScope = (caller: Caller, scope: string): boolean =>
  caller.scopes.includes('*') || caller.scopes.includes(scope);
