// Loads the built command line, or says that there is none.

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// A run loads one file that holds nothing else.
const entry = process.argv[2] === 'bench' ? 'bench-main.js' : 'main.js';
const main = join(__dirname, '..', 'dist', 'packed', 'cli', entry);

const start = async () => {
  if (existsSync(main)) {
    await import(pathToFileURL(main).href);
    return;
  }
  process.stderr.write(`Plimsoll is not built: ${main} is missing.\n`);
  process.stderr.write('Run `npm ci && npm run build` first.\n');
  process.exitCode = 1;
};

start().catch(error => {
  process.stderr.write(`Plimsoll could not be loaded: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
