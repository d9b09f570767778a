/** `F`: the fields of the resource that has the relation. */
export interface BelongsTo<F = string> {
  readonly kind: 'belongsTo';
  readonly target: string;
  /** The reference field of this resource. */
  readonly by: F;
}
export interface HasMany {
  readonly kind: 'hasMany';
  readonly target: string;
  /** The reference field of the target that names this resource. */
  readonly by: string;
}
export interface ManyToMany {
  readonly kind: 'manyToMany';
  readonly target: string;
  /** The resource whose rows are the links. */
  readonly through: string;
  /** The reference field of the linking resource to this resource. */
  readonly from: string;
  /** The reference field of the linking resource to the target. */
  readonly to: string;
}
export interface ListsNames<F = string> {
  readonly kind: 'listsNames';
  readonly target: string;
  /** The list field of this resource with the names. */
  readonly list: F;
  /** The unique text field of the target that contains the names. */
  readonly key: string;
}
export interface NamedBy<F = string> {
  readonly kind: 'namedBy';
  readonly target: string;
  /** The list field of the target. */
  readonly list: string;
  /** The unique text field of this resource that contains the name. */
  readonly key: F;
}
export type Relation<F = string> = BelongsTo<F> | HasMany | ManyToMany | ListsNames<F> | NamedBy<F>;
export type Relations<F = string> = Readonly<Record<string, Relation<F>>>;

/** This row refers to one row of the target. */
export const belongsTo = <const F extends string>(target: string, link: { by: F }): BelongsTo<F> => ({
  ...link,
  kind: 'belongsTo',
  target,
});

/** Rows of the target refer to this row. */
export const hasMany = (target: string, link: { by: string }): HasMany => ({ ...link, kind: 'hasMany', target });

/** Rows of a third resource link this one with the target. */
export const manyToMany = (target: string, link: { through: string; from: string; to: string }): ManyToMany => ({
  ...link,
  kind: 'manyToMany',
  target,
});

/** A list field of this row names rows of the target (`users.roles` names `roles.name`). */
export const listsNames = <const F extends string>(target: string, link: { list: F; key: string }): ListsNames<F> => ({
  ...link,
  kind: 'listsNames',
  target,
});

/** The other side of `listsNames`: rows of the target whose list names this row. */
export const namedBy = <const F extends string>(target: string, link: { list: string; key: F }): NamedBy<F> => ({
  ...link,
  kind: 'namedBy',
  target,
});
