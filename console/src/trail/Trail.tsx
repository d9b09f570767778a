import { Typography } from '@mui/material';
import { Fragment, type ReactNode } from 'react';
import { Link, useGetMany, useRecordContext, useReference } from 'react-admin';
import { useDescriptions } from '../data/described.tsx';
import type { ResourceDescription } from '../data/descriptions.ts';
import { ago } from '../text/ago.ts';
import { humanised, rowName, shortId, singularOf } from '../text/presentation.ts';
import { locale, translate } from '../text/translate.ts';
import { userAgentName } from '../text/user-agent.ts';
import { within } from '../text/words.ts';
import { isAlarming, type Part, partsOf, type TrailEvent } from './sentences.ts';

type Row = { id: string } & Record<string, unknown>;

interface Props {
  events: TrailEvent[];
  /** Content below the sentence of an event. */
  detail?: (event: TrailEvent, index: number) => ReactNode;
}

/** Events as sentences with links to the people, clients and rows in them. */
export function Trail({ events, detail }: Props) {
  const names = useNames(events);
  return (
    <ol className="lines">
      {events.map((event, index) => (
        <li key={event.id}>
          <Typography variant="body2" component="p" color={isAlarming(event) ? 'error' : 'textPrimary'}>
            {partsOf(event).map((part, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their positions.
              <Fragment key={i}>{<ChangeNotice part={part} names={names} />}</Fragment>
            ))}
          </Typography>
          <Typography variant="caption" color="textSecondary" component="p">
            <Link
              to={`/events/${event.id}/show`}
              color="inherit"
              title={new Date(event.created_at).toLocaleString(locale)}
            >
              {ago(event.created_at)}
            </Link>
            {[event.address, event.user_agent && userAgentName(event.user_agent)]
              .filter(Boolean)
              .map((text) => ` · ${text}`)
              .join('')}
          </Typography>
          {detail?.(event, index)}
        </li>
      ))}
    </ol>
  );
}

type Name = Extract<Part, { name: 'user' | 'actor' | 'client' }>;

function ChangeNotice({ part, names }: { part: Part; names: (part: Name) => string | undefined }) {
  if (typeof part === 'string') return part;
  return part.name === 'row' ? <NamedRow part={part} /> : <Named part={part} name={names(part)} />;
}

/** The current name of a row. For a deleted row, its last name, with a link if the row can be restored. On its own page, no name. */
function NamedRow({ part: { resource, id, was } }: { part: Extract<Part, { name: 'row' }> }) {
  const description = useDescriptions().get(resource);
  const isShown = useRecordContext()?.id === id;
  const { referenceRecord } = useReference({
    reference: resource,
    id,
    options: { enabled: !was && !isShown && Boolean(description) },
  });
  const row = was ? { ...was, id } : referenceRecord;
  const thing = within(description ? singularOf(description) : translate(humanised(resource)));
  if (isShown) return translate('the {thing} {row}', { thing, row: '' }).trim();
  if (!description || !row) return translate('the {thing} {row}', { thing, row: shortId(id) });
  if (was && !description.softDelete) return translate('the {thing} {row}', { thing, row: rowName(description, row) });
  const [before, after] = translate('the {thing} {row}', { thing, row: '\u0000' }).split('\u0000');
  return (
    <>
      {before}
      <Link to={`/${resource}/${id}/show`}>{rowName(description, row)}</Link>
      {after}
    </>
  );
}

function Named({ part: { name, id }, name: shown }: { part: Name; name: string | undefined }) {
  if (id === null) return name === 'client' ? translate('an application') : translate('somebody unknown');
  // Deleted: only the id is known.
  if (shown === undefined) return <span className="mono">{shortId(id)}</span>;
  return <Link to={`/${name === 'client' ? 'clients' : 'users'}/${id}/show`}>{shown}</Link>;
}

/** Loads the names of all people of a page with one request, and those of all clients with another. */
function useNames(events: TrailEvent[]): (part: Name) => string | undefined {
  const descriptions = useDescriptions();
  const people = idsOf(events.flatMap(({ user_id, actor_id }) => [user_id, actor_id]));
  const clients = idsOf(events.map(({ client_id }) => client_id));
  const users = useGetMany<Row>('users', { ids: people }, { enabled: people.length > 0 });
  const applications = useGetMany<Row>('clients', { ids: clients }, { enabled: clients.length > 0 });
  const nameIn = (of: ResourceDescription | undefined, rows: Row[] | undefined, id: string | null) => {
    const row = rows?.find((one) => one?.id === id);
    return of && row && rowName(of, row);
  };
  return ({ name, id }) =>
    name === 'client'
      ? nameIn(descriptions.get('clients'), applications.data, id)
      : nameIn(descriptions.get('users'), users.data, id);
}

const idsOf = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))];
