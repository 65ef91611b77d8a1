// Checks whether node_modules matches the lockfile, and runs `npm ci` if not.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, inRoot } = require('./paths.js');
const { runCommand } = require('./run-command.js');

/** npm writes node_modules/.package-lock.json last, so an install that was cut short does not count. */
const isInstalled = () => {
  const wanted = packagesOf(inRoot('package-lock.json'));
  const installed = packagesOf(inRoot('node_modules', '.package-lock.json'));
  if (wanted === undefined || installed === undefined) return false;
  return Object.entries(wanted).every(([lockPath, { version, optional, link }]) => {
    if (lockPath === '' || link) return true;
    const there = installed[lockPath];
    return there === undefined ? optional === true : there.version === version;
  });
};

const packagesOf = file => {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/** Resolves with how `npm ci` ended; its output goes to standard error, which leaves standard output to the daemon. */
const install = () => {
  // Its warnings are about the installing Node, but the pinned one runs.
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: ROOT, stdio: ['ignore', 2, 2] };
  const npm = process.env.npm_execpath;
  if (npm && path.basename(npm) === 'npm-cli.js') {
    // npm's own Node: the one that runs this file may be the very one in node_modules that npm is about to replace.
    return runCommand(process.env.npm_node_execpath || process.execPath, [npm, ...args], options);
  }
  return runCommand('npm', args, { ...options, shell: process.platform === 'win32' });
};

const INSTALL_FAILED_LINES = [
  'Plimsoll: the dependencies could not be installed; npm says why above.',
  'The first start needs the npm registry (or a filled npm cache: `npm ci --offline`); later ones need no network. Run the same command again when it can be reached.',
];

module.exports = { isInstalled, install, INSTALL_FAILED_LINES };
