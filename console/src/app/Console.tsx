import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import { Box, Button, CssBaseline } from '@mui/material';
import { QueryClient } from '@tanstack/react-query';
import { lazy, useCallback, useEffect, useMemo } from 'react';
import {
  AccessDenied,
  AdminContext,
  AuthenticationError,
  CoreAdminUI,
  Error as ErrorPage,
  Link,
  LoadingPage,
  localStorageStore,
  Notification,
  NotificationContext,
  Resource,
  Title,
  useNotificationContext,
  useTranslate,
} from 'react-admin';
import { createAuthProvider } from '../auth/auth-provider.ts';
import { gatehouse, notifySignedOut, signInPrompt } from '../data/api.ts';
import { DescriptionsProvider, type ResourceDescription } from '../data/DescriptionsProvider.tsx';
import { createDataProvider } from '../data/data-provider.ts';
import { ResourceList } from '../lists/ResourceList.tsx';
import { i18nProvider } from '../text/i18n-provider.ts';
import { translate } from '../text/translate.ts';
import { brand, shareTheme } from './brand.ts';
import { ConsoleLayout } from './ConsoleLayout.tsx';
import type { ConsoleData } from './console-data.ts';
import { loadDashboard, loadForms, loadShow } from './lazy-pages.ts';
import { createThemes } from './theme.ts';

const Dashboard = lazy(loadDashboard);
const ResourceShow = lazy(loadShow);
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

export default function Console({ me, descriptions }: NonNullable<ConsoleData>) {
  const authProvider = useMemo(() => createAuthProvider(gatehouse, signInPrompt, descriptions, me), [descriptions, me]);
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
            loginPage={RedirectToLogin}
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

function routesOf({ name, operations }: ResourceDescription) {
  return {
    name,
    ...(operations.has('list') ? { list: ResourceList } : {}),
    ...(operations.has('find') ? { show: ResourceShow } : {}),
    ...(operations.has('create') ? { create: ResourceCreate } : {}),
    ...(operations.has('update') ? { edit: ResourceEdit } : {}),
  };
}

/** Leaves the console for the login page of the service. */
function RedirectToLogin() {
  useEffect(notifySignedOut, []);
  return null;
}

/** The page for an unknown path. */
function NotFound() {
  const translateKey = useTranslate();
  const title = translateKey('ra.page.not_found');
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center', gap: 1, p: 4, textAlign: 'center' }}>
      <Title title={title} />
      <h2 className="heading">{title}</h2>
      <p className="quiet">{translateKey('ra.message.not_found')}</p>
      <Button component={Link} to="/" variant="contained" sx={{ mt: 1 }}>
        {translate('Overview')}
      </Button>
    </Box>
  );
}

/** react-admin's notifications. Its own function to take the first one loses another that was added since the last render. */
function Notifications() {
  const context = useNotificationContext();
  const { notifications, setNotifications } = context;
  const takeNotification = useCallback(() => {
    const [first] = notifications;
    setNotifications((all) => all.filter((each) => each !== first));
    return first;
  }, [notifications, setNotifications]);
  return (
    <NotificationContext.Provider value={{ ...context, takeNotification }}>
      <Notification />
    </NotificationContext.Provider>
  );
}
