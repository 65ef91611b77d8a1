// Whole searches by sessions on the virtual clock, against a server that batches, whose line is known.

import { expect, test } from 'vitest';
import type { SearchOptions } from '../../../src/bench/line/line-search.ts';
import { longCount } from '../../support/counts.ts';
import { SESSION_CELLS, trueSessions } from '../../support/session-cells.ts';
import { simulateSessionLine } from '../../support/simulated-sessions.ts';

const SEARCH: SearchOptions = {
  by: 'concurrency',
  concurrencyOf: 'sessions',
  arrival: { kind: 'poisson' },
  resolution: 0.05,
  loadMax: 1_024,
};

test.each(SESSION_CELLS)('a search by sessions contains the truth: $name', { timeout: 600_000 }, cell => {
  const truth = trueSessions(cell, longCount(4_000, 40_000));
  const seeds = longCount(1, 40);
  const lines = Array.from(
    { length: seeds },
    (_, seed) => simulateSessionLine(cell, { ...SEARCH, budgetMs: cell.budgetMs, seed: seed + 1 }).line,
  );
  const outside = lines.filter(
    line => ('holds' in line && line.holds > truth) || ('fails' in line && line.fails <= truth),
  );
  expect(outside.length / seeds).toBeLessThanOrEqual(0.05);
  for (const line of lines) {
    if ('holds' in line) expect(Number.isInteger(line.holds)).toBe(true);
    if ('fails' in line) expect(Number.isInteger(line.fails)).toBe(true);
  }
});

test('a search by sessions first looks at one, and none of its loads is a rate', () => {
  const [cell] = SESSION_CELLS;
  if (cell === undefined) throw new Error('there are no cells');
  const { stages, line } = simulateSessionLine(cell, { ...SEARCH, budgetMs: cell.budgetMs, seed: 1 });
  const loads = stages.map(({ load }) => load);
  expect(loads.slice(0, 3)).toEqual(
    [1, 3, 9].map(concurrency => ({ kind: 'concurrency', concurrency, concurrencyOf: 'sessions' })),
  );
  expect(line.kind).toBe('bracket');
});
