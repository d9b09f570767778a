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
export const knownIconOf = (name: string): SvgIconComponent => own.get(name) ?? TableIcon;
