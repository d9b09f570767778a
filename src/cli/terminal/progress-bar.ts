/** Shows how far a long work is: a bar for a person, a line at each tenth for a log. */
export interface ProgressBar {
  /** So much more is done. `what` names what is being worked on. */
  advance(by: number, what?: string): void;
  /** Takes the bar off the screen. To be called in the end, however it came. */
  end(): void;
}

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const width = 24;
const redrawMs = 100;
const clearLine = '\r\u001b[K';

/** On standard error: standard output is for the command's own answer. `total` may be 0 where there is nothing to do. */
export function progressBar(total: number, what: string, screen: Screen = process.stderr): ProgressBar {
  const began = performance.now();
  let [done, now, drawn, tenths] = [0, what, Number.NEGATIVE_INFINITY, 0];
  const share = () => (total > 0 ? Math.min(1, done / total) : 1);

  function draw(): void {
    const at = performance.now();
    if (at - drawn < redrawMs) return;
    drawn = at;
    const line = `${bar(share())} ${percent(share())} ${now}${left(at - began, share())}`;
    screen.write(clearLine + line.slice(0, (screen.columns ?? 80) - 1));
  }

  function note(): void {
    const reached = Math.floor(share() * 10);
    if (reached === tenths) return;
    tenths = reached;
    console.error(`${percent(share())} ${now} (${done.toLocaleString('en')} of ${total.toLocaleString('en')})`);
  }

  return {
    advance(by, what = now) {
      done += by;
      now = what;
      if (screen.isTTY) draw();
      else note();
    },
    end() {
      if (screen.isTTY) screen.write(clearLine);
    },
  };
}

const bar = (share: number): string => {
  const full = Math.round(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
};

const percent = (share: number): string => `${Math.floor(share * 100)} %`.padStart(5);

/** Once there is something to judge by. */
function left(ms: number, share: number): string {
  if (share < 0.02 || share === 1 || ms < 1000) return '';
  const seconds = Math.round((ms / share - ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `, ${minutes} min ${seconds % 60} s left` : `, ${seconds} s left`;
}
