// How busy this machine is with things that are not ours: a test that fails on a quiet machine is another finding than one that
// fails where other programs have the processors.

const fs = require('node:fs');
const os = require('node:os');

/** Milliseconds of all processors since they started. `stolenMs` and `oursMs` are known on Linux only. */
const readLoad = () => ({ ...(readStat() ?? readProcessors()), oursMs: readOurs() });

/** First line of /proc/stat, proc(5): user nice system idle iowait irq softirq steal, in hundredths of a second. */
const readStat = () => {
  const fields = /^cpu +(.*)/.exec(textOf('/proc/stat'))?.[1]?.split(' ').map(Number);
  if (fields === undefined || fields.length < 8) return undefined;
  const [user, nice, system, idle, waiting, irq, softIrq, stolen] = fields.map(ticks => ticks * TICK_MS);
  const busyMs = user + nice + system + irq + softIrq;
  return { busyMs, totalMs: busyMs + idle + waiting + stolen, stolenMs: stolen };
};

const readProcessors = () => {
  let busyMs = 0;
  let totalMs = 0;
  for (const { times } of os.cpus()) {
    busyMs += times.user + times.nice + times.sys + times.irq;
    totalMs += times.user + times.nice + times.sys + times.irq + times.idle;
  }
  return { busyMs, totalMs };
};

/** Of this process and of all below it that have ended: fields 14 to 17 of /proc/self/stat. */
const readOurs = () => {
  const fields = textOf('/proc/self/stat').split(') ').at(-1).split(' ');
  if (fields.length < 15) return undefined;
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
};

const textOf = file => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Shares of all processors from 0 to 1; `others` is what was neither idle nor ours. */
const loadBetween = (before, after) => {
  const totalMs = after.totalMs - before.totalMs;
  if (!(totalMs > 0)) return undefined;
  const ours = before.oursMs === undefined || after.oursMs === undefined ? 0 : after.oursMs - before.oursMs;
  const others = Math.max(0, after.busyMs - before.busyMs - ours) / totalMs;
  const stolen = before.stolenMs === undefined ? undefined : (after.stolenMs - before.stolenMs) / totalMs;
  return { others, stolen };
};

/**
 * Waits until other programs leave the processors to us, for `secondsMax` at most.
 * Resolves with the load at the last look; `read` and `pause` are given by tests.
 */
const whenQuiet = async ({ secondsMax, read = readLoad, pause = pauseMs }) => {
  let load;
  for (let waitedMs = 0; waitedMs < secondsMax * 1_000; waitedMs += LOOK_MS) {
    const before = read();
    await pause(LOOK_MS);
    load = loadBetween(before, read());
    if (load === undefined || isQuiet(load)) return load;
  }
  return load;
};

const isQuiet = ({ others, stolen = 0 }) => others + stolen <= OTHERS_MAX;

const loadText = ({ others, stolen }) => {
  const hypervisor =
    stolen === undefined || stolen < 0.005 ? '' : `, and its hypervisor withheld ${percent(stolen)}`;
  return `other programs had ${percent(others)} of the processors${hypervisor}`;
};

const percent = share => `${Math.round(share * 100)} %`;

const pauseMs = ms => new Promise(resolve => setTimeout(resolve, ms));

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10;
const LOOK_MS = 2_000;
/** Of two processors one half: what a test waits for then has more than one whole processor. */
const OTHERS_MAX = 0.25;

module.exports = { readLoad, loadBetween, whenQuiet, loadText };
