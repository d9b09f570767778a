import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';
import { reasonOf } from '../../../src/platform/errors.ts';

/** Runs a task and reports the result: the message of success, or the error. Then the page reads its data again. */
export function useTask() {
  const [busy, setBusy] = useState(false);
  const notify = useNotify();
  const refresh = useRefresh();

  async function run(task: () => Promise<unknown>, successMessage?: string): Promise<boolean> {
    setBusy(true);
    try {
      await task();
      if (successMessage !== undefined) notify(successMessage, { type: 'success' });
      refresh();
      return true;
    } catch (error) {
      notify(reasonOf(error), { type: 'error' });
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { busy, run };
}
