// Whether a load line by sessions is correct: searches on the virtual clock against a server that batches, whose most
// sessions at a time are known from very many sessions at each number. `npm run bench -- line-sessions`; `--seeds 20`
// searches a cell, `--cells 0,4` a part of them.

import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { SESSION_CELLS, trueSessions } from '../test/support/session-cells.ts';
import { simulateSessionLine } from '../test/support/simulated-sessions.ts';
import { median, printRow } from './bench-row.ts';

const { values: requested } = parseArgs({
  options: { seeds: { type: 'string', default: '100' }, cells: { type: 'string' } },
});

const TRUTH_SESSIONS = 40_000;
const FIRST_SEED = 20_001;
const SEARCH = {
  by: 'concurrency',
  concurrencyOf: 'sessions',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 1_024,
} as const;
const NICE = 15;

setPriority(NICE);
const numbers = requested.cells?.split(',').map(Number);
for (const [at, cell] of SESSION_CELLS.entries()) {
  if (numbers !== undefined && !numbers.includes(at)) continue;
  const truth = trueSessions(cell, TRUTH_SESSIONS);
  const found = Array.from({ length: Number(requested.seeds) }, (_, index) =>
    simulateSessionLine(cell, { ...SEARCH, budgetMs: cell.budgetMs, seed: FIRST_SEED + index }),
  );
  const lines = found.map(({ line }) => line);
  const inside = lines.filter(
    line => !(('holds' in line && line.holds > truth) || ('fails' in line && line.fails <= truth)),
  );
  const brackets = lines.flatMap(line => (line.kind === 'bracket' ? [line] : []));
  printRow({
    what: `${cell.name}: the range contains the line, ${truth} sessions`,
    figure: (100 * inside.length) / lines.length,
    unit: '%',
    reach: { kind: 'at-least', value: 95 },
    method: `${inside.length} of ${lines.length} searches of at most ${cell.budgetMs / 3_600_000} h; ${brackets.length} brackets, ${brackets.filter(({ isConfirmed }) => isConfirmed).length} confirmed; the line from ${TRUTH_SESSIONS} sessions at each number`,
  });
  if (brackets.length === 0) continue;
  printRow({
    what: `${cell.name}: width of the bracket`,
    figure: median(brackets.map(({ holds, fails }) => fails - holds)),
    unit: 'sessions',
    reach: { kind: 'none' },
    method: `median; ${median(found.map(({ stages }) => stages.length))} stages, ${Math.round(median(found.map(({ elapsedNs }) => elapsedNs)) / 1e9)} s of load`,
  });
}
