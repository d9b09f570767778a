import { document, escaped } from './svg.ts';

export interface Group {
  readonly name: string;
  readonly bars: readonly { readonly name: string; readonly value: number; readonly own: boolean }[];
}

const width = 720;
const left = 170;
const right = 80;
const row = 20;

/** Groups of horizontal bars. Each group has its own scale, because operations differ by orders of magnitude. */
export function bars(title: string, groups: readonly Group[]): string {
  const parts: string[] = [];
  let y = 44;
  for (const group of groups) {
    const most = Math.max(...group.bars.map(({ value }) => value), 1);
    parts.push(`<text x="12" y="${y + 12}" font-weight="600">${escaped(group.name)}</text>`);
    y += 20;
    for (const { name, value, own } of group.bars) {
      const length = Math.max(1, ((width - left - right) * value) / most);
      parts.push(
        `<text class="quiet" x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(name)}</text>`,
        `<rect x="${left}" y="${y + 2}" width="${length.toFixed(1)}" height="${row - 6}" rx="2" fill="${own ? '#1f883d' : '#8c959f'}"/>`,
        `<text x="${(left + length + 6).toFixed(1)}" y="${y + 13}">${Math.round(value).toLocaleString('en')}</text>`,
      );
      y += row;
    }
    y += 10;
  }
  return document(width, y + 6, title, parts);
}
