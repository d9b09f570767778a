import { createContext, type ReactNode, useContext } from 'react';
import { useRecordContext } from 'react-admin';

export interface Mark {
  /** Differs for each change of the row, so that its animation starts again. */
  key: string;
  text: ReactNode;
}

/** By id: the rows of a list that something marks, such as a change by another person. */
export const MarkedRows = createContext<ReadonlyMap<string, Mark>>(new Map());

export function useMark(): Mark | undefined {
  const row = useRecordContext();
  return useContext(MarkedRows).get(String(row?.id));
}

export function MarkText() {
  const mark = useMark();
  return (
    mark && (
      <span className="changed-by" key={mark.key}>
        {mark.text}
      </span>
    )
  );
}
