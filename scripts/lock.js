// One process at a time prepares a checkout; others wait and then find the work done. The lock is a file made with
// O_EXCL that holds its owner's process id, so that a lock whose owner was killed is taken over.

const fs = require('node:fs');
const path = require('node:path');

/** Runs `work` while holding the lock at `file`; `onWait(pid)` is called once when another process has it. */
const withLock = async (file, onWait, work) => {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  let hasReportedWait = false;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner.kind === 'gone') takeAway(file, owner.text);
    else {
      if (owner.kind === 'running' && !hasReportedWait) onWait(owner.pid);
      hasReportedWait = hasReportedWait || owner.kind === 'running';
      await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
};

const take = file => {
  try {
    fs.writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
};

const ownerOf = file => {
  let text;
  let ageMs;
  try {
    text = fs.readFileSync(file, 'utf8');
    ageMs = Date.now() - fs.statSync(file).mtimeMs;
  } catch (error) {
    if (error.code === 'ENOENT') return { kind: 'released' };
    throw error;
  }
  // A process id can be taken by a stranger after a reboot, and a file can be empty when the power failed: neither may
  // hold the lock forever.
  if (ageMs > LOCKED_MS_MAX) return { kind: 'gone', text };
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 0) {
    return ageMs > BEING_WRITTEN_MS ? { kind: 'gone', text } : { kind: 'released' };
  }
  return isRunning(pid) ? { kind: 'running', pid } : { kind: 'gone', text };
};

const isRunning = pid => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
};

/** Two processes may find the same stale lock: the one that moved a different lock puts it back. */
const takeAway = (file, text) => {
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (fs.readFileSync(aside, 'utf8') === text) fs.rmSync(aside, { force: true });
  else fs.renameSync(aside, file);
};

const POLL_MS = 100;
const BEING_WRITTEN_MS = 5_000;
const LOCKED_MS_MAX = 20 * 60_000;

module.exports = { withLock };
