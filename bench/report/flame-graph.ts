import type { Area, Frame } from '../measure/cpu-profile.ts';
import { document, escaped } from './svg.ts';

const width = 1200;
const rowHeight = 17;
const top = 62;
/** Narrower boxes would be invisible. */
const narrowest = 1.5;

const colors: Record<Area, string> = {
  'Node and the network': '#8c959f',
  Fastify: '#54aeff',
  SQLite: '#4ac26b',
  cryptography: '#d4a72c',
  Gatehouse: '#ff8182',
  'other libraries': '#c297ff',
};

/** Callers are above the functions that they call. The width is the time. */
export function flameGraph(title: string, root: Frame): string {
  const parts: string[] = [];
  let depth = 0;
  const draw = (frame: Frame, x: number, level: number) => {
    const wide = (frame.time / root.time) * width;
    if (wide < narrowest) return;
    depth = Math.max(depth, level);
    const y = top + level * rowHeight;
    const share = ((frame.time / root.time) * 100).toFixed(1);
    const label = frame.name.slice(0, Math.max(0, Math.floor((wide - 6) / 6.4)));
    parts.push(
      `<g><title>${escaped(`${frame.name} ${frame.place} (${share} %)`)}</title>` +
        `<rect x="${x.toFixed(1)}" y="${y}" width="${(wide - 0.5).toFixed(1)}" height="${rowHeight - 1}" fill="${colors[frame.area]}" rx="1"/>` +
        (label.length > 2
          ? `<text x="${(x + 3).toFixed(1)}" y="${y + 12}" font-size="10.5" style="fill:#1f2328">${escaped(label)}</text>`
          : '') +
        '</g>',
    );
    let next = x;
    for (const callee of [...frame.callees.values()].sort((a, b) => b.time - a.time)) {
      draw(callee, next, level + 1);
      next += (callee.time / root.time) * width;
    }
  };
  draw(root, 0, 0);
  const legend = Object.entries(colors).map(
    ([name, color], i) =>
      `<rect x="${12 + i * 165}" y="38" width="11" height="11" rx="2" fill="${color}"/><text x="${28 + i * 165}" y="48">${escaped(name)}</text>`,
  );
  return document(width, top + (depth + 1) * rowHeight + 10, title, [...legend, ...parts]);
}
