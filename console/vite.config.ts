import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/**
 * Built into `dist/`. `__NONCE__` and `__ROOT__` are filled in by the service for each answer; addresses are relative,
 * so that the console works under any BASE_URL.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react(), announceConsole(), compressAssets()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and pictures as files: the Content-Security-Policy allows no data: but for pictures.
    assetsInlineLimit: 0,
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});

/** The page itself names what the gate will ask for, so that it is on its way before the gate's code has run. */
function announceConsole(): Plugin {
  return {
    name: 'announce-console',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
        const console = chunks.find(({ name }) => name === 'Console');
        const named = new Set(console ? [console.fileName, ...console.imports] : []);
        const entry = chunks.find(({ isEntry }) => isEntry);
        for (const known of entry ? [entry.fileName, ...entry.imports] : []) named.delete(known);
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

/** As small as it gets, once and for all, beside each file: the service sends it as it is. */
function compressAssets(): Plugin {
  let folder = '';
  return {
    name: 'compress-assets',
    apply: 'build',
    configResolved({ root, build: { outDir, assetsDir } }) {
      folder = join(root, outDir, assetsDir);
    },
    async closeBundle() {
      const files = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
      await Promise.all(
        files.map(async (name) => {
          const path = join(folder, name);
          await writeFile(`${path}.br`, await compress(await readFile(path)));
        }),
      );
    },
  };
}
