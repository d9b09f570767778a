import { Box, Chip } from '@mui/material';
import type { ReactNode } from 'react';
import { Link, useDataProvider, useGetList, useRecordContext } from 'react-admin';
import { isOwnSession } from '../../../console/src/auth/page-session.ts';
import { useRowName } from '../../../console/src/data/DescriptionsProvider.tsx';
import { useReferrers } from '../../../console/src/rows/RemovalDialog.tsx';
import { labelOf, listPath, rowName, shortId, showPath } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { userAgentName } from '../../../console/src/text/user-agent.ts';
import { timeAgo } from '../../../console/src/text/value-text.ts';
import { FormButton } from '../../../console/src/widgets/FormDialog.tsx';
import { Section } from '../../../console/src/widgets/Section.tsx';

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
function PersonItems({ title, resource, filter, none, line }: Props) {
  const { data, error } = useGetList<Row>(resource, {
    ...{ filter, pagination: { page: 1, perPage: 8 }, sort: { field: 'id', order: 'DESC' } },
  });
  if (none === undefined && !data?.length) return null;
  return (
    <Section title={title} to={listPath(resource, filter)} error={error} empty={data?.length === 0 && none}>
      <ul className="lines">
        {data?.map((row) => (
          <PersonItem key={row.id} resource={resource} row={row} {...line(row)} />
        ))}
      </ul>
    </Section>
  );
}

type PersonItemProps = ReturnType<Props['line']> & { resource: string; row: Row };

function PersonItem({ resource, row, name, detail, chip, revoke }: PersonItemProps) {
  const dataProvider = useDataProvider();
  return (
    <li className="spread">
      <Box sx={{ minWidth: 0 }}>
        <Link to={showPath(resource, row.id)}>{name}</Link>{' '}
        {chip !== undefined && <Chip label={chip} size="small" color="primary" variant="outlined" />}
        <p className="caption quiet">{detail}</p>
      </Box>
      {revoke !== undefined && (
        <FormButton
          label={translate('End')}
          title={translate('End {what}?', { what: revoke })}
          text={translate('It stops working with the next request.')}
          successMessage={translate('It has ended.')}
          danger
          onSubmit={() => dataProvider.delete('tokens', { id: row.id })}
        />
      )}
    </li>
  );
}

const when = (time: unknown): string => timeAgo(String(time));
const joined = (...parts: unknown[]): string => parts.filter(Boolean).join(' · ');
const lastUseText = ({ last_used_at, created_at }: Row): string =>
  last_used_at
    ? translate('used {when}', { when: when(last_used_at) })
    : translate('created {when}, never used', { when: when(created_at) });

/** A person's sessions, tokens, clients and consents, and the rows that refer to the person. */
export function PersonSections() {
  const person = useRecordContext();
  const sectionResources = new Set(['clients', 'tokens', 'consents', 'events']);
  const otherReferrers = useReferrers('users').filter(({ resource }) => !sectionResources.has(resource.name));
  if (!person) return null;
  const user_id = String(person.id);
  return (
    <>
      <PersonItems
        title={translate('Sessions')}
        resource="tokens"
        filter={{ user_id, type: 'session' }}
        none={translate('Not signed in anywhere.')}
        line={(row) => {
          const device = userAgentName(row.user_agent ?? null);
          return {
            name: device,
            ...(isOwnSession(row.id) && { chip: translate('This session') }),
            detail: joined(
              row.address,
              lastUseText(row),
              translate('signed in {when}', { when: when(row.created_at) }),
            ),
            revoke: translate('the session on {device}', { device }),
          };
        }}
      />
      <PersonItems
        title={translate('Personal access tokens')}
        resource="tokens"
        filter={{ user_id, type: 'personal' }}
        none={translate('None.')}
        line={(row) => ({
          name: String(row.name ?? translate('Unnamed')),
          detail: joined(row.scopes?.join(' '), lastUseText(row)),
          revoke: translate('the token “{name}”', { name: row.name }),
        })}
      />
      <PersonItems
        title={translate('Clients')}
        resource="clients"
        filter={{ user_id }}
        none={translate('None.')}
        line={(row) => ({
          name: String(row.name),
          detail: joined(translate(String(row.type)), translate('created {when}', { when: when(row.created_at) })),
        })}
      />
      <PersonItems
        title={translate('Connected applications')}
        resource="consents"
        filter={{ user_id }}
        line={(row) => ({
          name: <ClientName id={String(row.client_id)} />,
          detail: joined(row.scopes?.join(' '), translate('allowed {when}', { when: when(row.created_at) })),
        })}
      />
      {otherReferrers.map(({ resource, field }) => (
        <PersonItems
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
  return useRowName('clients', id).name ?? shortId(id);
}
