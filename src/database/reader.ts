/** The caller that waits for a read. */
export interface Reader {
  /** Reads of one caller share a limit. */
  readonly caller: string;
  /** Calls back when the caller has disconnected. Returns a function that cancels this. */
  onDisconnect(listener: () => void): () => void;
}

export const systemReader: Reader = { caller: '', onDisconnect: () => () => undefined };

/** Combines several readers of one result. They count as disconnected when all are. */
export const combineReaders = (readers: readonly Reader[]): Reader => ({
  caller: readers[0]?.caller ?? systemReader.caller,
  onDisconnect(listener) {
    let connected = readers.length;
    const readerDisconnected = () => {
      connected--;
      if (connected === 0) listener();
    };
    const unsubscribers = readers.map((reader) => reader.onDisconnect(readerDisconnected));
    return () => {
      for (const unsubscribe of unsubscribers) unsubscribe();
    };
  },
});
