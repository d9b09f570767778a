import SettingsIcon from '@mui/icons-material/ManageAccountsOutlined';
import { Box, ListItemIcon, ListItemText, MenuItem, useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import { lazy, memo, type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import {
  AppBar,
  Layout,
  Link,
  Logout,
  Menu,
  Sidebar,
  type SidebarProps,
  UserMenu,
  useGetIdentity,
  useSidebarState,
} from 'react-admin';
import { InvitePerson, SearchEverything } from '../../../extensions/all-console-parts.ts';
import { proofPrompt, root, signInPrompt } from '../data/api.ts';
import { type ResourceDescription, useDescriptions } from '../data/DescriptionsProvider.tsx';
import { builtinNames, isBuiltin, isUnlisted, labelOf } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { PageHead } from '../widgets/PageActions.tsx';
import { ResourceIcon } from '../widgets/ResourceIcon.tsx';
import { brand } from './brand.ts';

export function ConsoleLayout({ children }: { children: ReactNode }) {
  return (
    <Layout appBar={ConsoleBar} menu={ConsoleMenu} sidebar={ConsoleSidebar}>
      <PageHead />
      {children}
      <Prompts />
    </Layout>
  );
}

/** On a phone, the menu opens as a dialog and needs an accessible name. Its only child is always the menu. */
const ConsoleSidebar = memo(
  (props: SidebarProps) => {
    const isDialog = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'));
    return <Sidebar {...props} {...(isDialog && { slotProps: { paper: { 'aria-label': translate('Menu') } } })} />;
  },
  () => true,
);

const PromptDialogs = lazy(() => import('../auth/PromptDialogs.tsx'));

function Prompts() {
  const isSignedOut = useSyncExternalStore(signInPrompt.subscribe, signInPrompt.isOpen);
  const needsProof = useSyncExternalStore(proofPrompt.subscribe, proofPrompt.isOpen);
  useEffect(signInPrompt.begin, []);
  return <Suspense>{(isSignedOut || needsProof) && <PromptDialogs {...{ isSignedOut, needsProof }} />}</Suspense>;
}

/** The layout is drawn again at each step of loading a page. `memo` keeps its parts. */
const ConsoleBar = memo(() => {
  return (
    <AppBar color="inherit" userMenu={<Account />}>
      <Box
        component="img"
        src={brand.logo}
        alt=""
        sx={{ height: 24, ml: 0.5, mr: 1.5, display: { xs: 'none', sm: 'block' } }}
      />
      <Link
        to="/"
        color="inherit"
        underline="none"
        noWrap
        sx={{ flex: 1, fontWeight: 600, ml: { xs: 1, sm: 0 }, py: 1 }}
      >
        {brand.name}
      </Link>
      <SearchEverything Invitation={InvitePerson} />
    </AppBar>
  );
});

function Account() {
  const { identity } = useGetIdentity();
  return (
    <UserMenu label={identity?.fullName ?? translate('Account')}>
      <MenuItem component="a" href={`${root}/settings`}>
        <ListItemIcon>
          <SettingsIcon fontSize="small" />
        </ListItemIcon>
        <ListItemText>{translate('Account settings')}</ListItemText>
      </MenuItem>
      <Logout />
    </UserMenu>
  );
}

/** The operator's resources come first: people work with them daily. */
const ConsoleMenu = memo(() => {
  const all = [...useDescriptions().values()].filter(
    ({ name, operations }) => operations.has('list') && !isUnlisted(name),
  );
  const operatorResources = all.filter((description) => !isBuiltin(description));
  const builtinResources = all
    .filter(isBuiltin)
    .sort((a, b) => builtinNames.indexOf(a.name) - builtinNames.indexOf(b.name));
  return (
    <Menu>
      <Menu.DashboardItem primaryText={translate('Overview')} />
      <Group title={translate('Resources')} of={operatorResources} />
      <Group title={translate('Access')} of={builtinResources} />
    </Menu>
  );
});

function Group({ title, of }: { title: string; of: ResourceDescription[] }) {
  const [open] = useSidebarState();
  if (of.length === 0) return null;
  return (
    <>
      <Box
        component="li"
        className="overline"
        role="presentation"
        sx={{ px: 3, pt: 1.5, visibility: open ? 'visible' : 'hidden' }}
      >
        {title}
      </Box>
      {of.map((description) => (
        <Menu.Item
          key={description.name}
          to={`/${description.name}`}
          state={{ _scrollToTop: true }}
          primaryText={labelOf(description)}
          leftIcon={<ResourceIcon description={description} />}
        />
      ))}
    </>
  );
}
