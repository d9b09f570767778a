import { useListContext } from 'react-admin';
import type { TrailEvent } from './sentences.ts';
import { Trail } from './Trail.tsx';

/** The events of a list as sentences. */
export default function TrailRows() {
  const { data = [] } = useListContext<TrailEvent>();
  return <Trail events={data} />;
}
