import { createContext, type ReactNode, useContext } from 'react';
import { useGetMany, useListContext, useRecordContext } from 'react-admin';
import { RouteLink } from '../app/router.tsx';
import { type FieldDescription, useDescriptions, useRowName } from '../data/DescriptionsProvider.tsx';
import { rowName, shortId, showPath } from '../text/presentation.ts';

/** By field name: returns the names of the rows to which the rows of this list refer. */
const Referred = createContext<ReadonlyMap<string, (id: string) => ReturnType<typeof useRowName>>>(new Map());

/** Reads the rows that a list refers to with one query for each field, because a query for each cell takes longer. */
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
  const description = useDescriptions().get(references);
  const { data: rows = [] } = useListContext();
  const ids = [...new Set(rows.map((row) => row[name]).filter((id): id is string => typeof id === 'string'))];
  const enabled = ids.length > 0 && description?.operations.has('list') === true;
  const { data = [], isLoading } = useGetMany(references, { ids }, { enabled });
  const rowsById = new Map(data.filter(Boolean).map((row) => [row.id, row]));
  const nameOf = (id: string) => {
    const row = rowsById.get(id);
    return { name: description && row && rowName(description, row), isLoading };
  };
  return <Referred.Provider value={new Map([...outer, [name, nameOf]])}>{children}</Referred.Provider>;
}

interface Props {
  field: FieldDescription;
  linked: boolean;
}

/** The name of the row to which a field refers, as a link. */
export function Reference(props: Props) {
  const id: string | null | undefined = useRecordContext()?.[props.field.name];
  const nameOf = useContext(Referred).get(props.field.name);
  if (!id) return <span className="value">–</span>;
  return nameOf ? <Name {...props} id={id} {...nameOf(id)} /> : <ReferenceOutsideList {...props} id={id} />;
}

function ReferenceOutsideList(props: Props & { id: string }) {
  return <Name {...props} {...useRowName(props.field.references ?? '', props.id)} />;
}

function Name({ field, linked, id, name, isLoading }: Props & { id: string } & ReturnType<typeof useRowName>) {
  const { references = '' } = field;
  const hasPage = useDescriptions().get(references)?.operations.has('find');
  if (isLoading) return <span className="value">…</span>;
  if (name === undefined) {
    return (
      <span className="value mono" title={id}>
        {shortId(id)}
      </span>
    );
  }
  if (!linked || !hasPage) return <span className="value">{name}</span>;
  return (
    <RouteLink className="value reference" to={showPath(references, id)} state={{ _scrollToTop: true }}>
      {name}
    </RouteLink>
  );
}
