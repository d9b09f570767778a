import type { ReactNode } from 'react';
import { Link, useRecordContext } from 'react-admin';
import { useDescriptions, useRowName } from '../../../console/src/data/DescriptionsProvider.tsx';
import { humanizeName, rowName, shortId, showPath, singularOf } from '../../../console/src/text/presentation.ts';
import { locale, lowerCaseFirst, translate } from '../../../console/src/text/translate.ts';
import { userAgentName } from '../../../console/src/text/user-agent.ts';
import { timeAgo } from '../../../console/src/text/value-text.ts';
import { isAlarming, type Part, partsOf, type TrailEvent } from './sentences.ts';

interface Props {
  events: TrailEvent[];
  /** Content below the sentence of an event. */
  detail?: (event: TrailEvent, index: number) => ReactNode;
}

/** Events as sentences with links to the people, clients and rows in them. */
export function Trail({ events, detail }: Props) {
  return (
    <ol className="lines">
      {events.map((event, index) => (
        <li key={event.id}>
          <p className={isAlarming(event) ? 'small alarming' : 'small'}>
            {partsOf(event).map((part, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their positions.
              <SentencePart key={i} part={part} />
            ))}
          </p>
          <p className="caption quiet">
            <Link
              to={showPath('events', event.id)}
              color="inherit"
              title={new Date(event.created_at).toLocaleString(locale)}
            >
              {timeAgo(event.created_at)}
            </Link>
            {[event.address, event.user_agent && userAgentName(event.user_agent)]
              .filter(Boolean)
              .map((text) => ` · ${text}`)
              .join('')}
          </p>
          {detail?.(event, index)}
        </li>
      ))}
    </ol>
  );
}

function SentencePart({ part }: { part: Part }) {
  if (typeof part === 'string') return part;
  return part.name === 'row' ? <NamedRow part={part} /> : <Named part={part} />;
}

/** The current name of a row. For a deleted row, its last name, with a link if the row can be restored. On its own page, no name. */
function NamedRow({ part: { resource, id, was } }: { part: Extract<Part, { name: 'row' }> }) {
  const description = useDescriptions().get(resource);
  const isShown = useRecordContext()?.id === id;
  const current = useRowName(resource, was || isShown ? undefined : id).name;
  const row = was && description ? rowName(description, { ...was, id }) : current;
  const thing = lowerCaseFirst(description ? singularOf(description) : translate(humanizeName(resource)));
  if (isShown) return translate('the {thing} {row}', { thing, row: '' }).trim();
  if (!row || (was && !description?.softDelete))
    return translate('the {thing} {row}', { thing, row: row ?? shortId(id) });
  const [before, after] = translate('the {thing} {row}', { thing, row: '\u0000' }).split('\u0000');
  return (
    <>
      {before}
      <Link to={showPath(resource, id)}>{row}</Link>
      {after}
    </>
  );
}

function Named({ part: { name, id } }: { part: Extract<Part, { name: 'user' | 'actor' | 'client' }> }) {
  const resource = name === 'client' ? 'clients' : 'users';
  const currentName = useRowName(resource, id).name;
  if (id === null) return name === 'client' ? translate('an application') : translate('somebody unknown');
  // Deleted: only the id is known.
  if (currentName === undefined) return <span className="mono">{shortId(id)}</span>;
  return <Link to={showPath(resource, id)}>{currentName}</Link>;
}
