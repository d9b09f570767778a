/** The share of the rate limit that is reserved for other work of the same person. */
const leftToOthers = 0.25;

let limit = 0;
let remaining = Number.POSITIVE_INFINITY;
let resetsAt = 0;

/** Reads the remaining requests from the headers of a response. */
export function recordRateLimit({ headers }: Response): void {
  const reset = headers.get('ratelimit-reset');
  if (reset === null) return;
  limit = Number(headers.get('ratelimit-limit'));
  remaining = Number(headers.get('ratelimit-remaining'));
  resetsAt = Date.now() + Number(reset) * 1000;
}

/** Seconds for which bulk work must wait, so that other requests of the person are not refused. */
export function secondsToWait(): number {
  const now = Date.now();
  if (remaining > limit * leftToOthers || now >= resetsAt) return 0;
  return Math.ceil((resetsAt - now) / 1000);
}

export const waitForCapacity = (): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, secondsToWait() * 1000));
