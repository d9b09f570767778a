/** Loaded before the code of a server. Shortens its intervals of seconds or minutes to a fraction of a second. */
const { setInterval: realInterval } = globalThis;
const quickMs = 100;

globalThis.setInterval = ((work: () => void, ms = 0, ...args: []) =>
  realInterval(work, Math.min(ms, quickMs), ...args)) as typeof setInterval;
