import type { ResourceDefinition } from '../../src/resources/declaration/define-resource.ts';
import { isIndexed, isTooLongToIndex } from '../../src/resources/declaration/fields/field-types.ts';
import { indexableMax } from '../../src/resources/declaration/fields/text.ts';

/** Warnings about queries without an index. Startup reports them, because such queries become slow only when the table grows. */
export function missingIndexWarnings(definitions: readonly ResourceDefinition[]): string[] {
  return definitions
    .filter(({ managed }) => managed)
    .flatMap((definition) =>
      Object.entries(definition.fields)
        .filter(([, field]) => (field.options.searchable || field.options.sortable) && !isIndexed(field))
        .map(([name, field]) => {
          const advice = isTooLongToIndex(field)
            ? `give it a max of at most ${indexableMax}`
            : 'narrow a search down by another field';
          return `${definition.name}.${name} can be searched or sorted, but has no usable index: on a large table ${advice}.`;
        }),
    );
}
