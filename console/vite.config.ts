import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { drawIcons } from './icons/draw-icons.ts';
import packages from './package.json' with { type: 'json' };

/** The parts of the console in extensions, and their list. */
const isPart = /\/extensions\/(all-console-parts\.ts|[^/]+\/console\/.+\.tsx?)$/;

const own = (file: string): string => join(import.meta.dirname, file);

/** Packages, and parts of MUI and react-admin, of which the console uses little or nothing. */
const replacedParts = new RegExp(
  `^(${[
    ...['inflection', 'jsonexport/dist/index\\.js', 'react-hotkeys-hook', 'query-string'],
    // MUI's themes of CSS variables, and the waves below a pressed button.
    ...['\\./createThemeWithVars\\.mjs', '\\./ThemeProviderWithVars\\.mjs', '\\./TouchRipple\\.mjs'],
    // The parts of a table that `lists/Rows.tsx` replaces, and the editor of a page's looks.
    ...['\\./DataTableBody\\.js', '\\./BulkDeleteButton\\.js', '\\.\\./BulkActionsToolbar\\.js'],
    ...['\\./PageTitleConfigurable\\.js', '\\.\\./preferences/index\\.js'],
  ].join('|')})$`,
);
/** Parts of react-admin that are loaded when a user opens them. */
const lazyComponents = /^\.\/(ColumnsSelector|ColumnsSelectorItem|AddSavedQueryDialog|RemoveSavedQueryDialog)\.js$/;

/**
 * Builds the console into a temporary folder and then moves it to `dist/`, so that a running service finds a complete
 * console. The service replaces `__NONCE__` and `__ROOT__` in each response. URLs are relative, so the console works under
 * any BASE_URL.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [drawIcons(), react(), announceConsole(), compressAndMove()],
  html: { cspNonce: '__NONCE__' },
  resolve: {
    // The parts of the console in `extensions/` use the packages of this folder.
    dedupe: [...Object.keys(packages.dependencies), '@mui/utils'],
    alias: [
      // Preact has a tenth of React's code. es-toolkit has a third of the code of the lodash functions that react-admin uses.
      { find: /^react(-dom)?$/, replacement: 'preact/compat' },
      { find: /^react-dom\/client$/, replacement: 'preact/compat/client' },
      { find: /^react\/(jsx-runtime|jsx-dev-runtime)$/, replacement: 'preact/$1' },
      { find: /^\.\/adapters\/reactRouterProvider\.js$/, replacement: own('src/app/router.tsx') },
      { find: /^(@mui\/material\/Tooltip|\.\.?\/Tooltip\/index\.mjs)$/, replacement: own('src/widgets/Tooltip.tsx') },
      { find: /^lodash\/union\.js$/, replacement: own('src/app/union.ts') },
      { find: /^lodash\/(\w+)\.js$/, replacement: 'es-toolkit/compat/$1' },
      { find: replacedParts, replacement: own('src/app/replaced-packages.ts') },
      { find: lazyComponents, replacement: own('src/app/lazy-components.tsx') },
    ],
  },
  build: {
    outDir: 'node_modules/.dist',
    license: { fileName: 'third-party-licenses.txt' },
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and pictures stay files: the Content-Security-Policy allows `data:` only for pictures.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      // The replacements lack exports that the console does not use, and export some names twice.
      checks: { namespaceConflict: false, importIsUndefined: false },
      // A page loads only the parts that it shows, although one list imports all of them.
      treeshake: { moduleSideEffects: [{ test: isPart, sideEffects: false }] },
      // The first script of the page, and the code that renders the console.
      input: ['index.html', 'src/app/render-console.tsx'].map((file) => join(import.meta.dirname, file)),
      output: {
        // On a slow connection, each file costs a round trip. So modules that the same pages need share a file.
        codeSplitting: {
          // The list of parts imports those of all pages.
          includeDependenciesRecursively: false,
          groups: [
            {
              name: (id, context) => (isOfFirstScript(id, (each) => context.getModuleInfo(each)) ? 'first' : null),
              debugName: 'first',
              priority: 3,
            },
            { name: 'rendering', test: (id) => !isEntry.test(id), tags: ['$initial'], priority: 2 },
            // CommonJS runs when it is imported. In files that import each other, its imports may not be initialized yet.
            { name: 'lodash', test: /\/node_modules\/lodash\//, priority: 2 },
            { name: 'pages', minShareCount: 2, entriesAware: true, priority: 1 },
          ],
        },
      },
    },
  },
});

type ModuleInfo = (id: string) => { importedIds: readonly string[] } | null;
const isEntry = /\/(index\.html|main\.tsx)$/;
const ofFirstScript = new Set<string>();

/** Whether the first script imports a module statically. The script is small, so that it requests the other files early. */
function isOfFirstScript(id: string, infoOf: ModuleInfo): boolean {
  const follow = (each: string): void => {
    if (ofFirstScript.has(each)) return;
    ofFirstScript.add(each);
    for (const imported of infoOf(each)?.importedIds ?? []) follow(imported);
  };
  follow(join(import.meta.dirname, 'index.html'));
  return ofFirstScript.has(id) && !isEntry.test(id);
}

/** Preloads the files that the first script imports, so that they load before the script has run. */
function announceConsole(): Plugin {
  return {
    name: 'announce-console',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const holding = (file: string) => chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(file)));
        const rendering = holding('/src/app/render-console.tsx');
        const first = holding('/src/app/main.tsx');
        const named = new Set(rendering ? [rendering.fileName, ...rendering.imports] : []);
        for (const known of first ? [first.fileName, ...first.imports] : []) named.delete(known);
        return [...named].map((file) => ({
          tag: 'link',
          attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` },
          injectTo: 'head' as const,
        }));
      },
    },
  };
}

const compress = promisify(brotliCompress);

/** Writes a compressed copy beside each file, which the service sends. Then moves all files to `dist/`. */
function compressAndMove(): Plugin {
  return {
    name: 'compress-and-move',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets');
      const files = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        files.map(async (name) => {
          const path = join(folder, name);
          await writeFile(`${path}.br`, await compress(await readFile(path)));
        }),
      );
      await rm(own('dist'), { recursive: true, force: true });
      await rename(dir, own('dist'));
    },
  };
}
