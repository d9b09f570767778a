import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';

/** The fields that can have the same value in many rows. */
export const sharedFields = ({ fields }: ResourceDescription): FieldDescription[] =>
  fields.filter(({ readOnly, immutable, unique, writeOnly }) => !readOnly && !immutable && !unique && !writeOnly);
