import { List, ListItem, ListItemText, Typography } from '@mui/material';
import { useGetList } from 'react-admin';
import { useDescription, useDescriptions } from '../data/described.tsx';
import { humanised, isOwn } from '../text/presentation.ts';
import { locale, say } from '../text/say.ts';
import { within } from '../text/words.ts';
import { Away } from '../widgets/LoadError.tsx';

/** By which field of the events a row of each of the service's own resources is found; the operator's by the row. */
const subject = new Map([
  ['users', 'user_id'],
  ['clients', 'client_id'],
  ['tokens', 'session_id'],
]);

/** What happened to a row, newest first, from the audit trail. */
export function History({ id }: { id: string }) {
  const description = useDescription();
  const known = useDescriptions().has('events');
  const { data, error, isPending, refetch } = useGetList(
    'events',
    {
      filter: { [subject.get(description.name) ?? 'row_id']: id },
      pagination: { page: 1, perPage: 100 },
      sort: { field: 'created_at', order: 'DESC' },
    },
    { enabled: known },
  );
  if (error) return <Away error={error} retry={() => void refetch()} />;
  if (isPending) return <Typography sx={{ p: 2 }}>…</Typography>;
  if (data.length === 0) {
    return (
      <Typography sx={{ p: 2, color: 'text.secondary' }}>
        {say('Nothing is recorded of this row.')}{' '}
        {!isOwn(description) && say('A resource that is declared with “events: true” has a history.')}
      </Typography>
    );
  }
  return (
    <List aria-label={say('History')}>
      {data.map((event) => (
        <ListItem key={event.id} disableGutters divider>
          <ListItemText
            primary={say(humanised(String(event.type).replace(/^.*\./, '')))}
            secondary={[when(event.created_at), changesIn(event.data)].filter(Boolean).join(' · ')}
          />
        </ListItem>
      ))}
    </List>
  );
}

const when = (moment: string): string =>
  new Date(moment).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** `seats: 4 → 5`, for each field that changed. */
function changesIn(data: { changes?: Record<string, unknown> } | undefined): string {
  return Object.entries(data?.changes ?? {})
    .map(([field, change]) => `${within(say(humanised(field)))}: ${shown(change)}`)
    .join(', ');
}

function shown(change: unknown): string {
  if (change === null || typeof change !== 'object') return JSON.stringify(change) ?? '';
  const { from, to } = change as Record<string, unknown>;
  if (from === undefined && to === undefined) return say('changed');
  return from === undefined ? JSON.stringify(to) : `${JSON.stringify(from)} → ${JSON.stringify(to ?? null)}`;
}
