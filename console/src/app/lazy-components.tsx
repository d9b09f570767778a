import { type ComponentType, createContext, lazy, type ReactNode, Suspense, useContext } from 'react';

/** Loads parts of react-admin on demand that most visitors of a list never open (see `vite.config.ts`). */

interface Opened {
  open: boolean;
  onClose: () => void;
}

function onOpened(load: () => Promise<{ default: ComponentType<Opened> }>) {
  const Part = lazy(load);
  return (props: Opened) => <Suspense>{props.open && <Part {...props} />}</Suspense>;
}

const parts = {
  columns: () => import('../../node_modules/ra-ui-materialui/dist/list/datatable/ColumnsSelector.js'),
  column: () => import('../../node_modules/ra-ui-materialui/dist/list/datatable/ColumnsSelectorItem.js'),
  filters: () => import('../../node_modules/ra-ui-materialui/dist/list/filter/FilterForm.js'),
  addQuery: () => import('../../node_modules/ra-ui-materialui/dist/list/filter/AddSavedQueryDialog.js'),
  removeQuery: () => import('../../node_modules/ra-ui-materialui/dist/list/filter/RemoveSavedQueryDialog.js'),
};

/** Loaded when the first filter is opened. */
export const LazyFilterForm = lazy(async () => ({ default: (await parts.filters()).FilterForm }));

export const AddSavedQueryDialog = onOpened(async () => ({ default: (await parts.addQuery()).AddSavedQueryDialog }));
export const RemoveSavedQueryDialog = onOpened(async () => ({
  default: (await parts.removeQuery()).RemoveSavedQueryDialog,
}));

/** Whether the column selector was opened. */
export const ColumnsOpened = createContext(false);
const Columns = lazy(async () => ({ default: (await parts.columns()).ColumnsSelector }));

export function ColumnsSelector({ children }: { children?: ReactNode }) {
  const isOpened = useContext(ColumnsOpened);
  return <Suspense>{isOpened && <Columns>{children}</Columns>}</Suspense>;
}

export const ColumnsSelectorItem = lazy(async () => ({ default: (await parts.column()).ColumnsSelectorItem }));
