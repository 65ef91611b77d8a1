// `npm run bench [-- FILTER… [--OPTION…]]`: runs every *.bench.ts whose name contains a filter, each in its own process and one
// after another so that none disturbs the next, and prints the rows against what each must reach. Options go to the benchmark.

import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import os from 'node:os';
import pathsScript from '../scripts/paths.js';
import prepareScript from '../scripts/prepare.js';

const { prepare } = prepareScript;
const { ROOT, inRoot, nodeToRun } = pathsScript;

const bench = async args => {
  const firstOption = args.findIndex(arg => arg.startsWith('--'));
  const filters = firstOption < 0 ? args : args.slice(0, firstOption);
  const options = firstOption < 0 ? [] : args.slice(firstOption);
  // Without a filter every benchmark would run: hours.
  if (filters.length === 0 && options.some(option => option === '--help')) return help();
  const prepared = await prepare();
  if (prepared.kind === 'failed') return prepared.code;
  const node = nodeToRun();
  if (node.kind === 'too-old') {
    for (const line of node.lines) process.stderr.write(`${line}\n`);
    return 1;
  }
  const names = benchmarkNames().filter(
    name => filters.length === 0 || filters.some(filter => name.includes(filter)),
  );
  if (names.length === 0) {
    process.stderr.write(`No benchmark is called ${filters.join(' or ')}.\n`);
    return 2;
  }
  process.stdout.write(machineLines(node.path));
  let failures = 0;
  for (const name of names) {
    process.stdout.write(`\n${name}   (npm run bench -- ${name})\n`);
    const code = await runBenchmark(node.path, name, options);
    if (code === 0) continue;
    failures += 1;
    process.stdout.write(`  failed with exit code ${code}\n`);
  }
  return failures === 0 ? 0 : 1;
};

const benchmarkNames = () =>
  readdirSync(inRoot('benchmarks'))
    .filter(file => file.endsWith('.bench.ts'))
    .map(file => file.slice(0, -'.bench.ts'.length));

const help = () => {
  process.stdout.write(
    `npm run bench -- [FILTER…] [--OPTION…]\n\nRuns every benchmark whose name contains a filter, by default all, one after another.\n\n${benchmarkNames()
      .map(name => `  ${name}\n`)
      .join('')}`,
  );
  return 0;
};

/** Rows are printed as they come, because a benchmark may take minutes. */
const runBenchmark = (node, name, options) =>
  new Promise(resolve => {
    const child = spawn(node, ['--expose-gc', inRoot('benchmarks', `${name}.bench.ts`), ...options], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let partial = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      for (const line of lines) process.stdout.write(rowLine(line));
    });
    child.once('error', error => {
      process.stderr.write(`${error.message}\n`);
      resolve(1);
    });
    child.once('close', (code, signal) => resolve(code ?? signal));
  });

const rowLine = line => {
  let row;
  try {
    row = JSON.parse(line);
  } catch {
    return `  ${line}\n`;
  }
  const figure = `${readable(row.figure)} ${row.unit}`;
  return `  ${row.what.padEnd(64)} ${figure.padStart(18)}  ${verdict(row).padEnd(34)} ${row.method}\n`;
};

/** The ratio is figure divided by target; the text next to it states whether more or less is better. */
const verdict = ({ figure, unit, reach }) => {
  if (reach.kind === 'none') return 'for the record';
  const isReached = reach.kind === 'at-least' ? figure >= reach.value : figure <= reach.value;
  const bound = reach.kind === 'at-least' ? 'at least' : 'at most';
  const ratio = reach.value === 0 ? '' : `, ${(figure / reach.value).toFixed(2)} of it`;
  return `${isReached ? 'reached' : 'MISSED'}: ${bound} ${readable(reach.value)} ${unit}${ratio}`;
};

const readable = number => {
  if (!Number.isFinite(number)) return 'unknown';
  if (Math.abs(number) >= 1_000) return Math.round(number).toLocaleString('en-US');
  return Number(number.toPrecision(3)).toString();
};

const machineLines = node => {
  const [cpu] = os.cpus();
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const commit = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: ROOT, encoding: 'utf8' });
  const memory = `${(os.totalmem() / 1e9).toFixed(1)} GB`;
  return [
    `${cpu?.model.trim() ?? 'unknown processor'}, ${os.cpus().length} logical cores, ${memory} memory`,
    `${os.type()} ${os.release()} ${os.arch()}, Node ${version}, load average ${os.loadavg()[0]?.toFixed(2)}`,
    `Plimsoll ${commit.status === 0 ? commit.stdout.trim() : 'outside git'}`,
    '',
  ].join('\n');
};

process.exitCode = await bench(process.argv.slice(2));
