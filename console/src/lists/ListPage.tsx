import { Box, Card } from '@mui/material';
import {
  type ComponentProps,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useState,
} from 'react';
import { FilterContext, ListBase, Title, useListContext } from 'react-admin';
import { removeFirstRows } from '../app/first-rows.ts';
import { ColumnsOpened } from '../app/later-parts.tsx';
import { ListError } from '../widgets/LoadError.tsx';
import { PageActions } from '../widgets/PageActions.tsx';
import type { FilterProps } from './FilterControl.tsx';
import { ListActions } from './ListActions.tsx';
import { SearchBox } from './SearchBox.tsx';

const FilterForm = lazy(() => import('./FilterForm.tsx'));

interface Parts {
  title: ReactElement;
  search: ComponentProps<typeof SearchBox> | undefined;
  filters: ReactElement<FilterProps>[];
  empty: ReactNode;
  pages: ReactNode;
  children: ReactNode;
}

/** react-admin's list, with its form of filters loaded when the first filter is opened. */
export function ListPage({ title, search, filters, empty, pages, children, ...list }: Parts & ListProps) {
  return (
    <ListBase disableAuthentication exporter={false} {...list}>
      <FilterContext.Provider value={filters}>
        <ListView {...{ title, search, filters, empty, pages, children }} />
      </FilterContext.Provider>
    </ListBase>
  );
}

type ListProps = Pick<ComponentProps<typeof ListBase>, 'sort' | 'perPage' | 'queryOptions'>;

function ListView({ title, search, filters, empty, pages, children }: Parts) {
  const { error, isPending, total, data, filterValues, displayedFilters, page } = useListContext();
  useEffect(() => {
    if (!isPending) removeFirstRows();
  }, [isPending]);
  const isEmpty =
    !error && !isPending && Object.keys(filterValues).length === 0 && page === 1 && (total === 0 || data?.length === 0);
  const isFiltered = filters.some(
    ({ props: { alwaysOn, source } }) => alwaysOn || displayedFilters?.[source] || filterValues[source] !== undefined,
  );
  const [areColumnsOpened, setColumnsOpened] = useState(false);
  const openColumns = useCallback(() => setColumnsOpened(true), []);
  const actions = <ListActions onColumns={openColumns} />;
  return (
    <div className="list-page">
      <Title title={title} />
      {isEmpty ? (
        empty
      ) : (
        <Box sx={{ minWidth: 0 }}>
          <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1, mb: 1 }}>
            {search && <SearchBox {...search} />}
            <Suspense>{isFiltered && <FilterForm />}</Suspense>
            {search ? <Box sx={{ ml: 'auto' }}>{actions}</Box> : <PageActions>{actions}</PageActions>}
          </Box>
          <ColumnsOpened.Provider value={areColumnsOpened}>
            <Card sx={{ overflow: 'visible' }}>{error ? <ListError /> : children}</Card>
          </ColumnsOpened.Provider>
          {pages}
        </Box>
      )}
    </div>
  );
}
