import { didYouMean } from '../check-options.ts';
import { oneOfValues, textOption } from '../option-kind.ts';
import { declareField, type ExactOptions, type Field, type FieldOptions } from './field.ts';
import { type FieldType, type OwnOptions, textValues } from './field-type.ts';
import { exampleId, uuidType } from './uuid.ts';

export interface ReferenceOptions extends FieldOptions<string> {
  /** The action on this row when the referenced row is deleted. The default is `restrict`. */
  onDelete?: 'restrict' | 'cascade' | 'set null';
}

/** The id of a row of another resource. That row must exist and be visible to the caller. */
export const reference = <const O extends ReferenceOptions = Record<never, never>>(
  target: string,
  options?: ExactOptions<O, ReferenceOptions>,
): Field<string, O> => declareField('reference', options, { target });

export const referenceTo = ({ check, expected, fromSearch }: FieldType): FieldType => ({
  ...textValues,
  name: 'reference',
  check,
  ownOptions: {
    target: textOption,
    onDelete: oneOfValues('restrict', 'cascade', 'set null'),
  } satisfies OwnOptions<ReferenceOptions & { target: string }>,
  checkOptions({ target = '', onDelete, required }, report, resources) {
    const resourceNames = [...resources];
    if (!resourceNames.includes(target))
      report(`there is no resource "${target}" to refer to.${didYouMean(target, resourceNames)}`);
    if (onDelete === 'set null' && required) {
      report("onDelete: 'set null' needs a field that may be null; drop `required`, or choose another.");
    }
  },
  schema: () => ({ type: 'string', examples: [exampleId] }),
  fromSearch,
  expected,
  indexing: 'always',
});

export const referenceType: FieldType = referenceTo(uuidType);
