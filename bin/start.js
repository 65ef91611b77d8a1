// Loads the built command line, or says that there is none.

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const folder = join(__dirname, '..', 'dist', 'packed', 'cli');
// A run loads files that hold nothing else.
const isRun = process.argv[2] === 'bench';
const main = join(folder, isRun ? 'bench-main.code.js' : 'main.js');

const start = async () => {
  if (!existsSync(main)) {
    process.stderr.write(`Plimsoll is not built: ${main} is missing.\n`);
    process.stderr.write('Run `npm ci && npm run build` first.\n');
    process.exitCode = 1;
    return;
  }
  if (isRun) require('./load-packed.js').loadPacked(main);
  else await import(pathToFileURL(main).href);
};

start().catch(error => {
  process.stderr.write(`Plimsoll could not be loaded: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
});
