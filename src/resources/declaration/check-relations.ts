import { checkOptions, describeValue, didYouMean } from './check-options.ts';
import type { ResourceDefinition } from './define-resource.ts';
import { listType } from './fields/list.ts';
import { relationOptions } from './known-options.ts';
import type { Relation } from './relations.ts';
import { type Definitions, pathNamePattern, type ReportMistake } from './report-mistake.ts';

export function checkRelations(definition: ResourceDefinition, all: Definitions, report: ReportMistake): void {
  for (const [name, relation] of Object.entries(definition.relations ?? {})) {
    const where = `relations.${name}`;
    if (!hasValidOptions(where, relation, report)) continue;
    const target = all.get(relation.target);
    if (!pathNamePattern.test(name)) report(where, 'a name takes lowercase letters, digits, - and _.');
    // An included relation may replace its own list of names.
    const isReplacedList = relation.kind === 'listsNames' && relation.list === name;
    if ((name in definition.fields && !isReplacedList) || name === 'id') {
      report(where, `a field has the same name, and both would be "${name}" in responses; rename one.`);
    }
    if (!target) {
      report(where, `there is no resource "${relation.target}".${didYouMean(relation.target, all.keys())}`);
      continue;
    }
    switch (relation.kind) {
      case 'belongsTo':
        requireReference(where, definition, relation.by, relation.target, report);
        break;
      case 'hasMany':
        requireReference(where, target, relation.by, definition.name, report);
        break;
      case 'manyToMany': {
        const through = all.get(relation.through);
        if (!through) {
          report(
            where,
            `through: there is no resource "${relation.through}".${didYouMean(relation.through, all.keys())}`,
          );
          break;
        }
        requireReference(where, through, relation.from, definition.name, report);
        requireReference(where, through, relation.to, relation.target, report);
        break;
      }
      case 'listsNames':
        requireList(where, relation, { listingResource: definition, namedResource: target }, report);
        break;
      case 'namedBy':
        requireList(where, relation, { listingResource: target, namedResource: definition }, report);
        break;
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

function requireReference(
  where: string,
  from: ResourceDefinition,
  fieldName: string,
  to: string,
  report: ReportMistake,
): void {
  const field = from.fields[fieldName];
  if (field?.options.target === to) return;
  const candidates = Object.keys(from.fields).filter((name) => from.fields[name]?.options.target === to);
  const suggestion = candidates.length === 0 ? '' : didYouMean(fieldName, candidates);
  report(where, `"${fieldName}" of ${from.name} must be a field made by reference('${to}').${suggestion}`);
}

function requireList(
  where: string,
  { list, key }: { readonly list: string; readonly key: string },
  {
    listingResource,
    namedResource,
  }: { readonly listingResource: ResourceDefinition; readonly namedResource: ResourceDefinition },
  report: ReportMistake,
): void {
  if (listingResource.fields[list]?.type !== listType.name)
    report(where, `"${list}" of ${listingResource.name} must be a list field.`);
  if (!namedResource.fields[key]) {
    report(where, `${namedResource.name} has no field "${key}".${didYouMean(key, Object.keys(namedResource.fields))}`);
  }
}
