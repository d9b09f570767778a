import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { CssBaseline } from '@mui/material';
import { QueryClient } from '@tanstack/react-query';
import { lazy, useEffect, useMemo } from 'react';
import {
  AccessDenied,
  AdminContext,
  AuthenticationError,
  CoreAdminUI,
  Error as ErrorPage,
  LoadingPage,
  localStorageStore,
  Resource,
} from 'react-admin';
import { createAuthProvider } from '../auth/auth-provider.ts';
import { gatehouse, leave } from '../data/api.ts';
import { createDataProvider } from '../data/data-provider.ts';
import { DescriptionsProvider } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { ResourceList } from '../lists/ResourceList.tsx';
import { i18nProvider } from '../text/i18n-provider.ts';
import { labelOf, rowName } from '../text/presentation.ts';
import { iconOf } from '../widgets/ResourceIcon.tsx';
import { brand } from './brand.ts';
import { ConsoleLayout } from './ConsoleLayout.tsx';
import { shareTheme } from './chosen-theme.ts';
import type { Entered } from './enter-console.ts';
import { loadDashboard, loadForms, loadPerson, loadShow } from './lazy-pages.ts';
import { NotFound } from './NotFound.tsx';
import { Notifications } from './Notifications.tsx';
import { createThemes } from './theme.ts';

const Dashboard = lazy(loadDashboard);
const ResourceShow = lazy(() => loadShow().then((module) => ({ default: module.ResourceShow })));
const UserShow = lazy(loadPerson);
const ResourceCreate = lazy(() => loadForms().then((module) => ({ default: module.ResourceCreate })));
const ResourceEdit = lazy(() => loadForms().then((module) => ({ default: module.ResourceEdit })));

// The Content-Security-Policy allows only style sheets with the nonce of this response.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
const styles = createCache({ key: 'gatehouse', nonce, prepend: true });
// The API client already retries requests.
const queryClient = new QueryClient({
  // The browser may think that it is offline while the service still answers.
  defaultOptions: { queries: { retry: false, networkMode: 'always' }, mutations: { networkMode: 'always' } },
});
const store = localStorageStore('1', 'gatehouse');
shareTheme(store);

export default function Console({ me, descriptions }: NonNullable<Entered>) {
  const authProvider = useMemo(() => createAuthProvider(gatehouse, descriptions, me), [descriptions, me]);
  const dataProvider = useMemo(() => createDataProvider(gatehouse, descriptions), [descriptions]);
  const themes = useMemo(createThemes, []);
  return (
    <CacheProvider value={styles}>
      <DescriptionsProvider all={descriptions}>
        <AdminContext
          authProvider={authProvider}
          dataProvider={dataProvider}
          queryClient={queryClient}
          i18nProvider={i18nProvider}
          store={store}
          {...themes}
        >
          <CssBaseline enableColorScheme />
          <CoreAdminUI
            title={brand.name}
            dashboard={Dashboard}
            layout={ConsoleLayout}
            loading={LoadingPage}
            loginPage={Leaving}
            catchAll={NotFound}
            error={ErrorPage}
            accessDenied={AccessDenied}
            authenticationError={AuthenticationError}
            disableTelemetry
          >
            {descriptions.map((description) => (
              <Resource key={description.name} {...routesOf(description)} />
            ))}
          </CoreAdminUI>
          <Notifications />
        </AdminContext>
      </DescriptionsProvider>
    </CacheProvider>
  );
}

function routesOf(description: ResourceDescription) {
  const { name, operations } = description;
  return {
    name,
    icon: iconOf(description),
    options: { label: labelOf(description) },
    recordRepresentation: (row: Record<string, unknown>) => rowName(description, row),
    ...(operations.has('list') ? { list: ResourceList } : {}),
    ...(operations.has('find') ? { show: name === 'users' ? UserShow : ResourceShow } : {}),
    ...(operations.has('create') ? { create: ResourceCreate } : {}),
    ...(operations.has('update') ? { edit: ResourceEdit } : {}),
  };
}

/** Leaves the console for the login page of the service. */
function Leaving() {
  useEffect(leave, []);
  return null;
}
