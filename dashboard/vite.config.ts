// Builds the dashboard into dist/dashboard, from where the daemon serves it. A warning of the Svelte compiler, of which
// most are about accessibility, ends the build.

import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

/** A page checks no payloads: without their schemas in the table of kinds, its scripts are a twelfth smaller. */
const withoutPayloadSchemas = (): Plugin => ({
  name: 'without-payload-schemas',
  enforce: 'pre',
  transform(code, file) {
    if (/EVENT_KINDS\[[^\]]*\]\.schema/.test(code)) this.error('a page has no schemas of payloads');
    return file.includes('/src/core/') && code.includes('entriesMax: ')
      ? { code: code.replace(/^ +schema: [\w()]+,$/gm, ''), map: null }
      : undefined;
  },
});

/** No module of core does anything when it is imported: one of which only types are used is left out. */
const treeshake = { moduleSideEffects: [{ test: /\/src\/core\//, sideEffects: false }] };

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/',
  plugins: [
    withoutPayloadSchemas(),
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
    // In bytes / 1,000. Pages of documents and headroom are loaded apart: most visits open none.
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false },
    // A first `npm start` is no place for advice on how to profile plugins.
    rolldownOptions: { checks: { pluginTimings: false }, treeshake },
  },
  worker: { format: 'es', plugins: () => [withoutPayloadSchemas()], rolldownOptions: { treeshake } },
});
