// Builds the dashboard into dist/dashboard, from where the daemon serves it. A warning of the Svelte compiler, of which
// most are about accessibility, ends the build.

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [
    svelte({
      onwarn: warning => {
        throw new Error(`${warning.filename ?? 'svelte'}: ${warning.code}: ${warning.message}`);
      },
    }),
  ],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2023',
    // The page's policy allows no data: address, so nothing may be inlined.
    assetsInlineLimit: 0,
    // The daemon serves the page itself, on loopback or a local network: one file is simpler than pages loaded apart.
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    // A first `npm start` is no place for advice on how to profile plugins.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
});
