import { say } from '../text/say.ts';
import type { Progress } from './run-bulk.ts';

/** "40 of 100, 2 failed. The service asks to wait 3 s." */
export function howFar({ done, failed, waits }: Progress, all: number | undefined): string {
  const handled = done + failed;
  const parts = [
    all === undefined
      ? say('{count, number} of …', { count: handled })
      : say('{count, number} of {all, number}', { count: handled, all }),
    ...(failed > 0 ? [say('{count, number} failed', { count: failed })] : []),
    ...(waits === undefined ? [] : [say('The service asks to wait {seconds, number} s.', { seconds: waits })]),
  ];
  return parts.join(' · ');
}
