import { document, escaped } from './svg.ts';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
}

const width = 720;
const height = 340;
const box = { left: 48, right: 170, top: 44, bottom: 36 };
const colors = ['#1f883d', '#0969da', '#bf3989', '#9a6700', '#8250df', '#cf222e', '#1b7c83', '#57606a', '#bc4c00'];

/** Lines over the same labels, from zero upwards, so that a flat line looks flat. */
export function lines(title: string, labels: readonly string[], series: readonly Series[]): string {
  const most = Math.max(2, ...series.flatMap(({ values }) => values)) * 1.05;
  const x = (i: number) => box.left + ((width - box.left - box.right) * i) / Math.max(1, labels.length - 1);
  const y = (value: number) => height - box.bottom - ((height - box.top - box.bottom) * value) / most;
  const parts: string[] = [];
  for (let value = 0; value <= most; value += most > 6 ? 2 : 0.5) {
    parts.push(
      `<line class="grid" x1="${box.left}" x2="${width - box.right}" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}"/>`,
      `<text class="quiet" x="${box.left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${value}</text>`,
    );
  }
  const step = Math.ceil(labels.length / 12);
  for (const [i, label] of labels.entries()) {
    if (i % step === 0)
      parts.push(
        `<text class="quiet" x="${x(i).toFixed(1)}" y="${height - 14}" text-anchor="middle">${escaped(label)}</text>`,
      );
  }
  for (const [n, { name, values }] of series.entries()) {
    const color = colors[n % colors.length];
    const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
    const labelY = box.top + 10 + n * 18;
    parts.push(
      `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>`,
      `<rect x="${width - box.right + 14}" y="${labelY - 8}" width="10" height="10" rx="2" fill="${color}"/>`,
      `<text x="${width - box.right + 30}" y="${labelY + 1}">${escaped(name)}</text>`,
    );
  }
  return document(width, height, title, parts);
}
