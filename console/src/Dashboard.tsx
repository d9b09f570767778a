import Box from '@mui/material/Box';
import Card from '@mui/material/Card';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { Link, Title, useGetList } from 'react-admin';
import { useDescriptions } from './described.tsx';
import { filterKey } from './list-filter.ts';
import { labelOf } from './presentation.ts';

const day = 24 * 60 * 60 * 1000;

/** How the house is doing: who is in, who was refused, what happened last. */
export default function Dashboard() {
  const descriptions = useDescriptions();
  const operators = [...descriptions.values()].filter(
    ({ name, operations }) => !known.has(name) && operations.has('list'),
  );
  return (
    <Box sx={{ display: 'grid', gap: 3, mt: 2 }}>
      <Title title="Overview" />
      <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'repeat(auto-fill, minmax(min(190px, 45%), 1fr))' }}>
        {descriptions.has('users') && <Figure label="Users" resource="users" />}
        {descriptions.has('tokens') && <Figure label="Live sessions" resource="tokens" filter={{ type: 'session' }} />}
        {descriptions.has('clients') && <Figure label="Clients" resource="clients" />}
        {descriptions.has('events') && <FailedLogins />}
        {operators.map(({ name }) => (
          <Figure key={name} label={labelOf(name)} resource={name} />
        ))}
      </Box>
      {descriptions.has('events') && <LatestEvents />}
    </Box>
  );
}

const known = new Set(['users', 'roles', 'clients', 'tokens', 'events', 'consents', 'queued_jobs', 'mcp_calls']);

interface FigureProps {
  label: string;
  resource: string;
  filter?: Record<string, unknown>;
}

function Figure({ label, resource, filter = {} }: FigureProps) {
  const { total, pageInfo, isPending, error } = useGetList(resource, {
    pagination: { page: 1, perPage: 1 },
    sort: { field: 'id', order: 'DESC' },
    filter,
  });
  const shown = error ? '?' : isPending ? '…' : (total?.toLocaleString() ?? (pageInfo?.hasNextPage ? '10,000+' : '0'));
  return (
    <Card
      component={Link}
      to={`/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`}
      underline="none"
      sx={{ p: 2, display: 'block', color: 'inherit', '&:hover': { borderColor: 'primary.main' } }}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
      <Typography variant="h4" component="p" sx={{ fontVariantNumeric: 'tabular-nums', fontWeight: 600 }}>
        {shown}
      </Typography>
    </Card>
  );
}

/** Asked as the list's own filters ask, so that whoever follows the link sees what it shows, and can change it. */
function FailedLogins() {
  const yesterday = new Date(Date.now() - day);
  const since = [yesterday.getFullYear(), yesterday.getMonth() + 1, yesterday.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
  return (
    <Figure
      label="Failed sign-ins since yesterday"
      resource="events"
      filter={{ [filterKey('type', 'contains')]: 'login.failed', [filterKey('created_at', 'since')]: since }}
    />
  );
}

function LatestEvents() {
  const { data = [], isPending } = useGetList('events', {
    pagination: { page: 1, perPage: 8 },
    sort: { field: 'created_at', order: 'DESC' },
  });
  return (
    <Card component="section">
      <Box sx={{ display: 'flex', justifyContent: 'space-between', alignItems: 'baseline', px: 2, pt: 2 }}>
        <Typography variant="h6" component="h2">
          Latest events
        </Typography>
        <Link to="/events">All events</Link>
      </Box>
      {data.length === 0 && !isPending ? (
        <Typography sx={{ p: 2, color: 'text.secondary' }}>Nothing has happened yet.</Typography>
      ) : (
        <List dense>
          {data.map((event) => (
            <ListItem key={event.id} disablePadding>
              <ListItemButton component={Link} to={`/events/${event.id}/show`} underline="none">
                <ListItemText
                  primary={event.type}
                  secondary={[new Date(event.created_at).toLocaleString(), event.address].filter(Boolean).join(' · ')}
                />
              </ListItemButton>
            </ListItem>
          ))}
        </List>
      )}
    </Card>
  );
}
