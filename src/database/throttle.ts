/** Calls within this time share one result. */
export function throttle(ms: number, probe: () => Promise<void>): () => Promise<void> {
  let lastRunAt = Number.NEGATIVE_INFINITY;
  let outcome: Promise<void> = Promise.resolve();
  return () => {
    if (performance.now() - lastRunAt < ms) return outcome;
    lastRunAt = performance.now();
    outcome = probe();
    outcome.catch(() => undefined);
    return outcome;
  };
}
