/** Loaded before a server's own code: its wall clock is off by CLOCK_SKEW ms, and further by every number it is sent. */
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
