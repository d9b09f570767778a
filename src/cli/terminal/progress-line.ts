/** The data of the thread that draws a progress bar, with the memory that it shares with the working thread. */
export interface DrawingData {
  readonly fd: number;
  readonly columns: number;
  readonly total: number;
  readonly what: string;
  /** Nothing is drawn before this time. */
  readonly quietMs: number;
  /** Indexed by `states`. */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** One number: the amount that is done. */
  readonly done: Float64Array<SharedArrayBuffer>;
}

/** `activity`: the activity of the thread; `drawn`: whether a bar is on the screen. */
export const states = { activity: 0, drawn: 1 } as const;
export const idle = 0;
export const drawing = 1;
export const ended = 2;

export const clearLine = '\r\u001b[K';

export interface ProgressState {
  readonly completed: number;
  readonly total: number;
  readonly step: string;
  /** The elapsed time, and the elapsed time at the last progress. */
  readonly ms: number;
  readonly movedAt: number;
}

const width = 24;
/** Tolerance before the text changes to "so far", so that it does not flicker. */
const toleranceMs = 1500;

export const shareOf = (completed: number, total: number): number => (total > 0 ? Math.min(1, completed / total) : 1);

export const percent = (share: number): string => `${Math.floor(share * 100)} %`.padStart(5);

/** A bar, the current work and the remaining time, in one line of the terminal. */
export function progressLine({ completed, total, step, ms, movedAt }: ProgressState, columns: number): string {
  const share = shareOf(completed, total);
  const full = Math.round(share * width);
  const bar = '█'.repeat(full) + '░'.repeat(width - full);
  const time = `, ${remainingTime(ms, movedAt, share)}`;
  const availableColumns = Math.max(0, columns - 1 - `${bar} ${percent(share)} `.length - time.length);
  return `${bar} ${percent(share)} ${truncate(step, availableColumns)}${time}`.slice(0, Math.max(0, columns - 1));
}

const truncate = (text: string, availableColumns: number): string =>
  text.length <= availableColumns ? text : `${text.slice(0, availableColumns - 1)}…`;

/** The remaining time. The elapsed time if there is no estimate yet, or if the estimate has passed. */
function remainingTime(ms: number, movedAt: number, share: number): string {
  const remainingMs = movedAt / share - ms;
  if (share < 0.02 || share === 1 || ms < 1000 || remainingMs < -toleranceMs) return `${timeOf(ms)} so far`;
  return `${timeOf(Math.max(1000, remainingMs))} left`;
}

function timeOf(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
