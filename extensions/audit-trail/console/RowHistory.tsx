import { Box, Button } from '@mui/material';
import { useState } from 'react';
import { useDataProvider, useGetList, useRecordContext } from 'react-admin';
import {
  type ResourceDescription,
  useDescription,
  useDescriptions,
} from '../../../console/src/data/DescriptionsProvider.tsx';
import { isDeleted } from '../../../console/src/rows/RestoreButton.tsx';
import { fieldLabel, humanizeName, isBuiltin } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { MutedText, Section } from '../../../console/src/widgets/Section.tsx';
import { useTask } from '../../../console/src/widgets/useTask.ts';
import type { TrailEvent } from './sentences.ts';
import { Trail } from './Trail.tsx';

/** The field of the audit trail with the id of a built-in row. Other rows are found by `row_id`. */
const subjects = new Map([
  ['users', 'user_id|actor_id'],
  ['clients', 'client_id'],
  ['tokens', 'session_id'],
]);

const pageSize = 12;

/** The history of a row: who changed which field, when and from where. Each earlier version can be restored. */
export function RowHistory() {
  const description = useDescription();
  const row = useRecordContext();
  const [limit, setLimit] = useState(pageSize);
  const subject = subjects.get(description.name) ?? 'row_id';
  const isRecorded = useDescriptions().has('events') && (description.events || subjects.has(description.name));
  const { data, error, pageInfo, total } = useGetList<TrailEvent>(
    'events',
    {
      filter: { [subject]: row?.id },
      pagination: { page: 1, perPage: limit },
      sort: { field: 'created_at', order: 'DESC' },
    },
    { enabled: isRecorded && row !== undefined },
  );
  if (!isRecorded && isBuiltin(description)) return null;
  const hasMore = pageInfo?.hasNextPage ?? (total ?? 0) > (data?.length ?? 0);
  return (
    <Section
      title={translate('Activity')}
      error={error}
      empty={data?.length === 0 && translate('Nothing has happened yet.')}
    >
      {!isRecorded && (
        <MutedText>{translate('Declare this resource with “events: true” to see who changes its rows.')}</MutedText>
      )}
      <Trail
        events={data ?? []}
        detail={(event, i) => (
          <>
            <Changes event={event} />
            {i > 0 && <RestoreButton version={versionAt(description, data ?? [], i)} />}
          </>
        )}
      />
      {hasMore && (
        <Button onClick={() => setLimit(limit + pageSize)} sx={{ m: 1 }}>
          {translate('Show more')}
        </Button>
      )}
    </Section>
  );
}

const changesOf = ({ data }: TrailEvent) => Object.entries(data?.changes ?? {});

/** "Seats: 4 → 5", for each field that changed. */
function Changes({ event }: { event: TrailEvent }) {
  const { fields } = useDescription();
  if (!/\.updated$/.test(event.type)) return null;
  return changesOf(event).map(([name, { from, to, hidden }]) => {
    const field = fields.find((candidate) => candidate.name === name);
    const what = hidden ? translate('changed') : `${textOf(from)} → ${textOf(to)}`;
    return (
      <Box key={name} sx={{ typography: 'body2', overflowWrap: 'anywhere' }}>
        {translate('{part}: {what}', { part: field ? fieldLabel(field) : translate(humanizeName(name)), what })}
      </Box>
    );
  });
}

const textOf = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

/** The values that restore the row as it was after an event. Undefined if the audit trail lacks some of them. */
function versionAt({ fields }: ResourceDescription, events: readonly TrailEvent[], index: number) {
  const version: Record<string, unknown> = {};
  for (const event of events.slice(0, index)) {
    if (!/\.updated$/.test(event.type)) continue;
    for (const [name, { from, cut, hidden }] of changesOf(event)) {
      const field = fields.find((candidate) => candidate.name === name);
      if (!field || field.readOnly || field.immutable) continue;
      if (cut || hidden || from === undefined) return undefined;
      version[name] = from;
    }
  }
  return Object.keys(version).length > 0 ? version : undefined;
}

function RestoreButton({ version }: { version: Record<string, unknown> | undefined }) {
  const { name, operations } = useDescription();
  const row = useRecordContext();
  const dataProvider = useDataProvider();
  const { busy, run } = useTask();
  if (!version || !row || isDeleted(row) || !operations.has('update') || subjects.has(name)) return null;
  const restore = () => dataProvider.update(name, { id: row.id, data: { ...row, ...version }, previousData: row });
  return (
    <Button
      size="small"
      loading={busy}
      onClick={() => void run(restore, translate('The earlier version is restored.'))}
    >
      {translate('Restore this version')}
    </Button>
  );
}
