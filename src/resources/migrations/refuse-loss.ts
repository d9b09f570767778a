import { OperatorError } from '../../platform/errors.ts';
import type { Step } from './migration-steps.ts';

interface Planned {
  readonly steps: readonly Step[];
  readonly blockers: readonly string[];
}

const lossesOf = (steps: readonly Step[]): string[] => [
  ...new Set(steps.map(({ loses }) => loses).filter((loss) => loss !== undefined)),
];

interface Given {
  readonly allowLoss?: readonly string[];
  readonly drop?: true | readonly string[];
}

/** A name without effect is probably a mistake. */
export function unusedPermission(steps: readonly Step[], { allowLoss = [], drop }: Given): string | undefined {
  const losing = lossesOf(steps);
  const unneeded = allowLoss.filter((loss) => !losing.includes(loss));
  if (unneeded.length > 0) {
    const real = losing.length > 0 ? ` What would be lost is: ${losing.join(', ')}.` : '';
    return `--allow-loss ${unneeded.join(' ')}: nothing would be lost there.${real}`;
  }
  const dropped = new Set(steps.map(({ drops }) => drops));
  const unknown = (drop === true ? [] : (drop ?? [])).filter((name) => !dropped.has(name));
  if (unknown.length === 0) return undefined;
  return `--drop ${unknown.join(' ')}: nothing of that name is there and no longer declared.`;
}

export function refuseUnusedPermission(steps: readonly Step[], given: Given): void {
  const refusal = unusedPermission(steps, given);
  if (refusal) throw new OperatorError(refusal);
}

/** The reason why a start would be refused. */
export function refusalOf({ steps, blockers }: Planned, allowed: readonly string[] = []): string | undefined {
  if (blockers.length > 0) return `The stored rows do not fit the declared resources:\n  ${blockers.join('\n  ')}`;
  const losing = lossesOf(steps);
  if (losing.every((loss) => allowed.includes(loss))) return undefined;
  return [
    'Bringing the tables to the declared resources would lose data. Nothing was changed. The plan:',
    ...steps.map(({ says, loses }) => `  ${loses ? '!' : '+'} ${says}`),
    ...steps.flatMap(({ fillBy, loses }) => (fillBy ? [`For ${loses} you can ${fillBy}.`] : [])),
    'Undo the change of the declaration, or take a backup and do it on purpose:',
    `  gatehouse migrate --allow-loss ${losing.join(' ')}`,
  ].join('\n');
}

export function refuseLoss(plan: Planned, allowed: readonly string[]): void {
  const refusal = refusalOf(plan, allowed);
  if (refusal) throw new OperatorError(refusal);
}
