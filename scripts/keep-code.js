// Stores V8's compiled form of the packed code next to it: from a run of a mock, in which every process and thread
// stores its own (keep-code-preload.js). For the Node version and the machine of the build; any other compiles as
// usual.

const { once } = require('node:events');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { capture } = require('./release/capture.js');
const { inRoot } = require('./paths.js');

/** Resolves with why nothing was kept, or undefined. */
const keepCode = async nodePath => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plimsoll-keep-code-'));
  const mock = spawn(nodePath, [inRoot('dist/packed/mock/mock-process.js'), JSON.stringify(MOCK)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await Promise.race([
      once(mock.stdout.setEncoding('utf8'), 'data'),
      once(mock, 'close').then(() => Promise.reject(new Error('the mock did not start'))),
    ]);
    const args = ['bench', JSON.parse(line).url, ...RUN, '--home', path.join(folder, 'home')];
    const env = { ...process.env, NODE_OPTIONS: `--require ${JSON.stringify(inRoot(PRELOAD))}` };
    const ran = await capture(nodePath, [inRoot('bin/plimsoll.js'), ...args], { env, timeout: RUN_MS_MAX });
    return ran.code === 0 ? undefined : `a run of the mock ended with ${ran.code}: ${ran.stderr.trim()}`;
  } catch (error) {
    return error.message;
  } finally {
    mock.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
};

const PRELOAD = 'scripts/keep-code-preload.js';
/** Long enough for threads to store what they compiled, several times. */
const MOCK = { ttftMs: 20, gapMs: 10, outputTokens: 20 };
const RUN = ['--requests', '12', '--concurrency', '2', '--events', 'on'];
const RUN_MS_MAX = 60_000;

module.exports = { keepCode };
