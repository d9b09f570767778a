const batch = 200;

/** Deletes rows in batches, until a batch is not full. Other requests run in between. Returns how many rows were deleted. */
export async function pruneInBatches(deleteRows: (limit: number) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await deleteRows(batch);
    total += removed;
    if (removed < batch) return total;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
