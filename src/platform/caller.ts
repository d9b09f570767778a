import { noProof, type Proof } from './proof.ts';

/** The caller. It is a required argument everywhere: a missing caller never means "may do everything". */
export interface Caller {
  readonly kind: 'anonymous' | 'user' | 'client' | 'system';
  /** The user who acts, or the user whose personal client acts. */
  readonly userId: string | null;
  readonly clientId: string | null;
  readonly sessionId: string | null;
  /** The application that the user signed in to and that acts for the user. */
  readonly application: boolean;
  /**
   * The roles of the user who acts. A client never has its owner's roles, and an application has the user's roles
   * only with the scope `admin`.
   */
  readonly roles: readonly string[];
  /** The granted scopes. `*` means everything that the subject may do. */
  readonly scopes: readonly string[];
  /** The login may only set up a second factor. It has no roles. */
  readonly setUpOnly?: true | undefined;
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

/** The service itself: migrations, the command line, background jobs. `requireProof` accepts it. */
export const systemCaller: Caller = Object.freeze({
  ...anonymousCaller,
  kind: 'system',
  roles: ['admin'],
  scopes: ['*'],
});

/** Whether the caller signed in at this service itself, without an application or a personal access token. */
export const isSignedIn = ({ kind, application, proof }: Caller) => kind === 'user' && !application && proof.renewable;

/** The id of the acting user, or of the owner of the acting client. Throws if there is none. */
export function userIdOf({ userId }: Caller): string {
  if (userId === null) throw new Error('the caller is not a user');
  return userId;
}

export const isAdmin = (caller: Caller): boolean => caller.roles.includes('admin');

/** One scope, or several that are all required. */
export type RequiredScope = string | readonly string[];

export const hasScope = (caller: Caller, scope: string) => caller.scopes.includes('*') || caller.scopes.includes(scope);
