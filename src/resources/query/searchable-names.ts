import type { Resource } from '../model/resource.ts';

export const searchableNames = ({ fields }: Resource): string[] =>
  [...fields.values()].filter(({ options, stored }) => options.searchable && stored).map(({ name }) => name);
