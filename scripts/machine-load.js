// How busy this machine is: a test that fails on a quiet machine is another finding than one that
// fails where other programs have the processors.

const fs = require('node:fs');
const os = require('node:os');

/** Milliseconds of all processors since they started. `stolenMs` is known on Linux only. */
const readLoad = () => readStat() ?? readProcessors();

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

const textOf = file => {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** Shares of all processors from 0 to 1. */
const loadBetween = (before, after) => {
  const totalMs = after.totalMs - before.totalMs;
  if (!(totalMs > 0)) return undefined;
  const stolen = before.stolenMs === undefined ? undefined : (after.stolenMs - before.stolenMs) / totalMs;
  return { busy: (after.busyMs - before.busyMs) / totalMs, stolen };
};

const loadText = ({ busy, stolen }) => {
  const withheld =
    stolen === undefined || stolen < 0.005 ? '' : `, and its hypervisor withheld ${percent(stolen)}`;
  return `the processors of this machine were ${percent(busy)} busy${withheld}`;
};

const percent = share => `${Math.round(share * 100)} %`;

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICK_MS = 10;

module.exports = { readLoad, loadBetween, loadText };
