// Turns src/ and client/ into dist/, which is what people run and what the package holds. Lines stay where they are, without
// their types, so that a stack names the line of the source. The libraries of many hundred small files become one file each:
// loading those was a fifth of a start.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const finished = join(root, 'dist');
// Built beside, then moved: a service that starts meanwhile finds the whole of one build.
const target = join(root, 'node_modules', '.cache', `dist-${process.pid}`);
const bundled = ['kysely', 'typebox'];
const isTestCode = (path) => /\.test\.ts$|(^|[\\/])(test-declarations[\\/]|fake-service\.ts$)/.test(path);

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, 'libraries'), { recursive: true });
await bundleLibraries();
build('src', target);
build('client', join(target, 'client'));
declareTypes();
copyApiReference();
rmSync(finished, { recursive: true, force: true });
renameSync(target, finished);

async function bundleLibraries() {
  const bundle = await rolldown({
    input: Object.fromEntries(bundled.map((name) => [name, name])),
    platform: 'node',
    cwd: root,
  });
  await bundle.write({ dir: join(target, 'libraries'), format: 'esm' });
  await bundle.close();
}

function build(folder, to) {
  for (const path of filesIn(join(root, folder))) {
    if (isTestCode(path) || path.endsWith('.md')) continue;
    const [from, into] = [join(root, folder, path), join(to, path)];
    mkdirSync(dirname(into), { recursive: true });
    if (!path.endsWith('.ts')) cpSync(from, into);
    else writeFileSync(into.replace(/\.ts$/, '.js'), toJavaScript(readFileSync(from, 'utf8'), dirname(into)));
  }
}

/** The same lines without their types, and with imports of what they have become. */
function toJavaScript(text, folder) {
  return renamingImports(stripTypeScriptTypes(text), (name) => {
    if (!bundled.includes(name)) return name;
    const path = relative(folder, join(target, 'libraries', `${name}.js`)).replaceAll('\\', '/');
    return path.startsWith('.') ? path : `./${path}`;
  });
}

function renamingImports(text, rename) {
  return text.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"]+)\2/g, (_, before, quote, name) => {
    const renamed = name.startsWith('.') ? name.replace(/\.ts$/, '.js') : rename(name);
    return `${before}${quote}${renamed}${quote}`;
  });
}

/** The `.d.ts` of whatever the package exports. */
function declareTypes() {
  const types = join(target, '.types');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', types], {
    stdio: 'inherit',
  });
  for (const path of filesIn(types)) {
    const into = join(target, path.replace(/^src[\\/]/, ''));
    mkdirSync(dirname(into), { recursive: true });
    writeFileSync(
      into,
      renamingImports(readFileSync(join(types, path), 'utf8'), (name) => name),
    );
  }
  rmSync(types, { recursive: true });
}

/** The package brings its API reference along, and not the library's own dependencies. */
function copyApiReference() {
  const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE'])
    cpSync(
      join(library, name),
      join(target, 'http/openapi/api-reference', name === 'LICENSE' ? 'swagger-ui-LICENSE' : name),
    );
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
