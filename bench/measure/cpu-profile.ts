import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The output of `node --cpu-prof`, with times in microseconds. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export type Area = 'Node and the network' | 'Fastify' | 'SQLite' | 'cryptography' | 'Gatehouse' | 'other libraries';

/** A function with the functions that it called, and the time in all of them. */
export interface Frame {
  readonly name: string;
  /** File and line, if known. */
  readonly place: string;
  readonly area: Area;
  time: number;
  readonly callees: Map<string, Frame>;
}

/** Native functions are classified by their caller: `all` of a prepared statement belongs to SQLite. */
const areas: readonly [RegExp, Area][] = [
  [/\/sqlite-statements\.(ts|js)|shared-commits\.(ts|js)|shared-snapshot\.(ts|js)/, 'SQLite'],
  [/^node:internal\/crypto/, 'cryptography'],
  [/node_modules\/(fastify|find-my-way|avvio|fast-json-stringify|@fastify)\b/, 'Fastify'],
  [/node_modules\//, 'other libraries'],
  [/\/(src|dist|extensions)\//, 'Gatehouse'],
];

const regionsByFile = new Map<string, readonly { readonly source: string; readonly line: number }[]>();

/** The build marks the beginning of each source file with a comment. */
function regionsOf(url: string) {
  const known = regionsByFile.get(url);
  if (known) return known;
  const lines = readFileSync(fileURLToPath(url), 'utf8').split('\n');
  const regions = lines.flatMap((text, line) => {
    const source = /^\/\/#region (\S+)/.exec(text)?.[1];
    return source ? [{ source, line }] : [];
  });
  regionsByFile.set(url, regions);
  return regions;
}

/** The source file and the line of a function in the build. Other files are unchanged. */
function sourceOf(url: string, line: number): { url: string; line: number } {
  if (!/^file:.*\/dist\//.test(url)) return { url, line };
  const region = regionsOf(url).findLast((candidate) => candidate.line < line);
  return region ? { url: `/${region.source}`, line: line - region.line - 1 } : { url, line };
}

const areaOf = (url: string): Area | undefined => areas.find(([pattern]) => pattern.test(url))?.[1];
const placeOf = (url: string, line: number): string =>
  url === '' ? '' : `${url.replace(/^.*\/(src|dist|node_modules)\//, '')}:${line + 1}`;

/** The calls of a busy thread between two times (of `process.hrtime`, in microseconds), as one tree. */
export function readProfile(folder: string, from: number, to: number): Frame {
  const [largest] = readdirSync(folder)
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(b).size - statSync(a).size);
  const profile = JSON.parse(readFileSync(largest as string, 'utf8')) as CpuProfile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const root: Frame = { name: 'all', place: '', area: 'Node and the network', time: 0, callees: new Map() };
  let at = profile.startTime;
  for (const [i, sample] of profile.samples.entries()) {
    const time = profile.timeDeltas[i] as number;
    at += time;
    if (at < from || at > to || time < 0) continue;
    const stack = [];
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) stack.unshift(nodes.get(id));
    if (stack.at(-1)?.callFrame.functionName === '(idle)') continue;
    let frame = root;
    frame.time += time;
    for (const node of stack.slice(1)) {
      const { functionName, ...built } = node?.callFrame ?? { functionName: '', url: '', lineNumber: 0 };
      const { url, line } = sourceOf(built.url, built.lineNumber);
      frame = calleeOf(frame, functionName || '(anonymous)', url, line);
      frame.time += time;
    }
  }
  return root;
}

function calleeOf(caller: Frame, name: string, url: string, line: number): Frame {
  const key = `${name} ${url} ${line}`;
  let callee = caller.callees.get(key);
  if (!callee) {
    const native = url === '' && !name.startsWith('(');
    const area = areaOf(url) ?? (native ? caller.area : 'Node and the network');
    callee = { name, place: placeOf(url, line), area, time: 0, callees: new Map() };
    caller.callees.set(key, callee);
  }
  return callee;
}

/** The share of each area in the self time of functions. */
export function sharesOf(root: Frame): Record<string, number> {
  const shares: Record<string, number> = {};
  const visit = (frame: Frame) => {
    let own = frame.time;
    for (const callee of frame.callees.values()) {
      own -= callee.time;
      visit(callee);
    }
    if (frame !== root) shares[frame.area] = (shares[frame.area] ?? 0) + own / root.time;
  };
  visit(root);
  return shares;
}
