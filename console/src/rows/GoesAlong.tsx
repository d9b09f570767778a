import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescription, useDescriptions } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { counted, isOwn, listPath } from '../text/presentation.ts';
import { say } from '../text/say.ts';

/** What a deletion does to the rows that refer to the deleted one; undefined: they lose the reference. */
type Outcome = 'restrict' | 'cascade' | undefined;

interface Referrer {
  resource: ResourceDescription;
  field: string;
  outcome: Outcome;
}

/** Every field that refers to a resource, and what a deletion does to its rows. The audit trail is kept as it is. */
export function useReferrers(target: string): Referrer[] {
  return [...useDescriptions().values()]
    .filter(({ name, operations }) => operations.has('list') && name !== 'events')
    .flatMap((resource) =>
      resource.fields
        .filter(({ references, writeOnly }) => references === target && !writeOnly)
        // Every reference of a declared resource can be searched; of a built-in one, those that say so.
        .filter(({ searchable }) => searchable || !isOwn(resource))
        .map(({ name, onDelete }) => ({ resource, field: name, outcome: outcomeOf(onDelete) })),
    );
}

const outcomeOf = (onDelete = 'restrict'): Outcome =>
  onDelete === 'restrict' || onDelete === 'cascade' ? onDelete : undefined;

const titles = new Map<Outcome | undefined, string>([
  ['restrict', 'These rows refer to it and prevent the deletion:'],
  ['cascade', 'These rows are deleted too:'],
  [undefined, 'These rows stay, but lose their reference:'],
]);

interface Props {
  ids: readonly string[];
  /** Called with true if other rows prevent the deletion. */
  onBlocked: (isBlocked: boolean) => void;
}

/** Before rows are deleted: which rows go with them, which lose their reference, and which prevent it. */
export function GoesAlong({ ids, onBlocked }: Props) {
  const { name } = useDescription();
  const referrers = useReferrers(name);
  const { data = [] } = useQuery({
    queryKey: [name, 'goes-along', ids],
    queryFn: async () => {
      const found = await Promise.all(
        referrers.map(async (referrer) => ({ ...referrer, count: await countOf(referrer, ids) })),
      );
      return found.filter(({ count }) => count > 0);
    },
  });
  const isBlocked = data.some(({ outcome }) => outcome === 'restrict');
  useEffect(() => onBlocked(isBlocked), [isBlocked, onBlocked]);
  return [...titles].map(([outcome, title]): ReactNode => {
    const rows = data.filter((one) => one.outcome === outcome);
    if (rows.length === 0) return null;
    return (
      <Box key={title} sx={{ mt: 1, color: outcome === 'restrict' ? 'error.main' : undefined }}>
        {say(title)}
        <Box component="ul" sx={{ my: 0.5, pl: 3 }}>
          {rows.map(({ resource, field, count }) => (
            <li key={`${resource.name} ${field}`}>
              <Link to={listPath(resource.name, { [field]: ids.length === 1 ? ids[0] : ids })} color="inherit">
                {counted(count, resource)}
              </Link>
            </li>
          ))}
        </Box>
      </Box>
    );
  });
}

/** A field that cannot be searched, or a resource that this person may not read, is not counted. */
async function countOf({ resource, field }: Referrer, ids: readonly string[]): Promise<number> {
  const rows = gatehouse.resource(resource.name);
  const { pagination } = await rows
    .list({ search: { [field]: [...ids] }, limit: 1 })
    .catch(() => ({ pagination: { total: 0 } }));
  return pagination.total ?? 0;
}
