import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useLayoutEffect } from 'react';
import { Link } from 'react-admin';
import { rowsOf, type Selection } from '../bulk/selected-rows.ts';
import { gatehouse } from '../data/api.ts';
import { useDescription, useDescriptions } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { counted, isOwn, listPath } from '../text/presentation.ts';
import { say } from '../text/say.ts';

/** The effect of a deletion on the rows that refer to the deleted one. Undefined: they lose the reference. */
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
  selection: Selection;
  /** Called with true if other rows prevent the deletion. */
  onBlocked: (isBlocked: boolean) => void;
}

/** Before rows are deleted: which rows go with them, which lose their reference, and which prevent it. */
export function GoesAlong({ selection, onBlocked }: Props) {
  const { name } = useDescription();
  const referrers = useReferrers(name);
  const { data = [] } = useQuery({
    queryKey: [name, 'goes-along', selection],
    queryFn: async ({ signal }) => {
      const ids = await idsOf(name, selection, signal);
      const found = await Promise.all(
        referrers.map(async (referrer) => ({ ...referrer, count: await countOf(referrer, ids) })),
      );
      return found.filter(({ count }) => count > 0);
    },
  });
  const isBlocked = data.some(({ outcome }) => outcome === 'restrict');
  // Before the next paint: nobody may see the reason and still be able to confirm.
  useLayoutEffect(() => onBlocked(isBlocked), [isBlocked, onBlocked]);
  return [...titles].map(([outcome, title]): ReactNode => {
    const rows = data.filter((one) => one.outcome === outcome);
    if (rows.length === 0) return null;
    return (
      <Box key={title} sx={{ mt: 1, color: outcome === 'restrict' ? 'error.main' : undefined }}>
        {say(title)}
        <Box component="ul" sx={{ my: 0.5, pl: 3 }}>
          {rows.map(({ resource, field, count }) => (
            <li key={`${resource.name} ${field}`}>
              {'ids' in selection ? (
                <Link
                  to={listPath(resource.name, {
                    [field]: selection.ids.length === 1 ? selection.ids[0] : selection.ids,
                  })}
                  color="inherit"
                >
                  {counted(count, resource)}
                </Link>
              ) : (
                counted(count, resource)
              )}
            </li>
          ))}
        </Box>
      </Box>
    );
  });
}

/** So many rows are looked up before they are deleted. Of more, the report tells which could not be. */
const mostLookedUp = 1000;
const atOnce = 100;

async function idsOf(resource: string, selection: Selection, signal: AbortSignal): Promise<readonly string[]> {
  if ('ids' in selection) return selection.ids;
  const ids: string[] = [];
  for await (const { id } of rowsOf(resource, selection, signal)) {
    if (ids.push(id) > mostLookedUp) return [];
  }
  return ids;
}

/** A field that cannot be searched, or a resource that this person may not read, is not counted. */
async function countOf({ resource, field }: Referrer, ids: readonly string[]): Promise<number> {
  const rows = gatehouse.resource(resource.name);
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    const { pagination } = await rows
      .list({ search: { [field]: ids.slice(start, start + atOnce) }, limit: 1 })
      .catch(() => ({ pagination: { total: 0 } }));
    count += pagination.total ?? 0;
  }
  return count;
}
