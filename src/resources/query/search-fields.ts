import type { Caller } from '../../platform/caller.ts';
import type { Resource, ResourceField } from '../model/resource.ts';
import { type FieldPath, pathsThrough, readPath } from './field-path.ts';

export const searchableNames = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(({ options, stored }) => options.searchable && stored).map(({ name }) => name);

/** `owner.name`, for each searchable field of a related resource. */
export const searchablePaths = (resource: Resource): string[] => pathsThrough(resource, searchableNames);

const isSearchable = ({ options, stored, shown }: ResourceField, byReference: boolean): boolean =>
  stored && (options.searchable === true || (byReference && shown && options.target !== undefined));

/** The field of a search pair. Responds 400 if it is not searchable. */
export const readSearchField = (
  resource: Resource,
  name: string,
  caller: Caller,
  { parameter = 'search', byReference = false } = {},
): FieldPath =>
  readPath(resource, name, caller, {
    parameter,
    accepts: (field) => isSearchable(field, byReference),
    names: searchableNames,
    refusal: 'is not searchable',
  });
