import { inspect } from 'node:util';
import { importFile } from '../../config/import-file.ts';
import { suggestName } from '../../platform/closest-name.ts';
import { OperatorError } from '../../platform/errors.ts';
import { callback, type OptionKinds } from './option-kind.ts';

export type ReportMistake = (where: string, message: string) => void;

export function didYouMean(name: string, names: Iterable<string>): string {
  const nameList = [...names];
  return nameList.length === 0 ? '' : `${suggestName(name, nameList)} Expected one of: ${nameList.join(', ')}.`;
}

/** Reports unknown options and wrong values. Returns whether all known options have a valid value. */
export function checkOptions(where: string, options: object, optionKinds: OptionKinds, report: ReportMistake): boolean {
  let areValuesValid = true;
  for (const [name, value] of Object.entries(options)) {
    const path = where === '' ? name : `${where}.${name}`;
    const kind = Object.hasOwn(optionKinds, name) ? optionKinds[name] : undefined;
    if (kind && (value === undefined || kind.accepts(value))) continue;
    areValuesValid &&= kind === undefined;
    if (kind) report(path, `expected ${kind.expected}; got ${describeValue(value)}.`);
    else report(path, `"${name}" is unknown.${didYouMean(name, Object.keys(optionKinds))}`);
  }
  return areValuesValid;
}

/** The default export of a file. Throws all mistakes that `check` adds to the list. */
export async function importChecked<T extends object>(
  file: string,
  example: string,
  check: (definition: Partial<Record<keyof T, unknown>>, mistakes: string[]) => void,
): Promise<T> {
  const { default: definition } = await importFile(file);
  const mistakes: string[] = [];
  if (typeof definition === 'object' && definition !== null) check(definition, mistakes);
  else mistakes.push(`it must \`export default ${example}\`.`);
  if (mistakes.length > 0) throw new OperatorError(`${file}:\n  ${mistakes.join('\n  ')}`);
  return definition as T;
}

/** The default export of a file: an object with one function, such as `defineSeed({ run })`. */
export const importDefinition = <T extends object>(file: string, define: string, member: keyof T & string) =>
  importChecked<T>(file, `${define}({ ${member} })`, (definition, mistakes) => {
    checkOptions('', definition, { [member]: callback }, (where, message) => mistakes.push(`${where}: ${message}`));
    if (!(member in definition)) mistakes.push(`${member} is missing: the function that does the work.`);
  });

export function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'string' ? JSON.stringify(value) : inspect(value, { breakLength: Infinity });
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
