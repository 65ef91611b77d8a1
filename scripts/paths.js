// Where things are in a checkout, and which Node runs them.

const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.dirname(__dirname);
const OLDEST_MAJOR_AT_RUN_TIME = 24;

/** The Node that the lockfile pins; if its install script was blocked, this process's own if it is new enough. */
const nodeToRun = () => {
  const pinned = path.join(
    ROOT,
    'node_modules',
    'node',
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node'
  );
  if (fs.existsSync(pinned)) return { kind: 'found', path: pinned };
  const [major] = process.versions.node.split('.');
  if (Number(major) >= OLDEST_MAJOR_AT_RUN_TIME) return { kind: 'found', path: process.execPath };
  return {
    kind: 'too-old',
    lines: [
      `Plimsoll runs on Node ${OLDEST_MAJOR_AT_RUN_TIME} or newer; this is ${process.versions.node}, and the pinned one is missing: npm did not run its install script.`,
      'Run `npm rebuild node --ignore-scripts=false`, or install Node 24 and run the same command again.',
    ],
  };
};

const inRoot = (...parts) => path.join(ROOT, ...parts);

module.exports = { ROOT, inRoot, nodeToRun };
