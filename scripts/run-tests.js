// What `npm test` does once the Node that runs it is known to be new enough. Type check, lint and the like count as one
// test each. Arguments: `--long` runs the full counts; the rest goes to Vitest (file filters, -t). With a filter nothing is built
// or checked: a person who works on one thing waits for its tests only.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { exitWith } = require('./exit-with.js');
const { loadBetween, loadText, readLoad } = require('./machine-load.js');
const { ROOT, inRoot, nodeToRun } = require('./paths.js');
const { prepare, prepareInstall } = require('./prepare.js');
const { exitCodeOf, runCommand } = require('./run-command.js');
const { addVitest, newTally, readCounts, readFlakyList, tallyText } = require('./tally.js');
const { installSystemPackages } = require('./system-packages.js');

const test = async () => {
  const isLong = process.argv.includes('--long');
  const filters = process.argv.slice(2).filter(argument => argument !== '--long');
  const isWhole = !filters.some(isFilter);
  const tally = newTally(readFlakyList(inRoot('test/flaky-tests.json')));
  const installed = await prepareInstall();
  const node = nodeToRun();
  if (installed.kind === 'failed') tally.failed.push(`prepare: ${installed.step}`);
  if (node.kind === 'too-old') tally.failed.push(`prepare: ${node.lines.join(' ')}`);
  if (node.kind === 'found' && installed.kind === 'ready') {
    await installSystemPackages();
    const isBuilt = isWhole && (await buildAndCheck(node.path, tally));
    await runVitest(node.path, { isLong, isBuilt, filters }, tally);
  }
  process.stdout.write(tallyText(tally));
  return tally.failed.length === 0 ? 0 : 1;
};

/**
 * Resolves with whether the build succeeded: tests run even after a failed one, they show what else is wrong. A build leaves a
 * processor idle for half of its time, so only the type check, which reads what the build has checked, waits for it.
 */
const buildAndCheck = async (node, tally) => {
  const build = prepare();
  const check = async each => {
    if (each.afterBuild) await build;
    await runCheck(node, each, tally);
  };
  await Promise.all(CHECKS.map(check));
  const built = await build;
  if (built.kind === 'failed') tally.failed.push(`prepare: ${built.step}`);
  return built.kind === 'ready';
};

const runCheck = async (node, { name, args }, tally) => {
  const startedMs = Date.now();
  const ending = await runCommand(node, args.map(resolveTool), { cwd: ROOT });
  if (ending.signal !== null) process.exit(exitCodeOf(ending));
  if (exitCodeOf(ending) === 0) {
    tally.passed += 1;
    process.stdout.write(`${name}: passed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s\n`);
  } else {
    process.stdout.write(`${name}: failed\n`);
    tally.failed.push(name);
  }
};

const runVitest = async (node, { isLong, isBuilt, filters }, tally) => {
  const minutesMax = isLong ? undefined : watchdogMinutes();
  const { counts, exitCode, isOverdue } = await vitestCounts(node, { isLong, isBuilt, minutesMax, filters });
  const overdueMinutes = isOverdue ? minutesMax : undefined;
  addVitest(tally, { counts, exitCode, isNameFiltered: filters.some(isNameFilter), overdueMinutes });
};

const vitestCounts = async (node, { isLong, isBuilt, minutesMax, filters }) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'plimsoll-test-'));
  const countsFile = path.join(folder, 'counts.json');
  const reporters = ['--reporter=default', `--reporter=${inRoot('scripts/count-reporter.mjs')}`];
  const env = { ...process.env, PLIMSOLL_TEST_COUNTS: countsFile };
  if (isLong) env.PLIMSOLL_TEST_LONG = '1';
  // Tests then start the packed program (test/support/program.ts).
  if (isBuilt) env.PLIMSOLL_TEST_BUILT = '1';
  process.stdout.write('\n');
  const before = readLoad();
  const ending = await runCommand(
    node,
    [inRoot('node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...filters],
    { cwd: ROOT, env, msMax: minutesMax === undefined ? undefined : minutesMax * 60_000 }
  );
  const load = loadBetween(before, readLoad());
  if (load !== undefined) process.stdout.write(`\nwhile these tests ran, ${loadText(load)}\n`);
  const counts = readCounts(countsFile);
  fs.rmSync(folder, { recursive: true, force: true });
  return { counts, exitCode: exitCodeOf(ending), isOverdue: ending.isOverdue };
};

const watchdogMinutes = () => {
  const given = Number(process.env.PLIMSOLL_TEST_MINUTES_MAX);
  return given > 0 ? given : MINUTES_MAX;
};

const isFilter = argument => !argument.startsWith('-') || isNameFilter(argument);

const isNameFilter = argument => /^(-t|--testNamePattern)/.test(argument);

/** Tools are run as files by the Node that was chosen: what node_modules/.bin starts would take the one on PATH. */
const resolveTool = argument => (argument.startsWith('node_modules/') ? inRoot(argument) : argument);

const CHECKS = [
  { name: 'type check', args: ['node_modules/typescript/bin/tsc', '-b'], afterBuild: true },
  {
    name: 'type check of the dashboard',
    args: [
      'node_modules/svelte-check/bin/svelte-check',
      '--tsconfig',
      'dashboard/tsconfig.json',
      '--fail-on-warnings',
      '--output',
      'human',
    ],
  },
  {
    name: 'lint and format',
    args: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  },
  { name: 'words', args: ['scripts/words/check.mjs'] },
];

/** On two idle cores a run takes a tenth of this. A busy machine may need half; anything longer hangs. */
const MINUTES_MAX = 60;

exitWith(test());
