// A command's output instead of a terminal's.

const { spawn } = require('node:child_process');

/** Resolves with {code, stdout, stderr}; code is null where it could not be started. */
const capture = (command, args, options = {}) =>
  new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', text => {
        texts[name] += text;
      });
    child.once('error', error => resolve({ code: null, ...texts, stderr: error.message }));
    child.once('close', code => resolve({ code, ...texts }));
  });

module.exports = { capture };
