// Runs a command in the foreground, forwards the signals that this process gets, and returns how it ended.

const { spawn } = require('node:child_process');
const os = require('node:os');

/**
 * Resolves with {code, signal, error, isOverdue}; never rejects.
 * `options.msMax` kills a command that takes longer, which is then overdue; everything else goes to spawn.
 */
const runCommand = (command, args, options = {}) => {
  const { msMax, ...spawnOptions } = options;
  return new Promise(resolve => {
    let isOverdue = false;
    const child = spawn(command, args, { stdio: 'inherit', ...spawnOptions });
    const stopPassing = passSignals(child);
    const killOverdue = () => {
      isOverdue = true;
      child.kill('SIGKILL');
    };
    const watchdog = msMax === undefined ? undefined : setTimeout(killOverdue, msMax);
    const end = ending => {
      clearTimeout(watchdog);
      stopPassing();
      resolve({ ...ending, isOverdue });
    };
    child.once('error', error => end({ code: null, signal: null, error }));
    child.once('close', (code, signal) => end({ code, signal, error: null }));
  });
};

/** What a shell would report: the child's own code, or 128 plus the number of the signal that ended it. */
const exitCodeOf = ({ code, signal, error }) => {
  if (error) return 1;
  return code === null ? 128 + (os.constants.signals[signal] || 0) : code;
};

/**
 * A Ctrl-C in a terminal reaches every process of the foreground group, so the child has it already, and npm sends it
 * to this process once more. It is passed on only if the child cannot have it; a child that outlives it gets SIGTERM.
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
  const watch = watchParent(() => child.kill('SIGTERM'));
  return () => {
    clearTimeout(timer);
    clearInterval(watch);
    for (const { name, listener } of listeners) process.removeListener(name, listener);
  };
};

/**
 * npm passes a signal to the shell that it runs a script with, and a shell killed by it does not pass it on: without this,
 * killing `npm start` would leave the daemon running. Only under npm, because a person may well want a script that they
 * started themselves to outlive its terminal.
 */
const watchParent = onGone => {
  if (!process.env.npm_lifecycle_event) return undefined;
  const parent = process.ppid;
  let isGone = false;
  const interval = setInterval(() => {
    if (isGone || process.ppid === parent) return;
    isGone = true;
    onGone();
  }, PARENT_WATCH_MS);
  interval.unref();
  return interval;
};

/** Twice the second within which the daemon promises to stop. */
const OUTLIVES_MS = 2_000;
const PARENT_WATCH_MS = 250;

module.exports = { runCommand, exitCodeOf };
