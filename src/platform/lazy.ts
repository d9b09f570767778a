/**
 * Loads at the first call, and again after a failure, because a file can be unreadable for a moment (EMFILE). The result is cached, because
 * even the `import()` of a loaded module takes a hundred times as long as a resolved promise.
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}
