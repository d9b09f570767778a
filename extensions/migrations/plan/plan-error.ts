import type { MigrationPlan } from './plan-migrations.ts';

export function planError(
  { steps, blockers, schemas }: MigrationPlan,
  drop: true | readonly string[] = [],
): string | undefined {
  const unknownNames = drop === true ? [] : drop.filter((name) => !steps.some(({ drops }) => drops === name));
  const declaredNames = new Set(
    [...schemas].flatMap(([resource, { columns }]) => [
      resource,
      ...Object.values(columns).flatMap(({ field, unnamed }) => (unnamed ? [] : [`${resource}.${field}`])),
    ]),
  );
  const stillDeclared = unknownNames.filter((name) => declaredNames.has(name));
  if (stillDeclared.length > 0)
    return `--drop ${stillDeclared.join(' ')}: a resource or field of that name is still declared. Remove its declaration first.`;
  if (unknownNames.length > 0)
    return `--drop ${unknownNames.join(' ')}: the database has no table or column of that name.`;
  if (blockers.length === 0) return undefined;
  return [
    'The stored rows do not fit the declared resources. Nothing was changed. The plan:',
    ...blockers.map((blocker) => `  ! ${blocker}`),
    ...steps.map(({ description }) => `  + ${description}`),
  ].join('\n');
}
