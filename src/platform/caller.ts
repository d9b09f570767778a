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
  /** Asked by `requireProof` alone. */
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

/** For work of the service's own: migrations, the command line, background jobs. */
export const systemCaller: Caller = Object.freeze({
  kind: 'system',
  userId: null,
  clientId: null,
  sessionId: null,
  application: false,
  roles: ['admin'],
  scopes: ['*'],
  // `requireProof` asks nothing of the service itself.
  proof: noProof,
});

/** Whether this is somebody who signed in at this service itself: no application, and no personal access token. */
export const isSignedIn = ({ kind, application, proof }: Caller): boolean =>
  kind === 'user' && !application && proof.renewable;

export const isAdmin = (caller: Caller): boolean => caller.roles.includes('admin');

export const mayUseScope = (caller: Caller, scope: string): boolean =>
  caller.scopes.includes('*') || caller.scopes.includes(scope);
