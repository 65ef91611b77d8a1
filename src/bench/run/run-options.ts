// The options of a run whose values are fields of its request as they are. The row is the field: the command line, files of runs, the
// API and MCP read it, and the run uses it. Another one is its row, here or next to what it sets, and its use.

import { excludes, optionsIn } from '../../core/option/option.ts';
import { LOAD_OPTIONS } from '../../core/run/load-request.ts';
import { parseAttainment } from '../../core/run/parse-objective.ts';
import { priceOption } from '../../core/run/run-cost.ts';
import { probeRateOption } from '../../core/run/stall-probes.ts';
import { WAIT } from '../target/await-server.ts';

const judged = optionsIn('Objectives and exit codes');

/** In the order of --help. */
export const RUN_OPTIONS = {
  ...LOAD_OPTIONS,
  ...WAIT,
  hasRealTimeThreads: optionsIn('Load').flag(
    'real-time',
    "Run the threads that send and read before other programs (Linux, as root). With the kernel's timestamps only sends, not latencies, need it.",
    { rules: [excludes(['from', 'agents'], { because: 'other machines generate the load' })] },
  ),
  probeRate: probeRateOption,
  attainment: judged.valueOr({
    name: 'attainment',
    // For runs, sweeps and load lines: no number of requests can prove that none will miss an objective.
    fallback: '95%',
    valueName: 'P%',
    meaning: 'The share of issued requests that must meet NAME=D; failed ones do not.',
    parse: parseAttainment,
  }),
  price: priceOption,
  isUnguarded: judged.flag(
    'no-guard',
    'Skip the contamination checks (docs/contamination.md); the report notes it.',
  ),
  hasEventLog: optionsIn('Output').onOff({
    name: 'events',
    fallback: 'off',
    meaning:
      'Also write every event record to events.jsonl, by a process of its own: about twice the size of the samples.',
  }),
};
