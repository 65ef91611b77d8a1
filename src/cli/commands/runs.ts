// `plimsoll runs`: the runs of this home with filters, and `plimsoll runs rm`: the removal of some.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import { counted, figureText, formatBytes } from '../../core/figure/figure.ts';
import { flag, value } from '../../core/option/option.ts';
import { wholeNumberFrom } from '../../core/option/option-values.ts';
import { errorMessage } from '../../core/problem.ts';
import { jsonLines } from '../../core/text/single-line.ts';
import { runsFolder } from '../../daemon/runs/run-reports.ts';
import { EVERY_FORM } from '../../render/document/listed-document.ts';
import { type Command, homeOption, type Invocation, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { ProcessState } from '../process-state.ts';
import { foundRunData, foundRunTable, type RemovedRuns, type RunsDocument } from '../runs/found-run-table.ts';
import { directoryOf, type FoundRun, foundRun, foundRuns, runningDirectories } from '../runs/found-runs.ts';
import { planRemoval, type Removal } from '../runs/remove-run.ts';
import { FILTER_OPTIONS, hasFilter, runFilter } from '../runs/run-filters.ts';

const limitOption = value({
  name: 'limit',
  valueName: 'N',
  meaning: 'List the newest N. Default: 50.',
  parse: wholeNumberFrom(1, 10_000),
});

export const runsCommand: Command = {
  name: 'runs',
  summary: 'List the runs of this machine',
  description: `Those in <home>/runs and those made with --out while their directory exists, the newest first:\n${EVERY_FORM}, each with its time, target and main figure.`,
  arguments: [],
  options: [...FILTER_OPTIONS, limitOption, homeOption, jsonOption],
  prints: ['runs'],
  examples: [
    { line: 'plimsoll runs --tag engine=vllm --state complete', meaning: 'by tag and state' },
    { line: "plimsoll runs --json | jq '.runs[].directory'", meaning: 'for programs' },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const limit = invocation.option(limitOption) ?? LISTED;
    const { runs, isMore } = await matching(invocation, state, { home, limit });
    if (invocation.option(jsonOption)) {
      const document: RunsDocument = { schema: 'plimsoll.runs/1', runs: runs.map(foundRunData), isMore };
      await state.stdout.write(jsonLines(document));
      return EXIT_CODES.ok.code;
    }
    const lines =
      runs.length === 0
        ? [
            `No run in ${runsFolder(home)}${hasFilter(invocation) ? ' matches.' : '. Start one: plimsoll bench URL'}`,
          ]
        : foundRunTable(runs, state.stdout);
    await state.stdout.write(`${lines.join('\n')}\n`);
    if (isMore) await state.stderr.write(`plimsoll: the newest ${limit}; more with --limit N\n`);
    return EXIT_CODES.ok.code;
  },
};

const yesOption = flag('yes', 'Do not ask for confirmation.');

export const runsRmCommand: Command = {
  name: 'runs rm',
  summary: 'Delete runs from disk',
  description: `Deletes directories of ${EVERY_FORM}, and nothing else: one that is running, or that contains a file that\nno run wrote, is left alone. Asks before it deletes. What a daemon\nstored of a run stays in its journal.`,
  arguments: [
    {
      name: 'RUN',
      meaning: 'Its id, or its directory. Without it: all that match the filters.',
      isRequired: false,
    },
  ],
  options: [...FILTER_OPTIONS, yesOption, homeOption, jsonOption],
  prints: ['removed-runs'],
  examples: [
    { line: 'plimsoll runs rm 20260131-120000-ab12', meaning: 'one run' },
    { line: 'plimsoll runs rm --tag try --older-than 30d', meaning: 'all with a tag that are a month old' },
    { line: 'plimsoll runs rm --tag try --yes --json', meaning: 'for programs' },
  ],
  run: async (invocation, state) => {
    const isJson = invocation.option(jsonOption);
    if (isJson && !invocation.option(yesOption))
      throw new CommandError('usage', '--json needs --yes', 'A program cannot confirm: write --yes --json.');
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const removals: Removal[] = [];
    for (const found of await chosen(invocation, state, home)) removals.push(await planRemoval(found));
    const refused = removals.flatMap(removal => (removal.kind === 'refused' ? [removal] : []));
    for (const { directory, reason } of refused)
      await state.stderr.write(`plimsoll: ${directory} is left alone: ${reason}\n`);
    const removable = removals.flatMap(removal => (removal.kind === 'removable' ? [removal] : []));
    if (removable.length > 0 && !(await mayRemove(removable, invocation, state))) {
      await state.stdout.write('Nothing was deleted.\n');
      return EXIT_CODES.ok.code;
    }
    const { removed, failed } = await removeAll(removable, state);
    const kept = [...refused.map(({ directory, reason }) => ({ directory, reason })), ...failed];
    const document: RemovedRuns = { schema: 'plimsoll.removed-runs/1', removed, kept };
    await state.stdout.write(
      isJson
        ? jsonLines(document)
        : `${removed.length === 0 ? 'Nothing was deleted' : `Deleted ${countOf(removed.length)}`}.\n`,
    );
    return kept.length > 0 ? EXIT_CODES.benchRunDirectory.code : EXIT_CODES.ok.code;
  },
};

const removeAll = async (
  removable: readonly Extract<Removal, { readonly kind: 'removable' }>[],
  { stderr }: ProcessState,
): Promise<{ readonly removed: RemovedRuns['removed']; readonly failed: RemovedRuns['kept'] }> => {
  const removed: RemovedRuns['removed'][number][] = [];
  const failed: RemovedRuns['kept'][number][] = [];
  for (const { found, bytes, remove } of removable) {
    const { id, directory } = found;
    try {
      await remove();
      removed.push({ id, directory, bytes });
    } catch (error) {
      const reason = errorMessage(error);
      failed.push({ directory, reason });
      await stderr.write(`plimsoll: ${directory} could not be deleted: ${reason}\n`);
    }
  }
  return { removed, failed };
};

const chosen = async (
  invocation: Invocation,
  state: ProcessState,
  home: string,
): Promise<readonly FoundRun[]> => {
  const [given] = invocation.arguments;
  if (given === undefined) {
    if (hasFilter(invocation))
      return (await matching(invocation, state, { home, limit: Number.POSITIVE_INFINITY })).runs;
    throw new CommandError(
      'usage',
      'no run is named',
      'Give its id, or a filter: --tag try --older-than 30d',
    );
  }
  if (hasFilter(invocation)) {
    throw new CommandError('usage', 'a run and filters cannot be combined', 'Give the run, or filters.');
  }
  const directory = await directoryOf(given, { home, cwd: state.cwd, prefers: 'id' });
  const running = await runningDirectories(home, pid => state.isAlive(pid));
  const found = await foundRun(directory, running);
  if (found !== undefined) return [found];
  throw new CommandError(
    'benchRunDirectory',
    `${directory} is not the directory of a run`,
    'See which there are: plimsoll runs',
  );
};

const matching = async (
  invocation: Invocation,
  state: ProcessState,
  { home, limit }: { readonly home: string; readonly limit: number },
): Promise<{ readonly runs: readonly FoundRun[]; readonly isMore: boolean }> => {
  const isWanted = runFilter(invocation, systemClock.wallMs());
  const runs: FoundRun[] = [];
  for await (const found of foundRuns({ home, isAlive: pid => state.isAlive(pid) })) {
    if (!isWanted(found)) continue;
    if (runs.length >= limit) return { runs, isMore: true };
    runs.push(found);
  }
  return { runs, isMore: false };
};

const mayRemove = async (
  removable: readonly Extract<Removal, { readonly kind: 'removable' }>[],
  invocation: Invocation,
  state: ProcessState,
): Promise<boolean> => {
  if (invocation.option(yesOption)) return true;
  const bytes = removable.reduce((sum, each) => sum + each.bytes, 0);
  const question = `Delete ${countOf(removable.length)}, ${figureText(formatBytes(bytes))}?`;
  if (!state.stdout.isTerminal) {
    throw new CommandError(
      'usage',
      `${question} There is no terminal to ask at`,
      'To delete without confirmation: --yes',
    );
  }
  await state.stdout.write(
    `${foundRunTable(
      removable.map(({ found }) => found),
      state.stdout,
    ).join('\n')}\n${question} [y/N] `,
  );
  // The first line of what is typed.
  const answer = await state.readInput(0);
  return /^\s*y(es)?\s*$/i.test(answer.split('\n', 1)[0] ?? '');
};

const countOf = (runs: number): string => counted(runs, 'run');

const LISTED = 50;
