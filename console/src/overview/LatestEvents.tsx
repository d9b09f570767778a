import { useGetList } from 'react-admin';
import { say } from '../text/say.ts';
import type { TrailEvent } from '../trail/sentences.ts';
import { Trail } from '../trail/Trail.tsx';
import { Quiet, Section } from '../widgets/Section.tsx';

export function LatestEvents() {
  const {
    data = [],
    isPending,
    error,
  } = useGetList<TrailEvent>('events', {
    pagination: { page: 1, perPage: 10 },
    sort: { field: 'created_at', order: 'DESC' },
  });
  return (
    <Section title={say('Latest events')} to="/events">
      {error && <Quiet>{say('This cannot be shown: {reason}', { reason: error.message })}</Quiet>}
      {!error && !isPending && data.length === 0 && <Quiet>{say('Nothing has happened yet.')}</Quiet>}
      <Trail events={data} />
    </Section>
  );
}
