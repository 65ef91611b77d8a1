// `plimsoll demo`: a simulated cluster in this terminal, with a real dashboard and a real benchmark, to see Plimsoll before
// setting anything up.

import { counted } from '../../core/figure/figure.ts';
import { type Parsed, parsed, wrong } from '../../core/figure/parse-figure.ts';
import { flag, type Option, value } from '../../core/option/option.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import {
  SIMULATED_NODES_MAX,
  type SimulatedFaults,
  scenarioWith,
} from '../../simulate/scenario/scenario-of-size.ts';
import { type Command, homeOption, httpOption, listenAddress, portOption } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { showDashboard } from '../shown-dashboard.ts';

/** What people write, and what it is called. */
const FAULTS_OF: ReadonlyMap<string, SimulatedFaults> = new Map([
  ['on', 'typical'],
  ['off', 'none'],
  ['all', 'all'],
]);

const nodesOption = value({
  name: 'nodes',
  valueName: 'N',
  meaning: `How many machines, 1 to ${SIMULATED_NODES_MAX}. Default: 8.`,
  parse: text => wholeNumber(text, { min: 1, max: SIMULATED_NODES_MAX }),
});
const seedOption = value({
  name: 'seed',
  valueName: 'N',
  meaning: 'The same seed gives the same machines and figures. Default: 1.',
  parse: text => wholeNumber(text, { min: 0, max: 4_294_967_295 }),
});
export const faultsOption: Option<SimulatedFaults | undefined> = value({
  name: 'faults',
  valueName: [...FAULTS_OF.keys()].join('|'),
  valueAlone: 'all',
  meaning:
    'on: some common faults. off: none, and all machines awake. all, or no value: twelve machines with every fault that Plimsoll warns of. Default: on.',
  parse: (text): Parsed<SimulatedFaults> => {
    const faults = FAULTS_OF.get(text);
    return faults === undefined
      ? wrong(
          `${JSON.stringify(text)} is neither on, off nor all`,
          'Use --faults off for a cluster without faults, --faults for one with all of them.',
        )
      : parsed(faults);
  },
});
const noBenchOption = flag('no-bench', 'Only simulate machines; do not start the mock and the benchmark.');
const noOpenOption = flag('no-open', 'Do not open the dashboard in a browser.');

export const demoCommand: Command = {
  name: 'demo',
  summary: 'Show a simulated cluster, with a live benchmark of a mock',
  description:
    'The demo reads nothing of this computer and sends no packet. It has a home of its own, which is deleted at the end;\n--home and PLIMSOLL_HOME have no effect.',
  arguments: [],
  options: [
    homeOption,
    nodesOption,
    seedOption,
    faultsOption,
    httpOption,
    portOption,
    noBenchOption,
    noOpenOption,
  ],
  examples: [
    { line: 'plimsoll demo', meaning: 'eight machines of six kinds, with typical faults' },
    { line: 'plimsoll demo --faults off', meaning: 'the same without faults' },
    { line: 'plimsoll demo --faults', meaning: 'twelve machines with every fault that can be simulated' },
    { line: 'plimsoll demo --nodes 2', meaning: 'two Mac Studios on one cable' },
    { line: 'plimsoll demo --nodes 200 --no-bench', meaning: 'racks at three sites' },
    { line: 'plimsoll demo --nodes 1000 --no-bench', meaning: 'a fleet' },
  ],
  run: async (invocation, state) => {
    const { runDemo } = await loadDemo();
    const wanted = invocation.option(nodesOption);
    const faults = invocation.option(faultsOption) ?? 'typical';
    if (faults === 'all' && wanted !== undefined)
      throw new CommandError(
        'usage',
        '--nodes and --faults all cannot be combined: the cluster with every fault has its own machines',
        'Leave out --nodes, or use --faults on.',
      );
    const scenario = scenarioWith(faults, wanted ?? NODES);
    const nodeCount = scenario.machines.length;
    await runDemo(state, {
      scenario,
      seed: invocation.option(seedOption) ?? SEED,
      http: listenAddress(invocation),
      hasBench: !invocation.option(noBenchOption),
      onStarted: async ({ daemon, home }) => {
        await state.stdout.write(
          `A simulated cluster of ${counted(nodeCount, 'node')}; none of them is real.${faults !== 'none' && nodeCount >= FAULTS_NODES_MIN ? FAULTS_NOTICE[faults] : ''}\n`,
        );
        await showDashboard(daemon, { home, isToBeOpened: !invocation.option(noOpenOption) }, state, [
          `Elsewhere: ${shellCommand`plimsoll status --home ${home}`}`,
        ]);
      },
    });
    return EXIT_CODES.ok.code;
  },
};

/** Loaded late, because other commands need neither the journal nor the server. */
const loadDemo = () => import('../run-demo.ts');

const wholeNumber = (
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): Parsed<number> => {
  const number = Number(text);
  return /^\d+$/.test(text.trim()) && number >= min && number <= max
    ? parsed(number)
    : wrong(
        `${JSON.stringify(text)} is not a whole number from ${min} to ${max}`,
        `Write for example ${NODES}.`,
      );
};

const NODES = 8;
/** Fewer have nothing wrong. */
const FAULTS_NODES_MIN = 4;
const FAULTS_NOTICE = {
  typical: '\nSome of it is broken on purpose; --faults off shows the same without.',
  all: '\nAlmost all of it is broken on purpose; some faults begin within the first two minutes, and some pass and come again.',
} as const;
const SEED = 1;
