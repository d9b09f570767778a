import { Typography } from '@mui/material';
import { createContext, type ReactNode, useContext, useState } from 'react';
import { useGetIdentity, useListContext, useRecordContext } from 'react-admin';
import { useDescription } from '../data/DescriptionsProvider.tsx';
import { rowName } from '../text/presentation.ts';
import { translate } from '../text/translate.ts';
import { type RowChange, useActorName, useChanges, useRefreshSoon } from './useChanges.ts';

/** By id: the last change by another person since the list was opened. */
const Marks = createContext<ReadonlyMap<string, RowChange>>(new Map());
const mostMarks = 100;

/** A list that follows changes. It reads the rows again, marks rows that other people changed, and announces the last change. */
export function LiveRows({ children }: { children: ReactNode }) {
  const description = useDescription();
  const { name } = description;
  const { meta } = useListContext();
  const position: string | undefined = meta?.position;
  const { identity } = useGetIdentity();
  const refresh = useRefreshSoon();
  const [marks, setMarks] = useState<ReadonlyMap<string, RowChange>>(new Map());
  const [last, setLast] = useState<RowChange>();
  const who = useActorName(last?.actor);
  const sentence = last && sentences[last.operation];

  function follow(change: RowChange | undefined): void {
    refresh([name, 'getList']);
    if (!change || change.operation === 'left' || change.actor?.user_id === identity?.id) return;
    setMarks((previous) => new Map([...previous, [change.id, change] as const].slice(-mostMarks)));
    setLast(change);
  }

  useChanges(position === undefined ? [] : [name], follow, position);
  return (
    <Marks.Provider value={marks}>
      <Typography variant="body2" color="textSecondary" role="status" sx={{ px: 2, '&:not(:empty)': { pt: 1 } }}>
        {sentence &&
          translate(sentence, { who, row: rowName(description, { ...(last.after ?? last.before), id: last.id }) })}
      </Typography>
      {children}
    </Marks.Provider>
  );
}

const sentences: { [operation in RowChange['operation']]?: string } = {
  created: '{who} created {row}.',
  updated: '{who} changed {row}.',
  deleted: '{who} deleted {row}.',
};

/** The last change of this row by another person. */
export function useLastChange(): RowChange | undefined {
  const row = useRecordContext();
  return useContext(Marks).get(String(row?.id));
}

/** The name of the person who changed this row. */
export function ChangedBy() {
  const mark = useLastChange();
  return mark && <Named key={mark.position} change={mark} />;
}

function Named({ change: { actor, operation } }: { change: RowChange }) {
  const who = useActorName(actor);
  return (
    <span className="changed-by">
      {operation === 'created' ? translate('Created by {who}', { who }) : translate('Changed by {who}', { who })}
    </span>
  );
}
