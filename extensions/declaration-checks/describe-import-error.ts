import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suggestName } from '../../src/platform/closest-name.ts';
import { OperatorError } from '../../src/platform/errors.ts';

/** A place in a file of the operator, counted from 1. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Names the file, the line and the column. `ownFolder`: the folder with the code of Gatehouse. */
export async function describeImportError(file: string, error: unknown, ownFolder: string): Promise<string> {
  if (error instanceof OperatorError) return error.message;
  if (!(error instanceof Error)) return `${file} could not be read: it throws ${String(error)}`;
  const place = errorPlace(file, error, ownFolder);
  const where = place ? `${place.file}:${place.line}:${place.column}` : file;
  const codeFrame = place ? codeFrameOf(place) : '';
  return `${where} could not be read: ${error.message}${await suggestionFor(error.message, ownFolder)}${codeFrame}`;
}

function errorPlace(file: string, error: Error, ownFolder: string): Place | undefined {
  const importer = /imported from (.+?)$/m.exec(error.message)?.[1];
  if (importer) return placeOfImport(importer, error.message);
  const placeWithCarets = placeFromCarets(error.stack ?? '');
  if (placeWithCarets) return placeWithCarets;
  if (error instanceof SyntaxError) return placeFromCarets(syntaxErrorOutput(file));
  return placeOfFrame(file, error.stack ?? '', ownFolder);
}

/** Node prints the place, the line, and carets under the mistake. */
function placeFromCarets(text: string): Place | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^(file:|\/|[A-Za-z]:\\).*:\d+$/.test(line));
  if (start < 0) return undefined;
  const [, path = '', line = ''] = /^(.*):(\d+)$/.exec(lines[start] ?? '') ?? [];
  const carets = lines.slice(start + 1).find((text) => /^\s*\^+\s*$/.test(text));
  const file = pathOf(path);
  const end = (lineOf(file, Number(line))?.length ?? 0) + 1;
  return { file, line: Number(line), column: carets ? carets.indexOf('^') + 1 : end };
}

/** The place of a syntax error is only in Node's output. No code of such a file runs. */
function syntaxErrorOutput(file: string): string {
  const statement = `import ${JSON.stringify(pathToFileURL(file).href)}`;
  const args = [...process.execArgv, '--input-type=module', '--eval', statement];
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 10_000 }).stderr ?? '';
}

/** The call that threw: in the file, or in another file of the project. */
function placeOfFrame(file: string, stack: string, ownFolder: string): Place | undefined {
  const frames = [...stack.matchAll(/\(?((?:file:|\/|[A-Za-z]:\\)[^\s()]*):(\d+):(\d+)\)?$/gm)].map(
    ([, path = '', line, column]) => ({ file: pathOf(path), line: Number(line), column: Number(column) }),
  );
  const isOfGatehouse = (path: string) => path.startsWith(ownFolder) || path.includes('node_modules');
  return frames.find((frame) => frame.file === file) ?? frames.find((frame) => !isOfGatehouse(frame.file));
}

/** The line of an import that cannot be found. */
function placeOfImport(importer: string, message: string): Place | undefined {
  const file = pathOf(importer);
  const moduleName = /'(?:[^']*[\\/])?([^'\\/]+)'/.exec(message)?.[1];
  if (!moduleName) return undefined;
  const lines = read(file).split('\n').entries();
  const found = lines.find(([, text]) => /\b(from|import)\b/.test(text) && text.includes(moduleName));
  if (!found) return undefined;
  const [line, text] = found;
  return { file, line: line + 1, column: text.search(/['"]/) + 1 };
}

function codeFrameOf({ file, line, column }: Place): string {
  const text = lineOf(file, line);
  return text === undefined ? '' : `\n    ${text}\n    ${text.slice(0, column - 1).replace(/\S/g, ' ')}^`;
}

const entryPoints = [
  ...['', '/resources', '/routes', '/jobs', '/migrations', '/seeds', '/providers', '/config', '/testing', '/client'],
].map((path) => `gatehouse-server${path}`);

/** The closest existing name, for a misspelt import from Gatehouse. */
async function suggestionFor(message: string, ownFolder: string): Promise<string> {
  const [, subpath, packageFile] = /subpath '\.\/([^']+)' is not defined by "exports" in (\S+)/.exec(message) ?? [];
  if (subpath && packageFile === join(ownFolder, '..', 'package.json'))
    return suggestName(`gatehouse-server/${subpath}`, entryPoints);
  const [, module, name] = /module '([^']+)' does not provide an export named '([^']+)'/.exec(message) ?? [];
  if (!module || !name || !entryPoints.includes(module)) return '';
  const names = Object.keys(await import(module).catch(() => ({})));
  return `.${suggestName(name, names) || ' If it is a type, write `import type`.'}`;
}

const pathOf = (path: string): string => (path.startsWith('file:') ? fileURLToPath(path) : path);

const lineOf = (file: string, line: number): string | undefined => read(file).split('\n')[line - 1];

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
