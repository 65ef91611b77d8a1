// Agents that refuse, die or fall silent, in each phase of a run.

import { describe, expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { lookUp } from '../../../src/core/run/snapshot.ts';
import { type Mock, startMock } from '../../../src/mock/mock-server.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { requestHere } from '../run-here.ts';
import { FleetHere } from './agents-here.ts';

const originOf = (url: string): string => new URL(url).origin;
const MOCK = { ttftMs: 40, gapMs: 5, outputTokens: 4 };
const NAMES = ['atlas', 'boreas'];

const fleetAt = (folder: string, mock: Mock): FleetHere =>
  new FleetHere(folder, NAMES, { targets: [originOf(mock.url)] });

/** Once both have reported that they send: what each has issued so far is known then. */
const whileLoading = (fleet: FleetHere, act: () => void): void => {
  fleet.onSnapshot = snapshot => {
    if (lookUp(snapshot).counts('measured').issued > 20) act();
  };
};

const expectBoreasLost = (report: Report): void => {
  expect(report).toMatchObject({ complete: false, interrupted: false, counts: { completed: 40 } });
  expect(report.incompleteReason).toContain('boreas was lost');
  expect(report.agents).toMatchObject([
    { name: 'atlas', state: 'complete', counts: { issued: 40, completed: 40 } },
    { name: 'boreas', state: 'lost', verdict: 'unknown' },
  ]);
  expect(report.counts.unresolved).toBeGreaterThan(0);
  expect(report.counts.unresolved).toBe(report.counts.issued - 40);
  expect(report.client.verdict).not.toBe('trustworthy');
};

describe('an agent that', () => {
  test('refuses stops the run before anything is sent, and is named', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = new FleetHere(folder.path, NAMES, { targets: [] });
    await expect(fleet.run(requestHere(mock.url))).rejects.toMatchObject({
      code: 'input',
      problem: { problem: expect.stringMatching(/^atlas: /) },
    });
    expect(mock.log().requests).toBe(0);
  });

  test.each([
    ['in a closed loop', { pattern: { kind: 'concurrency' as const, concurrency: 2 } }],
    ['at a rate', { pattern: { kind: 'constant' as const, requestsPerSecond: 5 } }],
  ])('would have no request, %s, is asked for nothing', async (_, changes) => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    await expect(fleet.run(requestHere(mock.url, { ...changes, samplesMax: 1 }))).rejects.toMatchObject({
      code: 'input',
      problem: {
        problem: '1 request cannot be split over 2 agents',
        advice: 'Use --requests 2 or more, or fewer agents.',
      },
    });
    expect(mock.log().requests).toBe(0);
  });

  test('sends less than a request a second has a connection all the same', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    const pattern = { kind: 'constant' as const, requestsPerSecond: 1 };
    const { report } = await fleet.run(requestHere(mock.url, { pattern, samplesMax: 2 }));
    expect(report).toMatchObject({ complete: true, counts: { completed: 2 } });
  });

  test('dies while it prepares leaves nobody with anything to send', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    fleet.onSend = (agent, { kind }) => {
      if (agent === 1 && kind === 'prepare') fleet.lines[1]?.cut();
    };
    await expect(fleet.run(requestHere(mock.url))).rejects.toMatchObject({
      code: 'failed',
      problem: { problem: expect.stringMatching(/^boreas: /) },
    });
    expect((await Promise.all(fleet.ends)).map(({ kind }) => kind)).not.toContain('done');
    expect(mock.log().requests).toBe(0);
  });

  test('dies while it loads leaves its requests unresolved, and the others go on to the end', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    whileLoading(fleet, () => fleet.lines[1]?.cut());
    const { report } = await fleet.run(requestHere(mock.url, { samplesMax: 80 }));
    expectBoreasLost(report);
    expect((await fleet.ends[0])?.kind).toBe('done');
  });

  // The 5 s are real ones.
  test('falls silent while it loads is given up after 5 s, and the others go on to the end', async context => {
    if (!isLongRun) context.skip('waits for 5 s: in the long run');
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    whileLoading(fleet, () => fleet.lines[1]?.silence());
    const { report } = await fleet.run(requestHere(mock.url, { samplesMax: 80 }));
    expectBoreasLost(report);
    expect(report.incompleteReason).toContain('it said nothing for 5 s');
  });

  test('dies as its samples are asked for loses them, and not the run', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock(MOCK);
    const fleet = fleetAt(folder.path, mock);
    fleet.onSend = (agent, { kind }) => {
      if (agent === 1 && kind === 'collect') fleet.lines[1]?.cut();
    };
    const { report } = await fleet.run(requestHere(mock.url, { samplesMax: 10 }));
    expect(report).toMatchObject({
      complete: false,
      counts: { issued: 10, completed: 5, unresolved: 5 },
      agents: [{ state: 'complete' }, { state: 'lost', counts: { issued: 5, completed: 5 } }],
    });
    expect((await fleet.ends[1])?.keptIn).toBeDefined();
  });
});
