// `plimsoll baseline save|list|show|rm`: the figures of several runs of a known good state, stored by name for later comparisons.

import { systemClock } from '../../clock/system-clock.ts';
import { resolveHome } from '../../config/home.ts';
import {
  BASELINE_RUNS_MIN,
  type BaselineDocument,
  type BaselinesDocument,
  baselineDocument,
} from '../../core/comparison/baseline.ts';
import { refusalsBetween } from '../../core/comparison/comparability.ts';
import { formatMoment } from '../../core/figure/duration.ts';
import { counted, ofCount } from '../../core/figure/figure.ts';
import { flag } from '../../core/option/option.ts';
import { inColumns } from '../../core/text/columns.ts';
import { jsonLines, showable } from '../../core/text/single-line.ts';
import { knownOr } from '../../core/unknown.ts';
import { spreadText } from '../../render/comparison/spread-text.ts';
import { baselineToJson } from '../../wire/stored-json.ts';
import {
  baselineNames,
  checkedBaselineName,
  readBaseline,
  removeBaseline,
  writeBaseline,
} from '../baseline-files.ts';
import { type Command, type CommandArgument, homeOption, jsonOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { runsSide } from '../compare/finished-sides.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const NAME: CommandArgument = {
  name: 'NAME',
  meaning: 'Up to 64 of a to z, 0 to 9 and "-".',
  isRequired: true,
};
const replaceOption = flag('replace', 'Replace a baseline of that name.');

const saveCommand: Command = {
  name: 'baseline save',
  summary: 'Save the figures of several runs under a name',
  description: `To use it: plimsoll compare --baseline NAME --b RUN. It needs at least ${BASELINE_RUNS_MIN} runs of one load; runs that are not comparable\nwith each other, or not complete, are refused.`,
  arguments: [
    NAME,
    {
      name: 'RUN',
      meaning: 'A run, the directory of repeated runs, or runs:tag=main.',
      isRequired: true,
      isRepeatable: true,
    },
  ],
  options: [replaceOption, homeOption, jsonOption],
  prints: ['baseline'],
  examples: [
    { line: 'plimsoll baseline save main-h200 runs:tag=main', meaning: 'all runs with a tag' },
    {
      line: 'plimsoll bench URL --repeat 5 --out five && plimsoll baseline save v1 five',
      meaning: 'five new ones',
    },
  ],
  run: async (invocation, state) => {
    const [name = '', ...runs] = invocation.arguments;
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    checkedBaselineName(name);
    const side = await runsSide(runs, { home, state });
    const problems = [
      ...(side.units.length < BASELINE_RUNS_MIN
        ? [
            `${counted(side.units.length, 'run')} ${ofCount(side.units.length, 'is', 'are')} too few for a baseline, ${BASELINE_RUNS_MIN} are needed`,
          ]
        : []),
      ...side.units.flatMap(({ runId, fault }) =>
        fault === '' ? [] : [`run ${runId} is not complete: ${fault}`],
      ),
      ...refusalsBetween(
        side.units.map(({ facts }) => facts),
        [],
      ).map(({ problem, a }) => `${problem}: ${a}`),
    ];
    if (problems.length > 0)
      throw new CommandError(
        'benchNotComparable',
        problems.slice(0, PROBLEMS_REPORTED_MAX).join('; '),
        'Save runs of one load and one model that are complete: plimsoll bench URL --repeat 5',
      );
    const baseline = baselineDocument(side, {
      name,
      version: state.version,
      savedAt: new Date(systemClock.wallMs()).toISOString(),
    });
    const path = await writeBaseline(home, baseline, { mayReplace: invocation.option(replaceOption) });
    await state.stdout.write(
      invocation.option(jsonOption)
        ? baselineToJson(baseline)
        : `${[...shown(baseline), '', `Wrote ${path}`].join('\n')}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

const listCommand: Command = {
  name: 'baseline list',
  summary: 'List the baselines of this home',
  description: '',
  arguments: [],
  options: [homeOption, jsonOption],
  prints: ['baselines'],
  examples: [{ line: 'plimsoll baseline list', meaning: 'names, runs, models' }],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const found: BaselineDocument[] = [];
    for (const name of await baselineNames(home)) {
      try {
        found.push(await readBaseline(home, name));
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        await state.stderr.write(`plimsoll: ${error.problem.problem}\n`);
      }
    }
    const rows = found.map(({ name, savedAt, units, model }) => [
      name,
      formatMoment(savedAt),
      String(units.length),
      showable(knownOr(model, 'unknown'), '?'),
    ]);
    const text =
      found.length === 0
        ? ['No baseline. Save one: plimsoll baseline save NAME runs:tag=main']
        : inColumns([['baseline', 'saved', 'runs', 'model'], ...rows]);
    const document: BaselinesDocument = { schema: 'plimsoll.baselines/1', baselines: found };
    await state.stdout.write(invocation.option(jsonOption) ? jsonLines(document) : `${text.join('\n')}\n`);
    return EXIT_CODES.ok.code;
  },
};

const showCommand: Command = {
  name: 'baseline show',
  summary: 'Show the figures of a baseline',
  description: '',
  arguments: [NAME],
  options: [homeOption, jsonOption],
  prints: ['baseline'],
  examples: [
    { line: 'plimsoll baseline show main-h200', meaning: 'its figures and how much its runs differ' },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const baseline = await readBaseline(home, invocation.arguments[0] ?? '');
    await state.stdout.write(
      invocation.option(jsonOption) ? baselineToJson(baseline) : `${shown(baseline).join('\n')}\n`,
    );
    return EXIT_CODES.ok.code;
  },
};

const rmCommand: Command = {
  name: 'baseline rm',
  summary: 'Delete a baseline',
  description: 'Its runs stay where they are.',
  arguments: [NAME],
  options: [homeOption],
  examples: [{ line: 'plimsoll baseline rm main-h200', meaning: 'delete it' }],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const [name = ''] = invocation.arguments;
    await removeBaseline(home, name);
    await state.stdout.write(`Deleted the baseline ${name}.\n`);
    return EXIT_CODES.ok.code;
  },
};

export const BASELINE_COMMANDS: readonly Command[] = [saveCommand, listCommand, showCommand, rmCommand];

const shown = ({
  name,
  savedAt,
  plimsoll,
  model,
  target,
  units,
  spread,
}: BaselineDocument): readonly string[] =>
  [
    `Baseline ${name} of ${formatMoment(savedAt)}, Plimsoll ${plimsoll.version}`,
    `  model   ${knownOr(model, 'unknown')}`,
    `  target  ${knownOr(target, 'unknown')}`,
    `  load    ${units[0]?.facts.dataset ?? ''}`,
    '',
    ...spreadText(spread, units.length),
  ].map(line => showable(line, '?'));

const PROBLEMS_REPORTED_MAX = 4;
