import { Box, Button } from '@mui/material';
import {
  AutocompleteArrayInput,
  AutocompleteInput,
  BooleanInput,
  DateInput,
  DateTimeInput,
  NumberInput,
  PasswordInput,
  ReferenceInput,
  required,
  SelectInput,
  TextArrayInput,
  TextInput,
  useGetList,
  useRecordContext,
  type Validator,
} from 'react-admin';
import { useFormContext } from 'react-hook-form';
import { useDescription, useDescriptions } from '../data/DescriptionsProvider.tsx';
import type { FieldDescription, ResourceDescription } from '../data/descriptions.ts';
import { anywhereKey } from '../data/to-list-query.ts';
import { fieldLabel, helpOf, labelOf, nameField, rowDetail, rowName, searchedFields } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { rulesOf } from './rules-of.ts';
import { formatJson, parseTypedJson, prettyPrint } from './typed-json.ts';

/** The controls of react-admin translate the names of choices. */
export const choicesOf = (values: readonly string[] = []) => values.map((value) => ({ id: value, name: value }));

/** The scopes of OpenID Connect. */
const identityScopes = ['openid', 'profile', 'email', 'phone', 'offline_access'];

/** The control of a field. */
export function Input({ field }: { field: FieldDescription }) {
  const description = useDescription();
  const descriptions = useDescriptions();
  const help = helpOf(description.name, field, useRecordContext()?.id === undefined);
  const { name, type, values, references, max = 255 } = field;
  const names = description.relations.find(({ kind, list }) => kind === 'listsNames' && list === name);
  const common = {
    source: name,
    label: fieldLabel(field),
    helperText: help ?? (false as const),
    validate: rulesOf(field),
  };
  const { default: defaultValue } = field;

  if (references !== undefined) return <RowInput {...common} reference={references} />;
  if (name === 'scopes') {
    const scopes = ['*', ...[...descriptions.keys()].flatMap((resource) => [`${resource}:read`, `${resource}:write`])];
    const choices = choicesOf(description.name === 'clients' ? [...identityScopes, ...scopes] : scopes);
    // The service gives a client the scopes of its type, and a token without scopes those of its owner.
    const validate = description.name === 'tokens' ? required() : common.validate;
    return <AutocompleteArrayInput {...common} {...{ choices, validate }} />;
  }
  if (name === 'resources' && description.name === 'webhooks') {
    const followed = [...descriptions.values()].filter(({ changes }) => changes);
    return (
      <AutocompleteArrayInput {...common} choices={followed.map((each) => ({ id: each.name, name: labelOf(each) }))} />
    );
  }
  if (names && !values) return <NamesInput {...common} resource={names.resource} keyField={names.key ?? 'name'} />;
  switch (type) {
    case 'boolean':
      return <BooleanInput {...common} defaultValue={defaultValue === true} />;
    case 'integer':
    case 'number':
      return <NumberInput {...common} step={type === 'integer' ? 1 : 'any'} defaultValue={defaultValue} />;
    case 'decimal':
      return <TextInput {...common} defaultValue={defaultValue} slotProps={{ htmlInput: { inputMode: 'decimal' } }} />;
    case 'date':
      return <DateInput {...common} />;
    case 'timestamp':
      return <DateTimeInput {...common} />;
    case 'enum':
      return <SelectInput {...common} defaultValue={defaultValue} choices={choicesOf(values)} />;
    case 'list':
      return values ? (
        <AutocompleteArrayInput {...common} defaultValue={defaultValue as string[]} choices={choicesOf(values)} />
      ) : (
        <TextArrayInput {...common} helperText={help ?? translate('Press Enter after each.')} />
      );
    case 'json':
      return <JsonInput {...common} />;
    default:
      return name.includes('password') ? (
        <PasswordInput {...common} autoComplete="new-password" />
      ) : (
        <TextInput
          {...common}
          defaultValue={defaultValue}
          multiline={max > 500}
          {...(typeof field.example === 'string'
            ? { placeholder: translate('Such as {example}', { example: field.example }) }
            : {})}
        />
      );
  }
}

type CommonProps = { source: string; label: string };

type RowInputProps = CommonProps & { reference: string; alwaysOn?: boolean; validate?: Validator | Validator[] };

/** Chooses a row of another resource by its name. */
export function RowInput({ reference, ...common }: RowInputProps) {
  const target = useDescriptions().get(reference);
  const telling = target && nameField(target);
  return (
    <ReferenceInput source={common.source} reference={reference} perPage={25} sort={sortOf(telling)}>
      <AutocompleteInput
        {...common}
        optionText={target ? <Choice target={target} /> : 'id'}
        inputText={(row: Record<string, unknown>) => (target ? rowName(target, row) : String(row?.id))}
        matchSuggestion={() => true}
        filterToQuery={(typed: string) => queryFor(target, typed)}
      />
    </ReferenceInput>
  );
}

/** A row to choose: its name, and a detail that distinguishes it from others. */
function Choice({ target }: { target: ResourceDescription }) {
  const row = useRecordContext();
  if (!row) return null;
  const detail = rowDetail(target, row);
  return (
    <span>
      {rowName(target, row)} {detail !== undefined && <span className="detail small quiet">{detail}</span>}
    </span>
  );
}

const sortOf = (telling: FieldDescription | undefined) =>
  telling?.sortable ? ({ field: telling.name, order: 'ASC' } as const) : ({ field: 'id', order: 'DESC' } as const);

function queryFor(target: ResourceDescription | undefined, typed: string) {
  const fields = typed === '' || !target ? [] : searchedFields(target);
  return fields.length > 0 ? { [anywhereKey(fields)]: typed } : {};
}

/** A list of names of another resource's rows, such as the roles of a user. */
function NamesInput({ resource, keyField, ...common }: CommonProps & { resource: string; keyField: string }) {
  const { data = [] } = useGetList(resource, {
    pagination: { page: 1, perPage: 100 },
    sort: { field: keyField, order: 'ASC' },
  });
  return <AutocompleteArrayInput {...common} choices={choicesOf(data.map((row) => String(row[keyField])))} />;
}

/** An input for JSON. It is validated at each key press, and can be formatted. */
function JsonInput(props: CommonProps & { helperText: string | false; validate: Validator[] }) {
  const { getValues, setValue, trigger } = useFormContext();
  return (
    <Box sx={{ width: '100%' }}>
      <TextInput
        {...props}
        multiline
        minRows={3}
        format={formatJson}
        parse={(text: string) => {
          // Shows the error at once, and not only after a save.
          setTimeout(() => void trigger(props.source));
          return parseTypedJson(text);
        }}
        slotProps={{ htmlInput: { className: 'mono', spellCheck: false } }}
      />
      <Button
        size="small"
        onClick={() => setValue(props.source, prettyPrint(getValues(props.source)), { shouldDirty: true })}
      >
        {translate('Format JSON')}
      </Button>
    </Box>
  );
}
