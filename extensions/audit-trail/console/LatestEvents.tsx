import { useGetList } from 'react-admin';
import { translate } from '../../../console/src/text/translate.ts';
import { Section } from '../../../console/src/widgets/Section.tsx';
import type { TrailEvent } from './sentences.ts';
import { Trail } from './Trail.tsx';

export function LatestEvents() {
  const { data, error } = useGetList<TrailEvent>('events', {
    pagination: { page: 1, perPage: 10 },
    sort: { field: 'created_at', order: 'DESC' },
  });
  const empty = data?.length === 0 && translate('Nothing has happened yet.');
  return (
    <Section title={translate('Latest events')} to="/events" {...{ error, empty }}>
      <Trail events={data ?? []} />
    </Section>
  );
}
