// Sessions over several agents: each stays whole on one, and the merged account is that of one machine on the same samples.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import type { BenchRequest } from '../../../src/bench/run/bench-request.ts';
import { PLAIN_SHAPE } from '../../../src/core/run/run-shape.ts';
import { SessionTally } from '../../../src/core/run/session-report.ts';
import { isUnknown } from '../../../src/core/unknown.ts';
import { rebuildReport } from '../../../src/metrics/report-sources.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { decodeSampleLine } from '../../../src/wire/sample-line.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';
import { FleetHere } from './agents-here.ts';

const chats = (url: string, changes: Partial<BenchRequest> = {}): BenchRequest =>
  requestHere(url, {
    pattern: { kind: 'concurrency', concurrency: 4 },
    shape: { ...PLAIN_SHAPE, sessions: { concurrencyOf: 'sessions' } },
    sessions: {
      turns: { kind: 'uniform', min: 2, max: 4 },
      thinkTime: { kind: 'uniform', minMs: 1, maxMs: 5 },
      answers: 'live',
    },
    samplesMax: 9,
    ...changes,
  });

const linesOf = (folder: string): readonly ReturnType<typeof decodeSampleLine>[] =>
  readFileSync(join(folder, 'samples.jsonl'), 'utf8').trimEnd().split('\n').map(decodeSampleLine);

/** The turns of each session in a file. */
const sessionsIn = (folder: string): ReadonlyMap<number, readonly number[]> => {
  const reported = new Map<number, number[]>();
  for (const line of linesOf(folder)) {
    const position =
      line.kind === 'sample' ? line.sample.turn : line.kind === 'skipped' ? line.turn : undefined;
    if (position !== undefined)
      reported.set(position.session, [...(reported.get(position.session) ?? []), position.turn].sort());
  }
  return reported;
};

const tallied = (folder: string): SessionTally => {
  const tally = new SessionTally();
  for (const line of linesOf(folder)) {
    if (line.kind === 'sample') tally.ended(line.sample);
    if (line.kind === 'skipped') tally.skipped(line.turn);
  }
  return tally;
};

test.each(isLongRun ? [2, 3] : [2])(
  'sessions from %i agents are those of one machine, each whole on one agent, and reported as one run',
  async agents => {
    await using mock = await startMock({ ttftMs: 2, gapMs: 0, outputTokens: 7, keepsPrefixes: true });
    using alone = temporaryDirectory();
    const one = await runBench(chats(mock.url), partsHere(alone.path));
    using folder = temporaryDirectory();
    const names = Array.from({ length: agents }, (_, index) => `agent-${index}`);
    const fleet = new FleetHere(folder.path, names, { targets: [mock.url] });
    const { report } = await fleet.run(chats(mock.url));
    expect(report).toMatchObject({ complete: true, notices: [] });
    const { sessions, counts } = report;
    expect(sessions?.sessions).toEqual({ begun: 9, completed: 9, failed: 0, cut: 0 });
    expect(sessions?.turns).toEqual(one.report.sessions?.turns);
    expect(counts.completed).toBe(sessions?.turns.issued);
    const whole = join(folder.path, 'run');
    // The same sessions with the same turns, however they were split.
    const bySession = (reported: ReadonlyMap<number, readonly number[]>) =>
      [...reported].sort(([a], [b]) => a - b);
    expect(bySession(sessionsIn(whole))).toEqual(bySession(sessionsIn(join(alone.path, 'run'))));
    const ofTurns = (reported: typeof sessions) =>
      reported?.byTurn.map(({ issued, completed, inputTokensMean }) => [issued, completed, inputTokensMean]);
    expect(ofTurns(sessions)).toEqual(ofTurns(one.report.sessions));
    const shares = names.map((_, index) => sessionsIn(join(whole, 'agents', String(index))));
    for (const [index, share] of shares.entries())
      for (const session of share.keys()) expect(session % agents).toBe(index);
    expect(shares.reduce((sum, { size }) => sum + size, 0)).toBe(9);
    // What the merged samples come to, counted in any other order and by nobody else.
    expect(tallied(whole).report('sessions')).toEqual(sessions);
    expect((await rebuildReport(whole)).sessions).toEqual(sessions);
  },
);

test('a data set of conversations travels whole, and turns that never ran are skipped on whichever agent', async () => {
  await using mock = await startMock({
    ttftMs: 2,
    gapMs: 0,
    outputTokens: 7,
    failure: 'http-500',
    failEvery: 5,
  });
  using folder = temporaryDirectory();
  const reported = (role: string, content: string) => ({ role, content });
  const prompts = ['a', 'b', 'c'].map(name => ({
    maxTokens: 9,
    messages: [
      reported('user', `${name} one`),
      reported('assistant', `answer to ${name}`),
      reported('user', `${name} two`),
      reported('assistant', 'and again'),
      reported('user', `${name} three`),
    ],
  }));
  const request = chats(mock.url, {
    dataset: { kind: 'received', dataset: { description: 'three chats', prompts } },
    sessions: { turns: undefined, thinkTime: undefined, answers: 'recorded' },
    samplesMax: 8,
  });
  const fleet = new FleetHere(folder.path, ['atlas', 'boreas'], { targets: [mock.url] });
  const { report } = await fleet.run(request);
  const { sessions } = report;
  expect(sessions?.turns).toMatchObject({ planned: 24, unresolved: 0 });
  expect(sessions?.turns.issued).toBe(report.counts.issued);
  expect(sessions?.sessions.failed).toBeGreaterThan(0);
  expect(sessions?.turns.skipped).toBe(sessions?.skippedBecause['turn-failed']);
  expect(sessions?.turns.skipped).toBeGreaterThan(0);
  expect(report.agents?.every(({ planned }) => isUnknown(planned))).toBe(true);
});

test('fewer sessions than agents, and a trace, are refused in words', async () => {
  await using mock = await startMock({});
  using folder = temporaryDirectory();
  const few = new FleetHere(join(folder.path, 'few'), ['atlas', 'boreas'], { targets: [mock.url] });
  await expect(few.run(chats(mock.url, { samplesMax: 1 }))).rejects.toThrow(
    /1 session cannot be split over 2 agents/,
  );
  const trace = {
    description: 'a trace',
    prompts: [{ messages: [{ role: 'user', content: 'x' }], maxTokens: 1 }],
    sessions: [],
  };
  const traced = new FleetHere(join(folder.path, 'trace'), ['atlas'], { targets: [mock.url] });
  await expect(
    traced.run(chats(mock.url, { dataset: { kind: 'received', dataset: trace } })),
  ).rejects.toThrow(/a trace cannot be split/);
});
