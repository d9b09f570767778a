import { checkOptions, describeValue, didYouMean } from '../../src/resources/declaration/check-options.ts';
import type { Check } from './check.ts';
import { actionOptions } from './known-options.ts';

const accessWords = ['read', 'write', 'public', 'auth:api', 'nobody'];

export function checkActions({ definition: { actions = [], relations }, report }: Check): void {
  const paths = new Set<string>();
  for (const [index, action] of actions.entries()) {
    const where = typeof action?.name === 'string' ? `actions.${action.name}` : `actions[${index}]`;
    if (typeof action !== 'object' || action === null) {
      report(where, `expected action({ name, summary, run }); got ${describeValue(action)}.`);
      continue;
    }
    if (!checkOptions(where, action, actionOptions, report)) continue;
    const { name, method = 'POST', on = 'row', summary, run, body, access } = action;
    for (const [key, value] of Object.entries({ name, summary, run })) {
      if (value === undefined) report(`${where}.${key}`, 'it is missing.');
    }
    if (name !== undefined && !/^[a-z][a-z0-9_-]*(\/:?[a-z0-9_-]+)*$/.test(name)) {
      report(where, 'a name takes lowercase letters, digits, - and _.');
    }
    if (on !== 'collection' && relations?.[name]) {
      report(where, 'a relation has the same name, and both would have the same path; rename one.');
    }
    if (on === 'collection' && name === 'batches') report(where, '/batches writes many rows already; rename it.');
    const path = `${method} ${on} ${name}`;
    if (paths.has(path)) report(where, `there are two of this name for ${method}; rename one.`);
    paths.add(path);
    if (
      method === 'PUT' &&
      !actions.some((other) => other?.name === name && other.method === 'GET' && (other.on ?? 'row') === on)
    ) {
      report(
        where,
        'the value that this PUT replaces could not be read: declare a GET with the same name, or use PATCH or POST.',
      );
    }
    if (method === 'GET' && body !== undefined) report(`${where}.body`, 'a GET has no body; choose another method.');
    if (access !== undefined && typeof access !== 'function' && !accessWords.includes(access)) {
      report(
        `${where}.access`,
        `${describeValue(access)} is not known.${didYouMean(String(access), accessWords)} A rule such as role('admin') is also allowed.`,
      );
    }
  }
}
