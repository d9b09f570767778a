import { Box } from '@mui/material';
import { AutocompleteInput, DateInput, NumberInput, SelectInput, TextInput } from 'react-admin';
import { useDescriptions } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { RowInput } from '../forms/Input.tsx';
import { translate } from '../text/translate.ts';
import { kindsOfEvents } from '../trail/sentences.ts';

export interface FilterProps {
  source: string;
  label: string;
  field?: FieldDescription;
  /** The choices, for a filter without a field. */
  choices?: readonly { id: string; name: string }[];
  alwaysOn?: boolean;
}

const yesOrNo = () => [
  { id: 'true', name: translate('Yes') },
  { id: 'false', name: translate('No') },
];
const fewChoices = 5;

/** The control of one filter. */
export default function FilterControl({ field, choices, ...props }: FilterProps) {
  if (field?.references !== undefined) return <RowInput {...props} reference={field.references} />;
  if (choices) {
    const Choice = choices.length > fewChoices ? AutocompleteInput : SelectInput;
    return <Choice {...props} choices={[...choices]} />;
  }
  switch (field?.type) {
    case 'event_kind':
      return <KindFilter {...props} />;
    case 'boolean':
      return <SelectInput {...props} choices={yesOrNo()} />;
    case 'enum':
      return (
        <SelectInput
          {...props}
          choices={(field.values ?? []).map((value) => ({ id: value, name: translate(value) }))}
        />
      );
    case 'integer':
    case 'number':
    case 'decimal':
      return <RangeFilter {...props} kind="number" />;
    case 'date':
    case 'timestamp':
      return <RangeFilter {...props} kind="day" />;
    default:
      return <TextInput {...props} />;
  }
}

/** Every kind of event in the audit trail. */
function KindFilter(props: Omit<FilterProps, 'field' | 'choices'>) {
  return <AutocompleteInput {...props} choices={kindsOfEvents(useDescriptions().values())} />;
}

/** A filter with an optional start and an optional end. */
function RangeFilter({ source, label, kind }: { source: string; label: string; kind: 'number' | 'day' }) {
  const End = kind === 'number' ? NumberInput : DateInput;
  return (
    <Box role="group" aria-label={label} sx={{ display: 'flex', gap: 1, minWidth: { sm: 320 } }}>
      {(['from', 'to'] as const).map((end) => (
        <End
          key={end}
          source={`${source}.${end}`}
          label={translate(end === 'from' ? '{field} from' : '{field} to', { field: label })}
          helperText={false}
          sx={{ flex: 1 }}
        />
      ))}
    </Box>
  );
}
