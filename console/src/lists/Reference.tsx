import { createContext, type ReactNode, useContext } from 'react';
import {
  type RaRecord,
  useCreatePath,
  useGetMany,
  useGetManyAggregate,
  useListContext,
  useRecordContext,
} from 'react-admin';

import { RouteLink } from '../app/router.tsx';
import { useDescriptions } from '../data/described.tsx';
import type { FieldDescription } from '../data/descriptions.ts';
import { rowName, shortId } from '../text/presentation.ts';

type Found = ReadonlyMap<string, RaRecord> | 'loading';

/** The rows to which the rows of this list refer, by field name. */
const Referred = createContext<ReadonlyMap<string, Found>>(new Map());

/** Reads the rows that a list refers to with one request for each field, instead of one for each cell. */
export function ReferredRows({ fields, children }: { fields: FieldDescription[]; children: ReactNode }) {
  const [field, ...more] = fields.filter(({ references }) => references !== undefined);
  if (!field) return children;
  return (
    <ReferredBy field={field}>
      <ReferredRows fields={more}>{children}</ReferredRows>
    </ReferredBy>
  );
}

function ReferredBy({ field: { name, references = '' }, children }: { field: FieldDescription; children: ReactNode }) {
  const outer = useContext(Referred);
  const isReadable = useDescriptions().get(references)?.operations.has('list') ?? false;
  const { data: rows = [] } = useListContext();
  const ids = [...new Set(rows.map((row) => row[name]).filter((id): id is string => typeof id === 'string'))];
  const { data = [], isLoading } = useGetMany(references, { ids }, { enabled: isReadable && ids.length > 0 });
  const found = isLoading ? 'loading' : new Map(data.filter(Boolean).map((row) => [String(row.id), row]));
  return <Referred.Provider value={new Map([...outer, [name, found]])}>{children}</Referred.Provider>;
}

/** The name of the row to which a field refers, as a link. */
export function Reference({ field, linked }: { field: FieldDescription; linked: boolean }) {
  const row = useRecordContext();
  const found = useContext(Referred).get(field.name);
  const id: string | null | undefined = row?.[field.name];
  if (!id) return <span className="value">–</span>;
  if (found === 'loading') return <span className="value">…</span>;
  if (!found) return <ReferenceLink field={field} id={id} linked={linked} />;
  return <Name field={field} id={id} row={found.get(id)} linked={linked} />;
}

/** A reference outside of a list. */
function ReferenceLink({ field, id, linked }: { field: FieldDescription; id: string; linked: boolean }) {
  const { data } = useGetManyAggregate(field.references ?? '', { ids: [id] });
  return <Name field={field} id={id} row={data?.[0]} linked={linked} />;
}

interface NameProps {
  field: FieldDescription;
  id: string;
  row: RaRecord | undefined;
  linked: boolean;
}

function Name({ field: { references = '' }, id, row, linked }: NameProps) {
  const description = useDescriptions().get(references);
  const createPath = useCreatePath();
  // Deleted, or not visible to this user.
  if (!row || !description) {
    return (
      <span className="value mono" title={id}>
        {shortId(id)}
      </span>
    );
  }
  const name = rowName(description, row);
  if (!linked || !description.operations.has('find')) return <span className="value">{name}</span>;
  return (
    <RouteLink
      className="value reference"
      to={createPath({ resource: references, type: 'show', id })}
      state={{ _scrollToTop: true }}
    >
      {name}
    </RouteLink>
  );
}
