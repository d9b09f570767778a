import type { SvgIconComponent } from '@mui/icons-material';
import AppsIcon from '@mui/icons-material/AppsOutlined';
import BadgeIcon from '@mui/icons-material/BadgeOutlined';
import DevicesIcon from '@mui/icons-material/DevicesOutlined';
import HistoryIcon from '@mui/icons-material/HistoryOutlined';
import PeopleIcon from '@mui/icons-material/PeopleOutlined';
import ScheduleIcon from '@mui/icons-material/ScheduleOutlined';
import AssistantIcon from '@mui/icons-material/SmartToyOutlined';
import TableIcon from '@mui/icons-material/TableRowsOutlined';

const own = new Map<string, SvgIconComponent>([
  ['users', PeopleIcon],
  ['roles', BadgeIcon],
  ['clients', AppsIcon],
  ['tokens', DevicesIcon],
  ['events', HistoryIcon],
  ['queued_jobs', ScheduleIcon],
  ['mcp_calls', AssistantIcon],
]);

export const iconOf = (name: string): SvgIconComponent => own.get(name) ?? TableIcon;
