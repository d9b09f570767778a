import type { MigrationPlan } from './plan/plan-migrations.ts';

export function planError(
  { steps, blockers }: Pick<MigrationPlan, 'steps' | 'blockers'>,
  drop: true | readonly string[] = [],
): string | undefined {
  const unknownNames = drop === true ? [] : drop.filter((name) => !steps.some(({ drops }) => drops === name));
  if (unknownNames.length > 0)
    return `--drop ${unknownNames.join(' ')}: nothing of that name is there and no longer declared.`;
  if (blockers.length === 0) return undefined;
  return [
    'The stored rows do not fit the declared resources. Nothing was changed. The plan:',
    ...blockers.map((blocker) => `  ! ${blocker}`),
    ...steps.map(({ description }) => `  + ${description}`),
  ].join('\n');
}
