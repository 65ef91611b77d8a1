// What people read of the server's own metrics, as golden text.

import { expect, test } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import { serverSection } from '../../../src/render/run/server-rows.ts';
import { serverTimeSentence } from '../../../src/render/run/server-times.ts';
import { tableLines } from '../../../src/render/section.ts';
import { MadeUpRun } from '../../support/made-up-run.ts';
import { serverOf } from '../../support/spoiled-run.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** 300 requests, of which the server counted as many. */
const report = (() => {
  using folder = temporaryDirectory();
  const run = new MadeUpRun({ directory: folder.path });
  run.samples(300, { fromMs: 0, untilMs: 60_000 });
  return run.report();
})();

const QUIET = {
  moment: 'start',
  promptTokens: 1_000,
  generatedTokens: 500,
  finished: 10,
  rejected: 0,
  readBytes: 0,
  writtenBytes: 0,
  prefixQueried: 1_000,
  prefixHit: 0,
  ...{ queueSeconds: 1, queueCount: 10, prefillSeconds: 1, prefillCount: 10 },
  ...{ firstTokenSeconds: 2, firstTokenCount: 10 },
} as const;

const OVER = {
  ...QUIET,
  moment: 'end',
  promptTokens: 31_000,
  generatedTokens: 20_500,
  finished: 310,
  rejected: 4,
  prefixQueried: 31_000,
  prefixHit: 18_000,
  ...{ queueSeconds: 1 + 300 * 5.75, queueCount: 310, prefillSeconds: 1 + 300 * 0.2, prefillCount: 310 },
  ...{ firstTokenSeconds: 2 + 300 * 6, firstTokenCount: 310 },
} as const;

const BUSY = {
  moment: 'load',
  running: 8,
  waiting: 40,
  waitingForRoom: 40,
  kvUsage: 0.5,
  inFlight: 48,
} as const;

const textOf = (server: ReturnType<typeof serverOf>): readonly string[] => {
  const { tables = [], remarks = [] } = serverSection({ ...report, server });
  return tables
    .flatMap(table => [table.name, ...tableLines(table)])
    .concat(remarks)
    .map(line => line.trimEnd().replaceAll(/[\u00a0\u202f]/g, ' '));
};

test('a server that queues: its times, its gauges, and its totals next to those of the client', () => {
  const text = textOf(
    serverOf([QUIET, BUSY, { ...BUSY, running: 8, waiting: 38, waitingForRoom: 38 }, OVER]),
  );
  expect(text).toMatchInlineSnapshot(`
    [
      "Where the time went",
      "  mean of              server  client  requests at the server",
      "  time to first token  6.00 s  173 ms                     300",
      "  in the queue         5.75 s                             300",
      "  prefill              200 ms                             300",
      "Metrics of the server",
      "  metric                  mean   least    most  in total  by the client",
      "  Running                 8.00    8.00    8.00",
      "  Waiting                 39.0    38.0    40.0",
      "  KV cache used         50.0 %  50.0 %  50.0 %",
      "  Waiting for room        39.0    38.0    40.0",
      "  Prefix cache lookups                            30 000",
      "  Prefix cache hits                               18 000",
      "  Prompt tokens                                   30 000         36 000",
      "  Generated tokens                                20 000         36 561",
      "  Finished requests                                  300            300",
      "  Rejected requests                                    4",
      "By the server: 60 % of the prompt tokens of all its clients came from its prefix cache (18 000 of 30 000)",
    ]
  `);
});

test('the line of the first screen reports how much of the time to first token is queue', () => {
  const sentence = serverTimeSentence({ ...report, server: serverOf([QUIET, OVER]) });
  expect(sentence?.replaceAll(/[\u00a0\u202f]/g, ' ')).toMatchInlineSnapshot(
    `"by the server: mean time to first token 6.00 s (client: 173 ms), of it 5.75 s in the queue, 200 ms prefill"`,
  );
});

test('a server that restarted, and one that was read only while the load ran, report how far to believe them', () => {
  const restarted = textOf(serverOf([OVER, { ...QUIET, moment: 'load' }, { ...OVER, promptTokens: 2_000 }]));
  expect(restarted.slice(-2)).toMatchInlineSnapshot(`
    [
      "The counters of the server were reset 1 time, as after a restart: its totals are lower bounds",
      "Totals are from the first reading to the last one while the load ran: what the server did before and after is missing",
    ]
  `);
  expect(textOf(serverOf([BUSY, { ...OVER, moment: 'load' }])).slice(-1)).toMatchInlineSnapshot(`
    [
      "Totals are from the first reading to the last one while the load ran: what the server did before and after is missing",
    ]
  `);
});

test('a server that reports nothing is unknown, with the reason', () => {
  expect(serverSection({ ...report, server: unknown('not asked') })).toMatchObject({ unknown: 'not asked' });
});

test('where several processes answer at one URL, no total is shown, and the reason is', () => {
  const server = serverOf([
    { ...QUIET, processStart: 1_700_000_000 },
    { ...BUSY, promptTokens: 99_000, processStart: 1_700_009_999 },
    { ...OVER, processStart: 1_700_000_000 },
  ]);
  const text = textOf(server).join('\n');
  expect(text).not.toContain('Prompt tokens');
  expect(text).not.toContain('lower bounds');
  expect(text).toContain('The totals of the server are unknown');
});
