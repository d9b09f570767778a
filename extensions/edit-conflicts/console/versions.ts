import type { FieldDescription } from '../../../console/src/data/descriptions.ts';

type Row = Record<string, unknown>;

/** A field in which one of two versions of a row differs from their common earlier version. */
export type Difference = ReturnType<typeof differencesOf>[number];

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The fields that differ between the common earlier version, the stored version, and the version to save. */
export function differencesOf(fields: readonly FieldDescription[], before: Row, storedRow: Row, changes: Row) {
  return fields
    .filter(({ readOnly, name }) => !readOnly || name in changes)
    .map((field) => {
      const [was, is] = [before[field.name], storedRow[field.name]];
      const mine = field.name in changes ? changes[field.name] : was;
      // Both changed it to different values. Then the person has to choose.
      const isContested = field.name in changes && !isSameJson(is, was) && !isSameJson(is, mine);
      return { field, before: was, theirs: is, mine, isContested };
    })
    .filter(({ before, theirs, mine }) => !isSameJson(before, theirs) || !isSameJson(before, mine));
}

export type Choice = 'theirs' | 'mine';

/** The preselected version: theirs for a field that the person did not change, otherwise the person's own. */
export const firstChoice = ({ before, mine }: Difference): Choice => (isSameJson(before, mine) ? 'theirs' : 'mine');

/** The changes that apply the choices to the other person's version. */
export function chosenChanges(differences: readonly Difference[], choices: Readonly<Record<string, Choice>>): Row {
  return Object.fromEntries(
    differences
      .filter((difference) => (choices[difference.field.name] ?? firstChoice(difference)) === 'mine')
      .map(({ field, mine }) => [field.name, mine]),
  );
}
