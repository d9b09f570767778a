import { Box, Chip, Typography } from '@mui/material';
import type { ReactNode } from 'react';
import { Link, useDataProvider, useGetList, useRecordContext, useReference, useRefresh } from 'react-admin';
import { isOwnSession } from '../auth/own-session.ts';
import { useDescriptions } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { useReferrers } from '../rows/GoesAlong.tsx';
import { ago } from '../text/ago.ts';
import { labelOf, listPath, rowName, shortId } from '../text/presentation.ts';
import { say } from '../text/say.ts';
import { userAgentName } from '../text/user-agent.ts';
import { AskedButton } from '../widgets/AskedButton.tsx';
import { Quiet, Section } from '../widgets/Section.tsx';

type Row = { id: string; scopes?: string[]; user_agent?: string | null } & Record<string, unknown>;

interface Props {
  title: string;
  resource: string;
  filter: Record<string, unknown>;
  /** The text of an empty section. Without it, an empty section is left out. */
  none?: string;
  /** The content of one line. `revoke` is the name of the row in the confirmation. */
  line: (row: Row) => { name: ReactNode; detail?: string; chip?: string | undefined; revoke?: string };
}

/** The newest rows of a resource that belong to a person. */
function Things({ title, resource, filter, none, line }: Props) {
  const { data, error } = useGetList<Row>(resource, {
    ...{ filter, pagination: { page: 1, perPage: 8 }, sort: { field: 'id', order: 'DESC' } },
  });
  if (none === undefined && !data?.length) return null;
  return (
    <Section title={title} to={listPath(resource, filter)}>
      {error && <Quiet>{error.message}</Quiet>}
      {data?.length === 0 && <Quiet>{none}</Quiet>}
      <ul className="lines">
        {data?.map((row) => (
          <Thing key={row.id} resource={resource} row={row} {...line(row)} />
        ))}
      </ul>
    </Section>
  );
}

type ThingProps = ReturnType<Props['line']> & { resource: string; row: Row };

function Thing({ resource, row, name, detail, chip, revoke }: ThingProps) {
  return (
    <Box component="li" sx={{ display: 'flex', gap: 1, justifyContent: 'space-between', alignItems: 'center' }}>
      <Box sx={{ minWidth: 0 }}>
        <Link to={`/${resource}/${row.id}/show`}>{name}</Link>{' '}
        {chip !== undefined && <Chip label={chip} size="small" color="primary" variant="outlined" />}
        <Typography variant="caption" color="textSecondary" component="p">
          {detail}
        </Typography>
      </Box>
      {revoke !== undefined && <Revoke id={row.id} what={revoke} />}
    </Box>
  );
}

function Revoke({ id, what }: { id: string; what: string }) {
  const dataProvider = useDataProvider();
  const refresh = useRefresh();
  return (
    <AskedButton
      label={say('End')}
      title={say('End {what}?', { what })}
      text={say('It stops working with the next request.')}
      done={say('It has ended.')}
      danger
      run={async () => {
        await dataProvider.delete('tokens', { id });
        refresh();
      }}
    />
  );
}

const when = (moment: unknown): string => ago(String(moment));
const joined = (...parts: unknown[]): string => parts.filter(Boolean).join(' · ');
const usedWhen = ({ last_used_at, created_at }: Row): string =>
  last_used_at
    ? say('used {when}', { when: when(last_used_at) })
    : say('created {when}, never used', { when: when(created_at) });

/** A person's sessions, tokens, clients and consents, and the rows that refer to the person. */
export function PersonThings() {
  const person = useRecordContext();
  return person ? <ThingsOf user_id={String(person.id)} /> : null;
}

function ThingsOf({ user_id }: { user_id: string }) {
  const known = new Set(['clients', 'tokens', 'consents', 'events']);
  const others = useReferrers('users').filter(({ resource }) => !known.has(resource.name));
  return (
    <>
      <Things
        title={say('Sessions')}
        resource="tokens"
        filter={{ user_id, type: 'session' }}
        none={say('Not signed in anywhere.')}
        line={(row) => {
          const device = userAgentName(row.user_agent ?? null);
          return {
            name: device,
            ...(isOwnSession(row.id) && { chip: say('This session') }),
            detail: joined(row.address, usedWhen(row), say('signed in {when}', { when: when(row.created_at) })),
            revoke: say('the session on {device}', { device }),
          };
        }}
      />
      <Things
        title={say('Personal access tokens')}
        resource="tokens"
        filter={{ user_id, type: 'personal' }}
        none={say('None.')}
        line={(row) => ({
          name: String(row.name ?? say('Unnamed')),
          detail: joined(row.scopes?.join(' '), usedWhen(row)),
          revoke: say('the token “{name}”', { name: row.name }),
        })}
      />
      <Things
        title={say('Clients')}
        resource="clients"
        filter={{ user_id }}
        none={say('None.')}
        line={(row) => ({
          name: String(row.name),
          detail: joined(say(String(row.type)), say('created {when}', { when: when(row.created_at) })),
        })}
      />
      <Things
        title={say('Connected applications')}
        resource="consents"
        filter={{ user_id }}
        line={(row) => ({
          name: <ClientName id={String(row.client_id)} />,
          detail: joined(row.scopes?.join(' '), say('allowed {when}', { when: when(row.created_at) })),
        })}
      />
      {others.map(({ resource, field }) => (
        <Things
          key={`${resource.name} ${field}`}
          title={labelOf(resource)}
          resource={resource.name}
          filter={{ [field]: user_id }}
          line={(row) => ({ name: rowName(resource, row) })}
        />
      ))}
    </>
  );
}

function ClientName({ id }: { id: string }) {
  const clients = useDescriptions().get('clients') as ResourceDescription;
  const { referenceRecord } = useReference({ reference: 'clients', id });
  return referenceRecord ? rowName(clients, referenceRecord) : shortId(id);
}
