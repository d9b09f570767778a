import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Built into `dist/`. `__NONCE__` and `__ROOT__` are filled in by the service for each answer; addresses are relative,
 * so that the console works under any BASE_URL.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and pictures as files: the Content-Security-Policy allows no data: but for pictures.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
});
