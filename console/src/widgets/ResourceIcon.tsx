import type { SvgIconComponent } from '@mui/icons-material';
import AppsIcon from '@mui/icons-material/AppsOutlined';
import BadgeIcon from '@mui/icons-material/BadgeOutlined';
import DevicesIcon from '@mui/icons-material/DevicesOutlined';
import HistoryIcon from '@mui/icons-material/HistoryOutlined';
import KeyIcon from '@mui/icons-material/KeyOutlined';
import LockIcon from '@mui/icons-material/LockOutlined';
import PeopleIcon from '@mui/icons-material/PeopleOutlined';
import ScheduleIcon from '@mui/icons-material/ScheduleOutlined';
import ShieldIcon from '@mui/icons-material/ShieldOutlined';
import AssistantIcon from '@mui/icons-material/SmartToyOutlined';
import TableIcon from '@mui/icons-material/TableRowsOutlined';
import ConsentIcon from '@mui/icons-material/TaskAltOutlined';
import WebhookIcon from '@mui/icons-material/WebhookOutlined';
import { Box } from '@mui/material';
import { type ComponentType, lazy, Suspense } from 'react';
import type { ResourceDescription } from '../data/descriptions.ts';

type Iconic = Pick<ResourceDescription, 'name' | 'icon'>;
const made = new Map<string, ComponentType<{ size?: number }>>();

/** The icon of a resource: an emoji or a named icon of the operator, or the icon of a built-in resource. */
export function iconOf({ name, icon = '' }: Iconic): ComponentType<{ size?: number }> {
  const key = `${name} ${icon}`;
  const known = made.get(key) ?? makeIcon(name, icon);
  made.set(key, known);
  return known;
}

function makeIcon(name: string, icon: string): ComponentType<{ size?: number }> {
  const Known = knownIconOf(name);
  const known = ({ size }: { size?: number }) => <Known sx={sized(size)} />;
  if (icon === '') return known;
  if (!/^[a-z]+$/.test(icon)) {
    return ({ size = 22 }) => (
      <Box component="span" aria-hidden="true" sx={{ fontSize: size, lineHeight: 1, width: 24, textAlign: 'center' }}>
        {icon}
      </Box>
    );
  }
  const Drawn = lazy(async () => {
    const drawings: Record<string, typeof Known> = await import('./drawings.ts');
    return { default: drawings[icon] ?? Known };
  });
  return ({ size }) => (
    <Suspense fallback={<Known sx={{ ...sized(size), visibility: 'hidden' }} />}>
      <Drawn sx={sized(size)} />
    </Suspense>
  );
}

const sized = (size: number | undefined) => (size === undefined ? {} : { fontSize: size, color: 'text.secondary' });

export function ResourceIcon({ description, size }: { description: Iconic; size?: number }) {
  const Icon = iconOf(description);
  return size === undefined ? <Icon /> : <Icon size={size} />;
}

const own: ReadonlyMap<string, SvgIconComponent> = new Map<string, SvgIconComponent>([
  ['users', PeopleIcon],
  ['roles', BadgeIcon],
  ['clients', AppsIcon],
  ['consents', ConsentIcon],
  ['tokens', DevicesIcon],
  ['passkeys', LockIcon],
  ['authenticators', ShieldIcon],
  ['events', HistoryIcon],
  ['queued-jobs', ScheduleIcon],
  ['scheduled-jobs', ScheduleIcon],
  ['job-runs', HistoryIcon],
  ['providers', KeyIcon],
  ['webhooks', WebhookIcon],
  ['mcp-calls', AssistantIcon],
]);

/** The icon of a built-in resource. All other resources share one icon. */
const knownIconOf = (name: string): SvgIconComponent => own.get(name) ?? TableIcon;
