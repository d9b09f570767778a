import { isObject } from '../../src/platform/is-object.ts';
import { isOneOf } from '../../src/platform/is-one-of.ts';
import type { Access } from '../../src/resources/declaration/access.ts';
import {
  checkOptions,
  describeValue,
  didYouMean,
  type ReportMistake,
} from '../../src/resources/declaration/check-options.ts';
import type { Check } from './check.ts';
import { checkRule } from './check-rules.ts';
import { accessOptions } from './known-options.ts';

export function checkAccess(check: Check): void {
  const { definition, report } = check;
  const { access, where, actions = [] } = definition;
  checkOptions('access', access, accessOptions, report);
  for (const operation of Object.keys(accessOptions) as (keyof typeof accessOptions)[]) {
    const rule: Access | undefined = access[operation];
    if (rule === undefined && operation !== 'read' && operation !== 'write') continue;
    if (typeof rule === 'function') checkRule(`access.${operation}`, rule, check);
    else checkWord(operation, rule, report);
  }
  if (typeof where === 'function') checkRule('where', (_caller, now) => where(now), check);
  // `checkActions` reports other values.
  for (const action of actions.filter(isObject)) {
    const { name, method, on, access: actionAccess = method === 'GET' ? 'read' : 'write' } = action;
    const path = `actions.${name}.access`;
    const hasOwnRule = actionAccess !== 'read' && actionAccess !== 'write';
    const rule = hasOwnRule ? actionAccess : access[actionAccess];
    if (typeof rule !== 'function') continue;
    // Mistakes in a rule of the resource are already reported for the resource.
    const responses = checkRule(path, rule, hasOwnRule ? check : { ...check, report: () => undefined });
    if (on !== 'collection' || responses.includes(true) || !responses.some((response) => typeof response === 'object'))
      continue;
    const ruleName = hasOwnRule ? 'the rule' : `the resource's rule for "${actionAccess}"`;
    report(
      path,
      `${ruleName} depends on a row, and a collection has none, so nobody could satisfy it. Use a rule about the caller, such as 'auth:api' or role('admin').`,
    );
  }
}

function checkWord(operation: string, word: unknown, report: ReportMistake): void {
  const allowedWords = ['auth:api', 'nobody', ...(operation === 'read' ? ['public'] : [])];
  if (isOneOf(allowedWords, word)) return;
  const suggestion =
    typeof word === 'string' ? didYouMean(word, allowedWords) : ` Expected one of: ${allowedWords.join(', ')}.`;
  const problem = word === undefined ? 'it is missing' : `${describeValue(word)} is not known`;
  report(`access.${operation}`, `${problem}.${suggestion} A rule such as role('admin') is also allowed.`);
}
