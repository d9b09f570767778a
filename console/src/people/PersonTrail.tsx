import { Button } from '@mui/material';
import { useState } from 'react';
import { useGetList, useRecordContext } from 'react-admin';
import { say } from '../text/say.ts';
import type { TrailEvent } from '../trail/sentences.ts';
import { Trail } from '../trail/Trail.tsx';
import { Quiet, Section } from '../widgets/Section.tsx';
import type { Person } from './person.ts';

const step = 12;

/** What this person did, and what was done to them. */
export function PersonTrail() {
  const person = useRecordContext<Person>();
  const [shown, setShown] = useState(step);
  const {
    data = [],
    isPending,
    error,
    pageInfo,
    total,
  } = useGetList<TrailEvent>(
    'events',
    {
      filter: { 'user_id|actor_id': person?.id },
      pagination: { page: 1, perPage: shown },
      sort: { field: 'created_at', order: 'DESC' },
    },
    { enabled: person !== undefined },
  );
  const more = pageInfo?.hasNextPage ?? (total ?? 0) > data.length;
  return (
    <Section title={say('What happened')}>
      {error && <Quiet>{say('It cannot be shown: {reason}', { reason: error.message })}</Quiet>}
      {!error && !isPending && data.length === 0 && <Quiet>{say('Nothing has happened yet.')}</Quiet>}
      <Trail events={data} />
      {more && shown < 96 && (
        <Button onClick={() => setShown(shown + step)} sx={{ m: 1 }}>
          {say('Show more')}
        </Button>
      )}
    </Section>
  );
}
