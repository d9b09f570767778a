import { Typography } from '@mui/material';
import { useState } from 'react';
import { useGetIdentity, useRecordContext } from 'react-admin';
import { useDescription } from '../data/described.tsx';
import { say } from '../text/say.ts';
import { useActorName } from './useActorName.ts';
import { type RowChange, useChanges } from './useChanges.ts';
import { useRefreshSoon } from './useRefreshSoon.ts';

/** Keeps the page of a row up to date, and shows who else changed it. */
export function LiveRow() {
  const { name } = useDescription();
  const { identity } = useGetIdentity();
  const row = useRecordContext();
  const refresh = useRefreshSoon();
  const [last, setLast] = useState<RowChange>();
  useChanges([name], (change) => {
    if (change && change.id !== row?.id) return;
    refresh([name, 'getOne', { id: String(row?.id) }], ['events', 'getList']);
    if (change && change.actor?.user_id !== identity?.id) setLast(change);
  });
  return (
    <Typography variant="body2" color="textSecondary" role="status" sx={{ '&:not(:empty)': { mb: 1 } }}>
      {last && <Told key={last.position} change={last} />}
    </Typography>
  );
}

function Told({ change: { operation, actor } }: { change: RowChange }) {
  const who = useActorName(actor);
  if (operation === 'updated') return say('Changed by {who} just now.', { who });
  return say('{who} deleted this row, or you can no longer see it.', { who });
}
