import { Box } from '@mui/material';
import { AutocompleteInput, DateInput, NumberInput, SelectInput, TextInput } from 'react-admin';
import { kindsOfEvents } from '../../../extensions/all-console-parts.ts';
import { type FieldDescription, useDescriptions } from '../data/DescriptionsProvider.tsx';
import { choicesOf, RowInput } from '../forms/Input.tsx';
import { translate } from '../text/translate.ts';

export interface FilterProps {
  source: string;
  label: string;
  field: FieldDescription;
  alwaysOn?: boolean;
}

const yesOrNo = [
  { id: 'true', name: 'Yes' },
  { id: 'false', name: 'No' },
];
const deletedRows = [
  { id: 'only', name: 'Only deleted rows' },
  { id: 'with', name: 'Deleted rows too' },
];

/** The control of one filter. */
export default function FilterControl({ field, ...props }: FilterProps) {
  const descriptions = useDescriptions();
  if (field.references !== undefined) return <RowInput {...props} reference={field.references} />;
  switch (field.type) {
    case 'event_kind':
      return <AutocompleteInput {...props} choices={kindsOfEvents(descriptions.values())} />;
    case 'deleted':
      return <SelectInput {...props} choices={deletedRows} />;
    case 'boolean':
      return <SelectInput {...props} choices={yesOrNo} />;
    case 'enum':
      return <SelectInput {...props} choices={choicesOf(field.values)} />;
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
