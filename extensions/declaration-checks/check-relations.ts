import {
  checkOptions,
  describeValue,
  didYouMean,
  type ReportMistake,
} from '../../src/resources/declaration/check-options.ts';
import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { listType } from '../../src/resources/declaration/fields/list.ts';
import type { Relation } from '../../src/resources/declaration/relations.ts';
import { type Check, pathNamePattern } from './check.ts';
import { relationOptions } from './known-options.ts';

export function checkRelations({ definition, all, report }: Check): void {
  for (const [name, relation] of Object.entries(definition.relations ?? {})) {
    const where = `relations.${name}`;
    if (!hasValidOptions(where, relation, report)) continue;
    const findResource = (resource: string, label = '') => {
      if (!all.has(resource))
        report(where, `${label}there is no resource "${resource}".${didYouMean(resource, all.keys())}`);
      return all.get(resource);
    };
    const requireReference = (from: ResourceDefinition, fieldName: string, to: string) => {
      if (from.fields[fieldName]?.options.target === to) return;
      const candidates = Object.keys(from.fields).filter((field) => from.fields[field]?.options.target === to);
      const suggestion = candidates.length === 0 ? '' : didYouMean(fieldName, candidates);
      report(where, `"${fieldName}" of ${from.name} must be a field made by reference('${to}').${suggestion}`);
    };
    const requireList = (listing: ResourceDefinition, list: string, named: ResourceDefinition, key: string) => {
      if (listing.fields[list]?.type !== listType.name)
        report(where, `"${list}" of ${listing.name} must be a list field.`);
      if (!named.fields[key])
        report(where, `${named.name} has no field "${key}".${didYouMean(key, Object.keys(named.fields))}`);
    };
    if (!pathNamePattern.test(name)) report(where, 'a name takes lowercase letters, digits, - and _.');
    // An included relation may replace its own list of names.
    const isReplacedList = relation.kind === 'listsNames' && relation.list === name;
    if ((name in definition.fields && !isReplacedList) || name === 'id') {
      report(where, `a field has the same name, and both would be "${name}" in responses; rename one.`);
    }
    const target = findResource(relation.target);
    if (!target) continue;
    if (relation.kind === 'belongsTo') requireReference(definition, relation.by, relation.target);
    else if (relation.kind === 'hasMany') requireReference(target, relation.by, definition.name);
    else if (relation.kind === 'listsNames') requireList(definition, relation.list, target, relation.key);
    else if (relation.kind === 'namedBy') requireList(target, relation.list, definition, relation.key);
    else {
      const through = findResource(relation.through, 'through: ');
      if (!through) continue;
      requireReference(through, relation.from, definition.name);
      requireReference(through, relation.to, relation.target);
    }
  }
}

/** Whether it has all options of its kind, and no others. */
function hasValidOptions(where: string, relation: Relation, report: ReportMistake): boolean {
  const { kind, target, ...link } = (relation ?? {}) as Relation & Record<string, unknown>;
  const linkOptions = Object.hasOwn(relationOptions, kind ?? '') ? relationOptions[kind] : undefined;
  if (!linkOptions || typeof target !== 'string') {
    report(
      where,
      `expected a relation such as belongsTo('owners', { by: 'owner_id' }); got ${describeValue(relation)}.`,
    );
    return false;
  }
  const missing = Object.keys(linkOptions).filter((name) => link[name] === undefined);
  for (const name of missing) report(`${where}.${name}`, `it is missing: ${kind} needs this name.`);
  return checkOptions(where, link, linkOptions, report) && missing.length === 0;
}
