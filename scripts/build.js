// `npm run build`: Node code by tsc, the dashboard and the libraries that are packed with the code by Vite, side by side; then
// the compiled code in few files by Vite, what V8 makes of those, and a stamp that identifies the sources. Incremental:
// output of a removed source is deleted, the rest is kept.

const fs = require('node:fs');
const { exitWith } = require('./exit-with.js');
const { ROOT, inRoot, nodeToRun } = require('./paths.js');
const { keepCode } = require('./keep-code.js');
const { withLock } = require('./lock.js');
const { exitCodeOf, runCommand } = require('./run-command.js');
const { forgetBuild, hasBuild, sourcesHash, stampBuild } = require('./sources.js');

const LOCK = inRoot('.cache', 'prepare.lock');

/** Resolves with an exit code. The lock must be held. */
const build = async () => {
  const node = nodeToRun();
  if (node.kind === 'too-old') {
    for (const line of node.lines) process.stderr.write(`${line}\n`);
    return 1;
  }
  const hash = sourcesHash();
  // Without its outputs tsc's record of the last build is wrong, and it would write nothing.
  if (!hasBuild()) for (const file of TSC_MEMORY) fs.rmSync(inRoot(file), { force: true });
  forgetBuild();
  const options = { cwd: ROOT, stdio: ['ignore', 2, 2] };
  const endings = await Promise.all([
    runCommand(node.path, [inRoot('node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json'], options),
    runCommand(node.path, viteBuild('dashboard/vite.config.ts'), options),
    runCommand(node.path, viteBuild('scripts/libraries.config.mjs'), options),
  ]);
  const failed = endings.map(exitCodeOf).find(code => code !== 0);
  if (failed !== undefined) return failed;
  removeOrphans('');
  useLibraries('');
  const packing = await runCommand(node.path, viteBuild('scripts/packed.config.mjs'), options);
  if (exitCodeOf(packing) !== 0) return exitCodeOf(packing);
  const unkept = await keepCode(node.path);
  if (unkept !== undefined) process.stderr.write(`Plimsoll: runs will start slower, since ${unkept}\n`);
  stampBuild(hash);
  return 0;
};

const viteBuild = config => [
  inRoot('node_modules/vite/bin/vite.js'),
  'build',
  '--config',
  config,
  '--logLevel',
  'warn',
];

/** Compiled files whose source was renamed or removed: they would be packed, and could be loaded by mistake. */
const removeOrphans = folder => {
  for (const entry of fs.readdirSync(inRoot('dist', folder), { withFileTypes: true })) {
    const relativePath = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!MADE_BY_VITE.includes(relativePath)) removeOrphans(relativePath);
      continue;
    }
    const source = relativePath.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (source !== relativePath && !fs.existsSync(inRoot('src', source)))
      fs.rmSync(inRoot('dist', relativePath));
  }
};

/** In compiled code 'fastify' becomes '../../libraries/fastify.js'. Already rewritten imports stay. */
const useLibraries = folder => {
  for (const entry of fs.readdirSync(inRoot('dist', folder), { withFileTypes: true })) {
    const relativePath = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !MADE_BY_VITE.includes(relativePath)) useLibraries(relativePath);
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const text = fs.readFileSync(inRoot('dist', relativePath), 'utf8');
    const up = folder === '' ? './' : '../'.repeat(folder.split('/').length);
    const pointed = text.replace(LIBRARY_IMPORT, (_whole, name) => `from '${up}libraries/${name}.js'`);
    if (pointed !== text) fs.writeFileSync(inRoot('dist', relativePath), pointed);
  }
};

const LIBRARIES = fs.readdirSync(inRoot('scripts/libraries')).map(file => file.replace(/\.mjs$/, ''));
const LIBRARY_IMPORT = new RegExp(`\\bfrom ['"](${LIBRARIES.join('|')})['"]`, 'g');
const MADE_BY_VITE = ['dashboard', 'libraries', 'packed'];
const TSC_MEMORY = ['.cache/core.tsbuildinfo', '.cache/src.tsbuildinfo'];

if (require.main === module) {
  const reportWait = pid =>
    process.stderr.write(`Plimsoll: waiting for process ${pid}, which builds here.\n`);
  exitWith(withLock(LOCK, reportWait, build));
}

module.exports = { build, LOCK };
