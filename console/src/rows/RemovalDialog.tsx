import { Box } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { chunk } from 'es-toolkit/array';
import type { ComponentProps } from 'react';
import { Link } from 'react-admin';
import { gatehouse } from '../data/api.ts';
import { useDescription, useDescriptions } from '../data/DescriptionsProvider.tsx';
import { countText, isBuiltin, listPath, removeWarningOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { ConfirmDialog } from '../widgets/ConfirmDialog.tsx';

/** The effect of a deletion on the rows that refer to the deleted one. Undefined: they lose the reference. */
type Outcome = 'restrict' | 'cascade' | undefined;

/** Every field that refers to a resource, and the effect of a deletion on its rows. The audit trail is not affected. */
export function useReferrers(target: string) {
  return [...useDescriptions().values()]
    .filter(({ name, operations }) => operations.has('list') && name !== 'events')
    .flatMap((resource) =>
      resource.fields
        .filter(({ references, writeOnly }) => references === target && !writeOnly)
        // Every reference of a declared resource is searchable. Of a built-in resource, only those marked as searchable.
        .filter(({ searchable }) => searchable || !isBuiltin(resource))
        .map(({ name, onDelete }) => ({ resource, field: name, outcome: outcomeOf(onDelete) })),
    );
}

const outcomeOf = (onDelete = 'restrict'): Outcome =>
  onDelete === 'restrict' || onDelete === 'cascade' ? onDelete : undefined;

const titles = new Map<Outcome, string>([
  ['restrict', 'These rows refer to it and prevent the deletion:'],
  ['cascade', 'These rows are deleted too:'],
  [undefined, 'These rows stay, but lose their reference:'],
]);

type DialogProps = ComponentProps<typeof ConfirmDialog>;

/** Asks before a row is deleted. */
export const RemovalDialog = ({ id, ...dialog }: DialogProps & { id: string }) => (
  <ConfirmDialog {...dialog} {...useRemoval([id])} />
);

/**
 * The content of a dialog that asks before rows are deleted: the rows that are deleted with them, the rows that lose their reference, and
 * the rows that prevent the deletion. `isListed`: these rows are few, so that a link can list the rows that refer to them.
 */
export function useRemoval(
  ids: readonly string[],
  isListed = true,
): Pick<DialogProps, 'danger' | 'disabled' | 'children'> {
  const description = useDescription();
  const { name } = description;
  const referrers = useReferrers(name);
  const { data = [] } = useQuery({
    queryKey: [name, 'goes-along', ids],
    queryFn: async () => {
      const counts = await Promise.all(
        referrers.map(async (referrer) => ({ ...referrer, count: await countOf(referrer, ids) })),
      );
      return counts.filter(({ count }) => count > 0);
    },
  });
  const isBlocked = data.some(({ outcome }) => outcome === 'restrict');
  const effects = [...titles]
    .map(([outcome, title]) => ({ outcome, title, rows: data.filter((referrer) => referrer.outcome === outcome) }))
    .filter(({ rows }) => rows.length > 0);
  const children = (
    <>
      {!isBlocked && removeWarningOf(description)}
      {effects.map(({ outcome, title, rows }) => (
        <Box key={title} sx={{ mt: 1, color: outcome === 'restrict' ? 'error.main' : undefined }}>
          {translate(title)}
          <Box component="ul" sx={{ my: 0.5, pl: 3 }}>
            {rows.map(({ resource, field, count }) => (
              <li key={`${resource.name} ${field}`}>
                {isListed ? (
                  <Link to={listPath(resource.name, { [field]: ids.length === 1 ? ids[0] : ids })} color="inherit">
                    {countText(count, resource)}
                  </Link>
                ) : (
                  countText(count, resource)
                )}
              </li>
            ))}
          </Box>
        </Box>
      ))}
    </>
  );
  return { danger: true, disabled: isBlocked, children };
}

/** A field that is not searchable, or a resource that this person may not read, is not counted. */
async function countOf({ resource, field }: ReturnType<typeof useReferrers>[number], ids: readonly string[]) {
  const rows = gatehouse.resource(resource.name);
  let count = 0;
  for (const some of chunk(ids, 100)) {
    const { pagination } = await rows
      .list({ search: { [field]: some }, limit: 1 })
      .catch(() => ({ pagination: { total: 0 } }));
    count += pagination.total ?? 0;
  }
  return count;
}
