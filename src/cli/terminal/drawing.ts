/** The data of the thread that draws a bar, and the memory that it shares with the working thread. */
export interface DrawingData {
  readonly fd: number;
  readonly columns: number;
  readonly total: number;
  readonly what: string;
  /** Nothing is drawn before. */
  readonly quietMs: number;
  /** By the numbers of `states`. */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** One number: how much is done. */
  readonly done: Float64Array<SharedArrayBuffer>;
}

/** `hand`: the activity of the thread; `drawn`: whether a bar is on the screen. */
export const states = { hand: 0, drawn: 1 } as const;
export const idle = 0;
export const drawing = 1;
export const ended = 2;

export const clearLine = '\r\u001b[K';
