/** Loaded before a server's own code: what it does every few seconds or minutes, it does several times a second. */
const { setInterval: realInterval } = globalThis;
const quickMs = 100;

globalThis.setInterval = ((work: () => void, ms = 0, ...args: []) =>
  realInterval(work, Math.min(ms, quickMs), ...args)) as typeof setInterval;
