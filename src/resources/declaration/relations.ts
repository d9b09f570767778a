/** The options of each kind of relation. `F`: the fields of the resource that has the relation. */
export interface Links<F = string> {
  /** `by`: the reference field of this resource. */
  belongsTo: { readonly by: F };
  /** `by`: the reference field of the target that names this resource. */
  hasMany: { readonly by: string };
  /** `through`: the resource whose rows are the links. `from`, `to`: its reference fields to this resource and to the target. */
  manyToMany: { readonly through: string; readonly from: string; readonly to: string };
  /** `list`: the list field of this resource with the names. `key`: the unique text field of the target with the name. */
  listsNames: { readonly list: F; readonly key: string };
  /** `list`: the list field of the target with the names. `key`: the unique text field of this resource with the name. */
  namedBy: { readonly list: string; readonly key: F };
}

type RelationOf<K extends keyof Links, F = string> = { readonly kind: K; readonly target: string } & Links<F>[K];
export type Relation<F = string> = { [K in keyof Links]: RelationOf<K, F> }[keyof Links];
export type Relations<F = string> = Readonly<Record<string, Relation<F>>>;

const relate = <K extends keyof Links, L>(kind: K, target: string, link: L) => ({ ...link, kind, target });

/** This row refers to one row of the target. */
export const belongsTo = <const F extends string>(target: string, link: Links<F>['belongsTo']) =>
  relate('belongsTo', target, link);

/** Rows of the target refer to this row. */
export const hasMany = (target: string, link: Links['hasMany']) => relate('hasMany', target, link);

/** Rows of a third resource link this one with the target. */
export const manyToMany = (target: string, link: Links['manyToMany']) => relate('manyToMany', target, link);

/** A list field of this row names rows of the target (`users.roles` names `roles.name`). */
export const listsNames = <const F extends string>(target: string, link: Links<F>['listsNames']) =>
  relate('listsNames', target, link);

/** The other side of `listsNames`: rows of the target whose list names this row. */
export const namedBy = <const F extends string>(target: string, link: Links<F>['namedBy']) =>
  relate('namedBy', target, link);
