import { useGetManyAggregate } from 'react-admin';
import { rowName } from '../text/presentation.ts';
import { useDescriptions } from './DescriptionsProvider.tsx';

/** The name of a row. Undefined: the row is deleted, or not visible to this user. All names on a page are read with one request. */
export function useRowName(resource: string, id: unknown): { name: string | undefined; isLoading: boolean } {
  const description = useDescriptions().get(resource);
  const isReadable = typeof id === 'string' && id !== '' && description?.operations.has('list') === true;
  const { data, isLoading } = useGetManyAggregate(resource, { ids: isReadable ? [id] : [] }, { enabled: isReadable });
  const row = data?.[0];
  return { name: description && row && rowName(description, row), isLoading };
}
