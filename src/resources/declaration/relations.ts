export interface BelongsTo {
  readonly kind: 'belongsTo';
  readonly target: string;
  /** The reference field of this resource. */
  readonly by: string;
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
  /** The link's reference field to this resource. */
  readonly from: string;
  /** The link's reference field to the target. */
  readonly to: string;
}
export interface ListsNames {
  readonly kind: 'listsNames';
  readonly target: string;
  /** The list field of this resource that holds names. */
  readonly list: string;
  /** The unique text field of the target that they name. */
  readonly key: string;
}
export interface NamedBy {
  readonly kind: 'namedBy';
  readonly target: string;
  /** The list field of the target. */
  readonly list: string;
  /** The unique text field of this resource that it names. */
  readonly key: string;
}
export type Relation = BelongsTo | HasMany | ManyToMany | ListsNames | NamedBy;
export type Relations = Readonly<Record<string, Relation>>;

/** This row refers to one row of the target. */
export const belongsTo = (target: string, link: { by: string }): BelongsTo => ({ ...link, kind: 'belongsTo', target });

/** Rows of the target refer to this row. */
export const hasMany = (target: string, link: { by: string }): HasMany => ({ ...link, kind: 'hasMany', target });

/** Rows of a third resource link this one with the target. */
export const manyToMany = (target: string, link: { through: string; from: string; to: string }): ManyToMany => ({
  kind: 'manyToMany',
  target,
  ...link,
});

/** A list field of this row names rows of the target (`users.roles` names `roles.name`). */
export const listsNames = (target: string, by: { list: string; key: string }): ListsNames => ({
  kind: 'listsNames',
  target,
  ...by,
});

/** The other side of `listsNames`: rows of the target whose list names this row. */
export const namedBy = (target: string, by: { list: string; key: string }): NamedBy => ({
  kind: 'namedBy',
  target,
  ...by,
});
