import type { Access } from './access.ts';
import { checkOptions, nearestOf, shown } from './check-options.ts';
import { checkRule, type KnownNames } from './check-rules.ts';
import type { Complain, Definitions } from './complaints.ts';
import type { Action, ResourceDefinition } from './define-resource.ts';
import { accessOptions } from './known-options.ts';

/** The words and rules of who may do what: each is one that there is, and speaks of what there is. */
export function checkAccess(
  definition: ResourceDefinition,
  all: Definitions,
  known: KnownNames,
  complain: Complain,
): void {
  const { access, where, actions = [] } = definition;
  checkOptions('access', access, accessOptions, complain);
  for (const operation of Object.keys(accessOptions) as (keyof typeof accessOptions)[]) {
    const rule: Access | undefined = access[operation];
    if (rule === undefined && operation !== 'read' && operation !== 'write') continue;
    if (typeof rule === 'function') checkRule(`access.${operation}`, rule, definition, all, known, complain);
    else checkWord(operation, rule, complain);
  }
  if (typeof where === 'function') {
    checkRule('where', (_caller, now) => where(now), definition, all, known, complain);
  }
  for (const { name, access: rule } of actions as unknown as readonly Action[]) {
    if (typeof rule !== 'function') continue;
    checkRule(`actions.${name}.access`, rule, definition, all, known, complain);
  }
}

function checkWord(operation: string, word: unknown, complain: Complain): void {
  const words = ['auth:api', 'nobody', ...(operation === 'read' ? ['public'] : [])];
  if (words.includes(word as string)) return;
  const near = typeof word === 'string' ? nearestOf(word, words) : ` There are: ${words.join(', ')}.`;
  const said = word === undefined ? 'it is missing' : `${shown(word)} is not known`;
  complain(`access.${operation}`, `${said}.${near} A rule such as role('admin') is one too.`);
}
