/** On whose behalf a read runs, for reads that may be expensive. */
export interface Reader {
  /** The caller. Reads of one caller share a limit. */
  readonly caller: string;
  /** Calls back when nobody waits for the answer any more; returns how not to be called. */
  whenGone(gone: () => void): () => void;
}

/** The service itself: background work, and what no request asked for. */
export const ownReader: Reader = { caller: '', whenGone: () => () => undefined };

/** Several that wait for one answer. They are gone when all of them are. */
export const allReaders = (readers: readonly Reader[]): Reader => ({
  caller: readers[0]?.caller ?? ownReader.caller,
  whenGone(gone) {
    let waiting = readers.length;
    const leave = () => {
      waiting--;
      if (waiting === 0) gone();
    };
    const stays = readers.map((reader) => reader.whenGone(leave));
    return () => {
      for (const stay of stays) stay();
    };
  },
});
