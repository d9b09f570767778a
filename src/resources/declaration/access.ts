import { type Caller, mayUseScope } from '../../caller.ts';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=';

/**
 * What must hold of a row. It becomes part of the SQL, never a filter afterwards. Values are those that JSON uses, null
 * included.
 */
export type Condition =
  | { readonly kind: 'compare'; readonly field: string; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'among'; readonly field: string; readonly values: readonly unknown[] }
  | { readonly kind: 'lists'; readonly field: string; readonly value: string }
  | { readonly kind: 'related'; readonly relation: string; readonly condition: Condition }
  | { readonly kind: 'all' | 'any'; readonly of: readonly (Condition | boolean)[] };

/** What a caller may do: with no row, with every row, or with those for which a condition holds. */
export type Rule = (caller: Caller, now: number) => boolean | Condition;
export type Access = 'public' | 'auth:api' | 'nobody' | Rule;

/** What guards an action: a rule of the resource, or one of its own. */
export type ActionAccess = 'read' | 'write' | Access;

export interface AccessRules {
  /** Who may read which rows; `public` needs no token. */
  readonly read: Access;
  /** Who may write which rows. A row must satisfy it before and after the write. */
  readonly write: Access;
  /** In place of `write`, for one kind of it. */
  readonly create?: Access;
  readonly update?: Access;
  readonly delete?: Access;
}

export const compare = (field: string, operator: Comparison, value: unknown): Condition => ({
  kind: 'compare',
  field,
  operator,
  value,
});
export const equals = (field: string, value: unknown): Condition => compare(field, '=', value);
export const isNull = (field: string): Condition => compare(field, '=', null);
export const among = (field: string, values: readonly unknown[]): Condition => ({ kind: 'among', field, values });
/** The list field holds the value. */
export const lists = (field: string, value: string): Condition => ({ kind: 'lists', field, value });
/** Some row that the relation leads to satisfies the condition. */
export const related = (relation: string, condition: Condition): Condition => ({
  kind: 'related',
  relation,
  condition,
});
export const all = (...of: (Condition | boolean)[]): Condition => ({ kind: 'all', of });
export const any = (...of: (Condition | boolean)[]): Condition => ({ kind: 'any', of });

/** Callers who have the role; the service's own work passes too. */
export const role =
  (name: string): Rule =>
  (caller) =>
    caller.roles.includes(name) || caller.kind === 'system';

/** Rows whose field holds the caller's user id. */
export const owner =
  (field: string): Rule =>
  (caller) =>
    caller.userId !== null && equals(field, caller.userId);

/** Callers whose token holds a scope beyond `<resource>:read|write`. */
export const scope =
  (name: string): Rule =>
  (caller) =>
    mayUseScope(caller, name);

export const anyOf =
  (...rules: Rule[]): Rule =>
  (caller, now) => {
    const results = rules.map((rule) => rule(caller, now));
    if (results.includes(true)) return true;
    const conditions = results.filter((result) => result !== false);
    return conditions.length > 0 && any(...conditions);
  };

export const allOf =
  (...rules: Rule[]): Rule =>
  (caller, now) => {
    const results = rules.map((rule) => rule(caller, now));
    if (results.includes(false)) return false;
    const conditions = results.filter((result) => result !== true);
    return conditions.length === 0 || all(...conditions);
  };

/** What an access word or rule says for one caller. */
export function decide(access: Access, caller: Caller, now: number): boolean | Condition {
  if (access === 'public') return true;
  if (access === 'auth:api') return caller.kind !== 'anonymous';
  if (access === 'nobody') return caller.kind === 'system';
  return access(caller, now);
}
