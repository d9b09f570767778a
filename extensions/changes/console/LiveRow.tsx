import { Alert, Typography } from '@mui/material';
import { Fragment, type RefObject, useState } from 'react';
import { useGetIdentity, useRecordContext } from 'react-admin';
import { useDescription } from '../../../console/src/data/DescriptionsProvider.tsx';
import { fieldLabel } from '../../../console/src/text/presentation.ts';
import { translate } from '../../../console/src/text/translate.ts';
import { type RowChange, useActorName, useChanges, useRefreshSoon } from './LiveRows.tsx';

/** Keeps the page of a row up to date, and shows who else changed it. */
export function LiveRow() {
  const { name } = useDescription();
  const { identity } = useGetIdentity();
  const row = useRecordContext();
  const refresh = useRefreshSoon();
  const [last, setLast] = useState<RowChange>();
  const who = useActorName(last?.actor);
  useChanges([name], (change) => {
    if (change && change.id !== row?.id) return;
    refresh([name, 'getOne', { id: String(row?.id) }], ['events', 'getList']);
    if (change && change.actor?.user_id !== identity?.id) setLast(change);
  });
  return (
    <Typography variant="body2" color="textSecondary" role="status" sx={{ '&:not(:empty)': { mb: 1 } }}>
      <Fragment key={last?.position}>
        {last && (last.operation === 'updated' ? translate('Changed by {who} just now.', { who }) : goneText(who))}
      </Fragment>
    </Typography>
  );
}

const goneText = (who: string): string => translate('{who} deleted this row, or you can no longer see it.', { who });

/** Warns in a form if another person changes the row that is being edited. */
export function ConflictWarning({ saved }: { saved: RefObject<boolean> }) {
  const { name, fields } = useDescription();
  const row = useRecordContext();
  const [changes, setChanges] = useState<readonly RowChange[]>([]);
  useChanges([name], (change) => {
    if (change && change.id === row?.id && !saved.current) setChanges((previous) => [...previous, change]);
  });
  const [first] = changes;
  const last = changes.at(-1);
  const who = useActorName(last?.actor);
  if (!first || !last) return null;
  const isGone = last.operation !== 'updated';
  const changed = fields.filter(
    ({ name, readOnly }) =>
      !readOnly && JSON.stringify(first.before?.[name]) !== JSON.stringify(last.after?.[name]) && name !== 'id',
  );
  return (
    <Alert severity={isGone ? 'error' : 'warning'} sx={{ mb: 2, width: '100%' }}>
      {isGone
        ? goneText(who)
        : translate(
            '{who} changed this row while you were editing it: {fields}. When you save, you choose which version to keep.',
            { who, fields: changed.map(fieldLabel).join(', ') || '–' },
          )}
    </Alert>
  );
}
