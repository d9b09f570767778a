import { createContext, type ReactNode, useContext } from 'react';
import { useResourceContext } from 'react-admin';
import type { ResourceDescription } from './descriptions.ts';

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
