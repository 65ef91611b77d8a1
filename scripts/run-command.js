// Runs a command in the foreground, hands it the signals that this process gets, and tells how it ended.

const { spawn } = require('node:child_process');
const os = require('node:os');

/**
 * Resolves with {code, signal, error}; never rejects.
 * `options.onSpawn(child)` gets the child; everything else goes to spawn.
 */
const runCommand = (command, args, options = {}) => {
  const { onSpawn, ...spawnOptions } = options;
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: 'inherit', ...spawnOptions });
    const stopPassing = passSignals(child);
    const end = ending => {
      stopPassing();
      resolve(ending);
    };
    child.once('error', error => end({ code: null, signal: null, error }));
    child.once('close', (code, signal) => end({ code, signal, error: null }));
    if (onSpawn) onSpawn(child);
  });
};

/** What a shell would report: the child's own code, or 128 plus the number of the signal that ended it. */
const exitCodeOf = ({ code, signal, error }) => {
  if (error) return 1;
  return code === null ? 128 + (os.constants.signals[signal] || 0) : code;
};

/**
 * A Ctrl-C in a terminal reaches every process of the foreground group, so the child has it already, and npm sends it
 * to this process once more. It is passed on only where the child cannot have it; a child that outlives it is told
 * to terminate.
 */
const passSignals = child => {
  let timer;
  let isPassed = false;
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(name => {
    const listener = () => {
      if (isPassed && name === 'SIGINT') return;
      isPassed = true;
      if (name === 'SIGINT' && process.stdin.isTTY) {
        timer = setTimeout(() => child.kill('SIGTERM'), OUTLIVES_MS);
        timer.unref();
      } else {
        child.kill(name);
      }
    };
    process.on(name, listener);
    return { name, listener };
  });
  return () => {
    clearTimeout(timer);
    for (const { name, listener } of listeners) process.removeListener(name, listener);
  };
};

/** Twice the second within which the daemon promises to stop. */
const OUTLIVES_MS = 2_000;

module.exports = { runCommand, exitCodeOf };
