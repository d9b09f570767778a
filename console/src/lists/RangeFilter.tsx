import { Box } from '@mui/material';
import { DateInput, NumberInput } from 'react-admin';
import { say } from '../text/say.ts';

interface Props {
  source: string;
  label: string;
  kind: 'number' | 'day';
}

/** A filter with an optional start and an optional end. */
export function RangeFilter({ source, label, kind }: Props) {
  const End = kind === 'number' ? NumberInput : DateInput;
  return (
    <Box role="group" aria-label={label} sx={{ display: 'flex', gap: 1, minWidth: { sm: 320 } }}>
      <End
        source={`${source}.from`}
        label={say('{field} from', { field: label })}
        helperText={false}
        sx={{ flex: 1 }}
      />
      <End source={`${source}.to`} label={say('{field} to', { field: label })} helperText={false} sx={{ flex: 1 }} />
    </Box>
  );
}
