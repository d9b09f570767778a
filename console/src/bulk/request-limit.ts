/** This share of the requests that a minute allows is left to other work of the same person. */
const leftToOthers = 0.25;

let limit = 0;
let remaining = Number.POSITIVE_INFINITY;
let resetsAt = 0;

/** Reads from a response how many requests are left. */
export function noteLimit({ headers }: Response): void {
  const reset = headers.get('ratelimit-reset');
  if (reset === null) return;
  limit = Number(headers.get('ratelimit-limit'));
  remaining = Number(headers.get('ratelimit-remaining'));
  resetsAt = Date.now() + Number(reset) * 1000;
}

/** Seconds that bulk work waits, so that a click meanwhile is not refused. */
export function secondsToRoom(now = Date.now()): number {
  if (remaining > limit * leftToOthers || now >= resetsAt) return 0;
  return Math.ceil((resetsAt - now) / 1000);
}

export const waitForRoom = (): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, secondsToRoom() * 1000));
