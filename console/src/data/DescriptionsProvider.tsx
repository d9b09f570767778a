import { createContext, type ReactNode, useContext } from 'react';
import { useGetManyAggregate, useResourceContext } from 'react-admin';
import { rowName } from '../text/presentation.ts';
import type { ResourceDescription } from './descriptions.ts';

export type { ActionDescription, FieldDescription, RelationDescription, ResourceDescription } from './descriptions.ts';

const Descriptions = createContext<ReadonlyMap<string, ResourceDescription>>(new Map());

export function DescriptionsProvider({ all, children }: { all: readonly ResourceDescription[]; children: ReactNode }) {
  return (
    <Descriptions.Provider value={new Map(all.map((description) => [description.name, description]))}>
      {children}
    </Descriptions.Provider>
  );
}

export const useDescriptions = (): ReadonlyMap<string, ResourceDescription> => useContext(Descriptions);

/** The description of the resource around the component. */
export function useDescription(): ResourceDescription {
  const name = useResourceContext() ?? '';
  const description = useContext(Descriptions).get(name);
  if (!description) throw new Error(`The service describes no resource "${name}".`);
  return description;
}

/** The name of a row. Undefined: the row is deleted, or not visible to this user. All names on a page are read with one request. */
export function useRowName(resource: string, id: unknown): { name: string | undefined; isLoading: boolean } {
  const description = useDescriptions().get(resource);
  const isReadable = typeof id === 'string' && id !== '' && description?.operations.has('list') === true;
  const { data, isLoading } = useGetManyAggregate(resource, { ids: isReadable ? [id] : [] }, { enabled: isReadable });
  const row = data?.[0];
  return { name: description && row && rowName(description, row), isLoading };
}
