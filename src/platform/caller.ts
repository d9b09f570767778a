import { noProof, type Proof } from './proof.ts';

/** The caller. It is a required argument everywhere: a missing caller never means "may do everything". */
export interface Caller {
  readonly kind: 'anonymous' | 'user' | 'client' | 'system';
  /** The user who acts, or the user whose personal client acts. */
  readonly userId: string | null;
  readonly clientId: string | null;
  readonly sessionId: string | null;
  /** Acts through an application that the user signed in to. */
  readonly application: boolean;
  /** Roles of the user who acts. A client never has its owner's, and an application has the user's only with the scope `admin`. */
  readonly roles: readonly string[];
  /** Granted scopes; `*` stands for all that the subject may do. */
  readonly scopes: readonly string[];
  /** Only `requireProof` reads it. */
  readonly proof: Proof;
}

export const anonymousCaller: Caller = Object.freeze({
  kind: 'anonymous',
  userId: null,
  clientId: null,
  sessionId: null,
  application: false,
  roles: [],
  scopes: [],
  proof: noProof,
});

/** For the service's own work: migrations, the command line, background jobs. `requireProof` lets it pass. */
export const systemCaller: Caller = Object.freeze({
  ...anonymousCaller,
  kind: 'system',
  roles: ['admin'],
  scopes: ['*'],
});

/** Whether the caller signed in at this service itself, without an application or a personal access token. */
export const isSignedIn = ({ kind, application, proof }: Caller): boolean =>
  kind === 'user' && !application && proof.renewable;

/** The user of a page that only people who are signed in can open. */
export function userIdOf({ userId }: Caller): string {
  if (userId === null) throw new Error('the caller is not a user');
  return userId;
}

export const isAdmin = (caller: Caller): boolean => caller.roles.includes('admin');

export const mayUseScope = (caller: Caller, scope: string): boolean =>
  caller.scopes.includes('*') || caller.scopes.includes(scope);
