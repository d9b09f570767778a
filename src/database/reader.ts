/** The caller that waits for a read. */
export interface Reader {
  /** Reads of one caller share a limit. */
  readonly caller: string;
  /** Calls back when the caller has disconnected. Returns a function that cancels this. */
  onDisconnect(gone: () => void): () => void;
}

export const systemReader: Reader = { caller: '', onDisconnect: () => () => undefined };

/** Combines several readers of one result. They count as disconnected when all are. */
export const combineReaders = (readers: readonly Reader[]): Reader => ({
  caller: readers[0]?.caller ?? systemReader.caller,
  onDisconnect(gone) {
    let waiting = readers.length;
    const leave = () => {
      waiting--;
      if (waiting === 0) gone();
    };
    const stays = readers.map((reader) => reader.onDisconnect(leave));
    return () => {
      for (const stay of stays) stay();
    };
  },
});
