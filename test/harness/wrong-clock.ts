/**
 * Loaded before the code of a server. Its wall clock is off by CLOCK_SKEW ms, plus every number that the process
 * receives as a message.
 */
const RealDate = Date;
let skew = Number(process.env.CLOCK_SKEW);

globalThis.Date = class extends RealDate {
  constructor(...parts: ConstructorParameters<typeof Date> | []) {
    if (parts.length === 0) super(RealDate.now() + skew);
    else super(...parts);
  }
  static override now(): number {
    return RealDate.now() + skew;
  }
} as DateConstructor;

process.on('message', (step) => {
  if (typeof step !== 'number') return;
  skew += step;
  process.send?.('stepped');
});
