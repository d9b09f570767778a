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

/** `hand`: the activity of the thread; `drawn`: whether a bar is on the screen. */
export const states = { hand: 0, drawn: 1 } as const;
export const idle = 0;
export const drawing = 1;
export const ended = 2;

export const clearLine = '\r\u001b[K';
