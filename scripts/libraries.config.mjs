// Vite puts the libraries of scripts/libraries/, each with all that it needs, into one file apiece under dist/libraries/.
// Fastify installs as dozens of packages of which a fraction is in use: the installed package has to stay
// small, and one file loads faster than two hundred.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const FOLDER = fileURLToPath(new URL('libraries', import.meta.url));

/** MIT and its like ask that their text goes with every copy. */
const licenses = () => {
  const packages = new Set();
  return {
    name: 'licenses',
    moduleParsed({ id }) {
      const folder = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0];
      if (folder !== undefined) packages.add(folder);
    },
    generateBundle() {
      const texts = [...packages].sort().map(licenseOf);
      const source = `What lies in this folder was made from these packages.\n\n${texts.join(`\n${'-'.repeat(72)}\n\n`)}`;
      this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
    },
  };
};

const licenseOf = folder => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find(entry => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  publicDir: false,
  plugins: [licenses()],
  ssr: { noExternal: true, target: 'node' },
  build: {
    ssr: true,
    outDir: 'dist/libraries',
    emptyOutDir: true,
    minify: 'oxc',
    target: 'node24',
    rolldownOptions: {
      input: Object.fromEntries(
        readdirSync(FOLDER).map(file => [file.replace(/\.mjs$/, ''), join(FOLDER, file)]),
      ),
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      checks: { pluginTimings: false },
    },
  },
});
