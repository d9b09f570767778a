// Builds src/, extensions/ and client/ into dist/. `npm start` runs dist/, and the package contains it. The service becomes a few bundled
// files that include libraries with hundreds of small files, because Node takes longer to find and link a file than to run most of them.
// Nothing is minified, and comments name the source of each line. `--no-types` omits the type declarations, `--types` adds them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin, stripTypeScriptTypes } from 'node:module';
import { dirname, isAbsolute, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { rolldown } = createRequire(join(root, 'scripts', 'bundler', 'package.json'))('rolldown');
const finished = join(root, 'dist');
// The build is written to a temporary folder and then moved, so that a service that starts meanwhile finds a complete build.
const target = join(root, 'node_modules', '.cache', `dist-${process.pid}`);
/** The packages that each start loads. They are bundled with the packages that they import: see docs/decisions/bundled-packages.md. */
const bundled =
  /^(@fastify\/cookie|@opentelemetry\/api|commander|fastify|find-my-way|jose|kysely|oauth4webapi|openid-client|pino|prom-client|qr|typebox)(\/|$)/;
/** Fastify does not load its compilers, because `schema-compilers.ts` loads them when they are needed. */
const compilers = /^@fastify\/(ajv|fast-json-stringify)-compiler$/;
const isExternal = (id, importer = '') =>
  !id.startsWith('.') &&
  !isAbsolute(id) &&
  !bundled.test(id) &&
  (!/[\\/]node_modules[\\/]/.test(importer) || isBuiltin(id) || compilers.test(id));
/**
 * The code that every command, every declaration of an operator and every start of the service loads, and the extensions that each service
 * loads: each is one file with all its imports.
 */
const groups = [
  { name: 'command', test: /src[\\/]cli[\\/]run-command\.ts$/, priority: 3 },
  { name: 'declarations', test: /(src|extensions)[\\/].+[\\/]declare\.ts$/, priority: 2 },
  { name: 'service', test: /src[\\/]main[\\/]start\.ts$/, priority: 1 },
  { name: 'extensions', test: /extensions[\\/]all-extensions\.ts$/, priority: 0 },
];
const isTestCode = (path) => /\.test\.ts$|(^|[\\/])(test-declarations[\\/]|fake-service\.ts$)/.test(path);

/** Modules find files relative to their path. After bundling, each module keeps the path that it would have as a separate file. */
const ownAddresses = {
  name: 'own-addresses',
  transform(code, id) {
    // The bundler's own modules begin with this character. They are no files.
    if (id.startsWith('\0') || !code.includes('import.meta.')) return null;
    const path = builtPath(relative(root, id)).replace(/\.ts$/, '.js');
    return {
      code: code
        .replaceAll('import.meta.url', `moduleAddress('${path}').href`)
        .replaceAll('import.meta.dirname', `moduleFolder('${posix.dirname(path)}')`),
    };
  },
  renderChunk(code, { fileName }) {
    const from = (path) => `new URL('${relativeTo(posix.dirname(fileName), path)}', import.meta.url)`;
    const toPath = `process.getBuiltinModule('node:url').fileURLToPath`;
    return {
      code: code
        .replace(/moduleAddress\((['"])([^'"]+)\1\)/g, (_, _quote, path) => from(path))
        .replace(/moduleFolder\((['"])([^'"]+)\1\)/g, (_, _quote, path) => `${toPath}(${from(path)})`),
    };
  },
};

/**
 * An `import` of a module of Node evaluates all its members, which loads parts that nothing uses: WebSocket for node:http, MIME types for
 * node:util.
 */
const builtinModules = {
  name: 'builtin-modules',
  renderChunk: (code) => ({
    code: code.replace(
      /^import (?:\* as )?([\w$]+)?(?:, )?(?:\{([^}]+)\})? from "(node:[\w/]+)";$/gm,
      (_, whole, members, name) =>
        [whole, members && `{${members.replaceAll(' as ', ': ')}}`]
          .filter(Boolean)
          .map((names) => `const ${names} = globalThis.process.getBuiltinModule("${name}");`)
          .join('\n'),
    ),
  }),
};

/** V8 stores a text with one character outside Latin-1 in twice the memory. */
const asciiOnly = {
  name: 'ascii-only',
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      file.code = file.code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  },
};

/** The folders of the bundled packages. */
const packages = new Set();
const collectPackages = {
  name: 'collect-packages',
  generateBundle(_options, files) {
    for (const id of Object.values(files).flatMap(({ moduleIds = [] }) => moduleIds)) {
      const [folder] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? [];
      if (folder) packages.add(folder);
    }
  },
};

/** The path of a source file in dist/: without `src/` for files of src/, unchanged for files of extensions/. */
const builtPath = (path) => path.replaceAll('\\', '/').replace(/^src\//, '');

const relativeTo = (folder, path) => {
  const way = posix.relative(folder, path);
  return way.startsWith('.') ? way : `./${way}`;
};

const [asked] = process.argv.slice(2);
if (asked === '--types') declareTypes(finished);
else {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await bundleService();
  writeLicenses();
  copyAssets();
  buildClient();
  if (asked !== '--no-types') declareTypes(target);
  rmSync(finished, { recursive: true, force: true });
  renameSync(target, finished);
  // The cache never deletes the code of files with earlier names.
  rmSync(join(root, 'node_modules', '.cache', 'compile'), { recursive: true, force: true });
}

/**
 * One file for each entry point, and shared files for common code. The names of shared files contain a hash of their content: a process of an
 * earlier build does not find them, instead of linking functions of this build by the short names of their exports.
 */
async function bundleService() {
  await bundleTogether(entries(), { chunkFileNames: 'chunks/[name]-[hash].js', codeSplitting: { groups } });
  // Separately, because a thread shares no module with the rest. Otherwise its code would split the files of the service.
  await bundleTogether(threads(), { chunkFileNames: 'chunks/threads/[name]-[hash].js' });
}

async function bundleTogether(paths, options) {
  const bundle = await rolldown({
    input: Object.fromEntries(paths.map((path) => [builtPath(path).replace(/\.ts$/, ''), join(root, path)])),
    platform: 'node',
    cwd: root,
    external: isExternal,
    plugins: [ownAddresses, builtinModules, asciiOnly, collectPackages],
  });
  await bundle.write({ dir: target, format: 'esm', entryFileNames: '[name].js', ...options });
  await bundle.close();
}

/** The licenses of the bundled packages, which must accompany their code. */
function writeLicenses() {
  const texts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : 'The package has no license file.';
    return `## ${name} - ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(join(target, 'third-party-licenses.txt'), `# Licenses of the bundled packages\n\n${texts.join('\n')}`);
}

/** The entry points: the command and the exports of the package. */
function entries() {
  const { exports, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [name, version] of Object.entries(dependencies)) {
    if (bundled.test(name) && !/^\d/.test(version)) {
      throw new Error(`${name} is bundled, so package.json must name its exact version, not ${version}.`);
    }
  }
  const exported = Object.values(exports).flatMap(({ 'gatehouse-source': path = '' }) =>
    /^\.\/(src|extensions)\//.test(path) ? [path.slice('./'.length)] : [],
  );
  return ['src/cli/main.ts', ...exported];
}

/** The worker threads. */
function threads() {
  return sources().filter(
    (path) => path.endsWith('-thread.ts') && !isTestCode(path) && path !== 'src/platform/worker-thread.ts',
  );
}

/** All files except those of the console. */
function sources() {
  return ['src', 'extensions']
    .flatMap((folder) => filesIn(join(root, folder)).map((path) => posix.join(folder, path)))
    .filter((path) => !/^extensions\/[^/]+\/console\//.test(path));
}

/** Copies the files that are not code. */
function copyAssets() {
  for (const path of sources()) {
    if (path.endsWith('.ts') || path.endsWith('.md')) continue;
    mkdirSync(dirname(join(target, builtPath(path))), { recursive: true });
    cpSync(join(root, path), join(target, builtPath(path)));
  }
}

/** The client stays in separate files for bundlers. Only the types are removed. */
function buildClient() {
  for (const path of filesIn(join(root, 'client'))) {
    if (isTestCode(path) || !path.endsWith('.ts')) continue;
    const into = join(target, 'client', path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(into), { recursive: true });
    writeFileSync(into, renamingImports(stripTypeScriptTypes(readFileSync(join(root, 'client', path), 'utf8'))));
  }
}

/** Rewrites imports to the built files. The folders of src/ are directly in dist/. */
function renamingImports(text) {
  const renamed = text.replace(/(\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2');
  return renamed.replace(/(['"](?:\.\.\/)+)src\//g, '$1');
}

/** The `.d.ts` files of the exports of the package. */
function declareTypes(folder) {
  const types = join(folder, '.types');
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  // One checker: each of several would instantiate the same types again.
  const options = ['--checkers', '1', '-p', join(root, 'tsconfig.build.json'), '--outDir', types];
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
  for (const path of filesIn(types)) {
    const into = join(folder, builtPath(path));
    mkdirSync(dirname(into), { recursive: true });
    writeFileSync(into, renamingImports(readFileSync(join(types, path), 'utf8')));
  }
  rmSync(types, { recursive: true });
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}
