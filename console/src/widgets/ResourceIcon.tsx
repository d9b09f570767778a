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
import { Box, type SvgIconProps } from '@mui/material';
import { lazy, Suspense } from 'react';
import type { ResourceDescription } from '../data/descriptions.ts';

interface Props {
  description: Pick<ResourceDescription, 'name' | 'icon'>;
  size?: number;
}

/** The icon of a resource: an emoji or a named icon of the operator, or the icon of a built-in resource. */
export function ResourceIcon({ description: { name, icon = '' }, size }: Props) {
  const Known = builtinIcons.get(name) ?? TableIcon;
  const sx = size === undefined ? {} : { fontSize: size, color: 'text.secondary' };
  if (icon === '') return <Known sx={sx} />;
  if (/^[a-z]+$/.test(icon)) {
    return (
      <Suspense fallback={<Known sx={{ ...sx, visibility: 'hidden' }} />}>
        <NamedIcon name={icon} otherwise={Known} sx={sx} />
      </Suspense>
    );
  }
  return (
    <Box
      component="span"
      aria-hidden="true"
      sx={{ fontSize: size ?? 22, lineHeight: 1, width: 24, textAlign: 'center' }}
    >
      {icon}
    </Box>
  );
}

interface NamedIconProps extends SvgIconProps {
  name: string;
  otherwise: SvgIconComponent;
}

const NamedIcon = lazy(async () => {
  const icons = new Map<string, SvgIconComponent>(Object.entries(await import('@mui/icons-material/declared')));
  return {
    default: ({ name, otherwise, ...props }: NamedIconProps) => {
      const Icon = icons.get(name) ?? otherwise;
      return <Icon {...props} />;
    },
  };
});

/** The icons of the built-in resources. All other resources share one icon. */
const builtinIcons: ReadonlyMap<string, SvgIconComponent> = new Map<string, SvgIconComponent>([
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
