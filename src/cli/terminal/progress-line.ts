export interface ProgressState {
  readonly done: number;
  readonly total: number;
  readonly what: string;
  /** The elapsed time, and the elapsed time at the last progress. */
  readonly ms: number;
  readonly movedAt: number;
}

const width = 24;
/** Tolerance before the text changes to "so far", so that it does not flicker. */
const toleranceMs = 1500;

export const shareOf = (done: number, total: number): number => (total > 0 ? Math.min(1, done / total) : 1);

export const percent = (share: number): string => `${Math.floor(share * 100)} %`.padStart(5);

/** A bar, the current work and the remaining time, in one line of the terminal. */
export function progressLine({ done, total, what, ms, movedAt }: ProgressState, columns: number): string {
  const share = shareOf(done, total);
  const full = Math.round(share * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const time = `, ${remainingTime(ms, movedAt, share)}`;
  const room = Math.max(0, columns - 1 - `${bar} ${percent(share)} `.length - time.length);
  return `${bar} ${percent(share)} ${cut(what, room)}${time}`.slice(0, Math.max(0, columns - 1));
}

const cut = (text: string, room: number): string => (text.length <= room ? text : `${text.slice(0, room - 1)}…`);

/** The remaining time. The elapsed time if there is no estimate yet, or if the estimate has passed. */
function remainingTime(ms: number, movedAt: number, share: number): string {
  const rest = movedAt / share - ms;
  if (share < 0.02 || share === 1 || ms < 1000 || rest < -toleranceMs) return `${timeOf(ms)} so far`;
  return `${timeOf(Math.max(1000, rest))} left`;
}

function timeOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
