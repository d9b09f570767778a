import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import { DateField, FunctionField, NumberField, ReferenceField, TextField, useRecordContext } from 'react-admin';
import type { FieldDescription } from './descriptions.ts';
import { shortId } from './presentation.ts';
import { locale, say } from './say.ts';
import { isOwnSession } from './session/own-session.ts';

const none = '–';

/** A declared value may be said otherwise in the reader's language. */
const sayValue = (value: unknown): unknown => (typeof value === 'string' ? say(value) : value);

/** One field of the row, as its type is read. */
export function Value({ field, linked = true }: { field: FieldDescription; linked?: boolean }) {
  const { name: source, type, references } = field;
  const row = useRecordContext();
  if (references !== undefined) {
    return (
      <ReferenceField
        source={source}
        reference={references}
        link={linked && 'show'}
        empty={<ForeignId value={row?.[source] as string | null | undefined} />}
      />
    );
  }
  switch (type) {
    case 'boolean':
      return <FunctionField source={source} render={() => <YesOrNo is={row?.[source]} />} />;
    case 'integer':
    case 'number':
      return <NumberField source={source} emptyText={none} locales={locale} />;
    case 'date':
      return <DateField source={source} emptyText={none} locales={locale} options={day} />;
    case 'timestamp':
      return <DateField source={source} emptyText={none} locales={locale} showTime options={moment} />;
    case 'enum':
      // Whoever ends sessions should know which one is theirs.
      if (row && isOwnSession(row.id)) return <Words values={[say(String(row[source])), say('This session')]} />;
      return <FunctionField source={source} render={() => <Words values={[row?.[source]].map(sayValue)} />} />;
    case 'list':
      return <FunctionField source={source} render={() => <Words values={(row?.[source] as unknown[]) ?? []} />} />;
    case 'json':
      return <FunctionField source={source} render={() => <Json value={row?.[source]} />} />;
    case 'uuid':
      return <TextField source={source} emptyText={none} className="mono" />;
    default:
      return <TextField source={source} emptyText={none} sx={{ overflowWrap: 'anywhere' }} />;
  }
}

const day: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeZone: 'UTC' };
const moment: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };

/** A reference to a row that is gone, or that one may not see. */
function ForeignId({ value }: { value: string | null | undefined }) {
  if (!value) return none;
  return (
    <span className="mono" title={value}>
      {shortId(value)}
    </span>
  );
}

/** A word, and not a sign that has to be guessed at. */
function YesOrNo({ is }: { is: unknown }) {
  if (typeof is !== 'boolean') return none;
  return (
    <Box component="span" sx={is ? { fontWeight: 600 } : { color: 'text.secondary' }}>
      {is ? say('Yes') : say('No')}
    </Box>
  );
}

function Words({ values }: { values: unknown[] }) {
  const words = values.filter((value) => value !== null && value !== undefined).map(String);
  if (words.length === 0) return none;
  return (
    <Box component="span" sx={{ display: 'inline-flex', flexWrap: 'wrap', gap: 0.5 }}>
      {words.map((word) => (
        <Chip key={word} label={word} size="small" variant="outlined" />
      ))}
    </Box>
  );
}

function Json({ value }: { value: unknown }) {
  if (value === null || value === undefined || Object.keys(value).length === 0) return none;
  return (
    <Box component="pre" className="mono" sx={{ m: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {JSON.stringify(value, null, 2)}
    </Box>
  );
}
