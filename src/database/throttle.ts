/** Calls within this time share one result. */
export function throttle(ms: number, probe: () => Promise<void>): () => Promise<void> {
  let asked = Number.NEGATIVE_INFINITY;
  let outcome: Promise<void> = Promise.resolve();
  return () => {
    if (performance.now() - asked < ms) return outcome;
    asked = performance.now();
    outcome = probe();
    outcome.catch(() => undefined);
    return outcome;
  };
}
