import { Box, Chip, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Link, useDataProvider, useGetList, useRecordContext, useReference, useRefresh } from 'react-admin';
import { isOwnSession } from '../auth/own-session.ts';
import { useDescriptions } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { ago } from '../text/ago.ts';
import { deviceName } from '../text/device.ts';
import { labelOf, rowName, shortId } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { AskedButton } from '../widgets/AskedButton.tsx';
import { Quiet, Section } from '../widgets/Section.tsx';
import type { Person } from './person.ts';

type Row = { id: string } & Record<string, unknown>;
const most = 8;

/** The newest rows of a resource that name this person in a field. */
function useThings(resource: string, filter: Record<string, unknown>) {
  const person = useRecordContext<Person>();
  return useGetList<Row>(
    resource,
    { filter, pagination: { page: 1, perPage: most }, sort: { field: 'id', order: 'DESC' } },
    { enabled: person !== undefined },
  );
}

const useIdFilter = () => ({ user_id: useRecordContext<Person>()?.id });
const addressOf = (resource: string, filter: object) =>
  `/${resource}?filter=${encodeURIComponent(JSON.stringify(filter))}`;

function Lines({ rows, none, render }: { rows: Row[] | undefined; none: string; render: (row: Row) => ReactNode }) {
  if (rows?.length === 0) return <Quiet>{none}</Quiet>;
  return (
    <Box component="ul" sx={{ listStyle: 'none', m: 0, p: 0 }}>
      {rows?.map((row) => (
        <Box
          component="li"
          key={row.id}
          sx={{
            ...{ px: 2, py: 1, borderTop: '1px solid', borderColor: 'divider', overflowWrap: 'anywhere' },
            ...{ display: 'flex', gap: 1, justifyContent: 'space-between', alignItems: 'center' },
          }}
        >
          {render(row)}
        </Box>
      ))}
    </Box>
  );
}

function Line({ to, name, detail, chip }: { to: string; name: ReactNode; detail: string; chip?: string | undefined }) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Link to={to}>{name}</Link>{' '}
      {chip !== undefined && <Chip label={chip} size="small" color="primary" variant="outlined" />}
      <Typography variant="caption" color="textSecondary" component="p">
        {detail}
      </Typography>
    </Box>
  );
}

const usedWhen = ({ last_used_at, created_at }: Row): string =>
  last_used_at
    ? say('used {when}', { when: ago(String(last_used_at)) })
    : say('made {when}, not used since', { when: ago(String(created_at)) });

function Revoke({ row, what }: { row: Row; what: string }) {
  const dataProvider = useDataProvider();
  const refresh = useRefresh();
  return (
    <AskedButton
      label={say('End')}
      title={say('End {what}?', { what })}
      text={say('Whoever uses it is refused from the next request on.')}
      done={say('It has ended.')}
      danger
      run={async () => {
        await dataProvider.delete('tokens', { id: row.id });
        refresh();
      }}
    />
  );
}

/** Where the person is signed in: on what, from where, when. */
export function SessionsOf() {
  const filter = { ...useIdFilter(), type: 'session' };
  const { data, error } = useThings('tokens', filter);
  return (
    <Section title={say('Sessions')} to={addressOf('tokens', filter)}>
      {error && <Quiet>{error.message}</Quiet>}
      <Lines
        rows={data}
        none={say('Signed in nowhere.')}
        render={(row) => {
          const device = deviceName((row.user_agent as string | null) ?? null);
          return (
            <>
              <Line
                to={`/tokens/${row.id}/show`}
                name={device}
                chip={isOwnSession(row.id) ? say('This session') : undefined}
                detail={[row.address, usedWhen(row), say('signed in {when}', { when: ago(String(row.created_at)) })]
                  .filter(Boolean)
                  .join(' · ')}
              />
              <Revoke row={row} what={say('the session on {device}', { device })} />
            </>
          );
        }}
      />
    </Section>
  );
}

export function TokensOf() {
  const filter = { ...useIdFilter(), type: 'personal' };
  const { data } = useThings('tokens', filter);
  return (
    <Section title={say('Personal access tokens')} to={addressOf('tokens', filter)}>
      <Lines
        rows={data}
        none={say('None.')}
        render={(row) => (
          <>
            <Line
              to={`/tokens/${row.id}/show`}
              name={String(row.name ?? say('Unnamed'))}
              detail={[(row.scopes as string[]).join(' '), usedWhen(row)].join(' · ')}
            />
            <Revoke row={row} what={say('the token “{name}”', { name: row.name })} />
          </>
        )}
      />
    </Section>
  );
}

export function ClientsOf() {
  const filter = useIdFilter();
  const { data } = useThings('clients', filter);
  return (
    <Section title={say('Clients')} to={addressOf('clients', filter)}>
      <Lines
        rows={data}
        none={say('None.')}
        render={(row) => (
          <Line
            to={`/clients/${row.id}/show`}
            name={String(row.name)}
            detail={`${say(String(row.type))} · ${say('made {when}', { when: ago(String(row.created_at)) })}`}
          />
        )}
      />
    </Section>
  );
}

export function ConsentsOf() {
  const filter = useIdFilter();
  const { data } = useThings('consents', filter);
  if (!data || data.length === 0) return null;
  return (
    <Section title={say('Connected applications')} to={addressOf('consents', filter)}>
      <Lines
        rows={data}
        none={say('None.')}
        render={(row) => (
          <Line
            to={`/consents/${row.id}/show`}
            name={<NameOf resource="clients" id={String(row.client_id)} />}
            detail={`${(row.scopes as string[]).join(' ')} · ${say('allowed {when}', { when: ago(String(row.created_at)) })}`}
          />
        )}
      />
    </Section>
  );
}

function NameOf({ resource, id }: { resource: string; id: string }) {
  const description = useDescriptions().get(resource);
  const { referenceRecord } = useReference({ reference: resource, id });
  return description && referenceRecord ? rowName(description, referenceRecord) : shortId(id);
}

/** Every field of a declared resource that names a user. */
export function useReferrers(): { resource: ResourceDescription; field: string }[] {
  const known = new Set(['clients', 'tokens', 'consents', 'events', 'users']);
  return [...useDescriptions().values()].flatMap((resource) =>
    known.has(resource.name) || !resource.operations.has('list')
      ? []
      : resource.fields
          .filter(({ references, writeOnly }) => references === 'users' && !writeOnly)
          .map(({ name }) => ({ resource, field: name })),
  );
}

export function RowsOf() {
  return useReferrers().map((of) => <Referring key={`${of.resource.name}.${of.field}`} {...of} />);
}

function Referring({ resource, field }: { resource: ResourceDescription; field: string }) {
  const filter = { [field]: useRecordContext<Person>()?.id };
  const { data } = useThings(resource.name, filter);
  if (!data || data.length === 0) return null;
  return (
    <Section title={labelOf(resource)} to={addressOf(resource.name, filter)}>
      <Lines
        rows={data}
        none={say('None.')}
        render={(row) => <Line to={`/${resource.name}/${row.id}/show`} name={rowName(resource, row)} detail="" />}
      />
    </Section>
  );
}
