import { anonymousCaller, type Caller, hasScope, isAdmin } from '../../platform/caller.ts';
import { forbidden } from '../../platform/errors.ts';
import { asProofTooOld, stepUpRequirements } from './step-up.ts';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** The names of fields and relations in a rule outside of a declaration. They are checked only at startup. */
// biome-ignore lint/suspicious/noExplicitAny: the names are unknown here.
type Any = any;

/**
 * A condition that a row must meet. It becomes part of the SQL and is never applied afterwards. Values are JSON values, including null. `F`
 * and `R` are the fields and relations in the condition.
 */
export type Condition<F = Any, R = Any> =
  | { readonly kind: 'compare'; readonly field: F; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'among'; readonly field: F; readonly values: readonly unknown[] }
  | { readonly kind: 'lists'; readonly field: F; readonly value: string }
  | { readonly kind: 'related'; readonly relation: R; readonly condition: Condition }
  | { readonly kind: 'all' | 'any'; readonly of: readonly (Condition<F, R> | boolean)[] };

/** The decision of a rule: no row, every row, or the rows for which a condition holds. */
export type Rule<F = Any, R = Any> = (caller: Caller, now: number) => boolean | Condition<F, R>;
export type Access<F = Any, R = Any> = 'public' | 'auth:api' | 'nobody' | Rule<F, R>;
/** The access of an action: a rule of the resource, or a separate rule. */
export type ActionAccess<F = Any, R = Any> = 'read' | 'write' | Access<F, R>;

export interface AccessRules<F = Any, R = Any> {
  /** The rule for reading rows. `public` needs no token. */
  readonly read: Access<F, R>;
  /** The rule for writing rows. A row must satisfy it before and after the write. */
  readonly write: Exclude<Access<F, R>, 'public'>;
  /** Replaces `write` for one operation. */
  readonly create?: Exclude<Access<F, R>, 'public'>;
  readonly update?: Exclude<Access<F, R>, 'public'>;
  readonly delete?: Exclude<Access<F, R>, 'public'>;
}

export const compare = <const F extends string>(
  field: F,
  operator: Comparison,
  value: unknown,
): Condition<F, never> => ({ kind: 'compare', field, operator, value });
export const equals = <const F extends string>(field: F, value: unknown): Condition<F, never> =>
  compare(field, '=', value);
export const isNull = <const F extends string>(field: F): Condition<F, never> => compare(field, '=', null);
export const among = <const F extends string>(field: F, values: readonly unknown[]): Condition<F, never> => ({
  kind: 'among',
  field,
  values,
});
/** The list field contains the value. */
export const lists = <const F extends string>(field: F, value: string): Condition<F, never> => ({
  kind: 'lists',
  field,
  value,
});
/** At least one row of the relation satisfies the condition. */
export const related = <const R extends string>(relation: R, condition: Condition): Condition<never, R> => ({
  kind: 'related',
  relation,
  condition,
});
export const all = <F extends string = never, R extends string = never>(
  ...of: (Condition<F, R> | boolean)[]
): Condition<F, R> => ({ kind: 'all', of });
export const any = <F extends string = never, R extends string = never>(
  ...of: (Condition<F, R> | boolean)[]
): Condition<F, R> => ({ kind: 'any', of });

/** Callers who have the role, and the service itself. */
export const role =
  (name: string): Rule<never, never> =>
  (caller) =>
    caller.roles.includes(name) || caller.kind === 'system';

/** Rows whose field holds the caller's user id. */
export const owner =
  <const F extends string>(field: F): Rule<F, never> =>
  (caller) =>
    caller.userId !== null && equals(field, caller.userId);

/** Rows of the user. The user's clients do not see them. */
export const ownRows: Rule = ({ kind, userId }) => kind === 'user' && userId !== null && equals('user_id', userId);

/** Callers whose token has a scope in addition to `<resource>:read|write`. */
export const scope =
  (name: string): Rule<never, never> =>
  (caller) =>
    hasScope(caller, name);

/** One of the rules holds. A step-up is required only if no other rule holds. */
export function anyOf<F extends string = never, R extends string = never>(...rules: Rule<F, R>[]): Rule<F, R> {
  rejectWords('anyOf', rules);
  const rule: Rule<F, R> = (caller, now) => {
    let refusal: unknown;
    const results = rules.map((callerRule) => {
      try {
        return callerRule(caller, now);
      } catch (error) {
        if (!asProofTooOld(error)) throw error;
        refusal ??= error;
        return false;
      }
    });
    if (results.includes(true)) return true;
    const conditions = results.filter((result) => result !== false);
    if (conditions.length === 0 && refusal) throw refusal;
    return conditions.length > 0 && any(...conditions);
  };
  return Object.assign(rule, { requirements: stepUpRequirements(rules) });
}

/** All rules hold. A step-up is required only if all others hold. */
export function allOf<F extends string = never, R extends string = never>(...rules: Rule<F, R>[]): Rule<F, R> {
  rejectWords('allOf', rules);
  const orderedRules = [...rules].sort((a, b) => stepUpRequirements([a]).length - stepUpRequirements([b]).length);
  const rule: Rule<F, R> = (caller, now) => {
    const conditions: Condition<F, R>[] = [];
    for (const orderedRule of orderedRules) {
      const result = orderedRule(caller, now);
      if (result === false) return false;
      if (result !== true) conditions.push(result);
    }
    return conditions.length === 0 || all(...conditions);
  };
  return Object.assign(rule, { requirements: stepUpRequirements(rules) });
}

/** Words such as `auth:api` cannot be combined with other rules. */
function rejectWords(name: string, rules: readonly unknown[]): void {
  const word = rules.find((rule) => typeof rule !== 'function');
  if (word !== undefined) throw new TypeError(`${name} takes rules such as role('admin'), not "${word}".`);
}

export function evaluateAccess(access: Access, caller: Caller, now: number): boolean | Condition {
  if (access === 'public') return true;
  if (access === 'auth:api') return caller.kind !== 'anonymous';
  if (access === 'nobody') return caller.kind === 'system';
  return access(caller, now);
}

const probeId = '0199d0a0-7c00-7000-8000-000000000001';

/** A made-up user with the strongest proof of identity. The checks and descriptions of rules call them with this user. */
export const probeUser = (now: number): Caller => ({
  ...anonymousCaller,
  kind: 'user',
  userId: probeId,
  clientId: probeId,
  sessionId: probeId,
  proof: { time: now, amr: ['pwd', 'hwk'], acr: 'phr', freshSeconds: 0, renewable: true },
});

/** Whether the caller may do this with every row. A rule that throws allows none. */
export function allowsEveryRow(access: Access, caller: Caller, now: number): boolean {
  try {
    return evaluateAccess(access, caller, now) === true;
  } catch {
    return false;
  }
}

/** Rejects other callers with 403 instead of an empty list. */
export const forAdministrators =
  (refusal: string): Rule =>
  (caller) => {
    if (isAdmin(caller)) return true;
    throw forbidden(refusal);
  };
