// From an engine at a port of loopback to a runner of its node and the target of a benchmark: a daemon finds it, the cluster shows
// it, probes wait for it, `plimsoll bench NODE` loads it, and it disappears with its process.

import { expect, test } from 'vitest';
import { clusterStream } from '../../../src/cli/cluster-stream.ts';
import { findDaemon } from '../../../src/cli/daemon-client.ts';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { isNodeId } from '../../../src/core/ids.ts';
import { activityOn } from '../../../src/core/probe/activity.ts';
import { activeRunners } from '../../../src/core/run/run-selectors.ts';
import type { State } from '../../../src/core/state.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { commandDaemon } from '../../support/command-daemon.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';

const startMock = (otherRequests: number) =>
  spawnMock(
    { ttftMs: 5, gapMs: 1, outputTokens: 5, otherRequests },
    { nodePath: process.execPath, env: process.env },
  );

const enginesOf = (state: State) => Object.values(state.nodeEngines).flatMap(({ value }) => value.engines);

test('an engine is found, is a runner of its node, is loaded by the name of its node, and disappears', async () => {
  const mock = await startMock(7);
  const port = Number(new URL(mock.url).port);
  await using daemon = await commandDaemon('127.0.0.1:0', `[engines]\nports = [${port}]\ninterval = "1s"\n`);
  const { state: asProcess } = madeUpProcess([]);
  const client = await findDaemon(daemon.home, asProcess);
  const ending = new AbortController();
  const untilState = async (fits: (state: State) => boolean): Promise<State> => {
    for await (const { state } of clusterStream(client, systemClock, ending.signal))
      if (fits(state)) return state;
    throw new Error('the stream ended');
  };
  const isOurs = ({ origin }: { readonly origin: string }): boolean => origin === `http://127.0.0.1:${port}`;
  const found = await untilState(state => enginesOf(state).some(isOurs));
  expect(enginesOf(found).find(isOurs)).toMatchObject({
    engine: 'Plimsoll mock',
    models: [{ name: 'mock-model' }],
    requestsInFlight: 7,
  });
  const [self] = Object.keys(found.nodeEngines).filter(isNodeId);
  expect(activeRunners(found, systemClock.nowMs())).toContainEqual({
    runnerKey: `endpoint http://127.0.0.1:${port}`,
    source: 'endpoint',
    targetNode: self,
    requestsInFlight: 7,
  });
  if (self === undefined) throw new Error('no node');
  expect(activityOn(found, self, systemClock.nowMs())).toContain(
    `atlas, http://127.0.0.1:${port}, has 7 requests in flight`,
  );

  const args = ['--requests', '2', '--events', 'off', '--json', '--home', daemon.home];
  const named = madeUpProcess(['bench', `atlas:${port}`, ...args]);
  expect(await named.run()).toBe(EXIT_CODES.ok.code);
  expect(JSON.parse(named.stdout.text)).toMatchObject({ run: { target: `http://127.0.0.1:${port}` } });
  expect(named.stderr.text).toContain(
    `plimsoll: atlas:${port} is Plimsoll mock at http://127.0.0.1:${port}\n`,
  );
  const without = madeUpProcess(['bench', 'atlas:9', ...args]);
  expect(await without.run()).toBe(EXIT_CODES.usage.code);
  expect(without.stderr.text).toContain('no server of a model was found on atlas at port 9');

  await mock[Symbol.asyncDispose]();
  const gone = await untilState(state => !enginesOf(state).some(isOurs));
  expect(activeRunners(gone, systemClock.nowMs())).toEqual([]);
  ending.abort();
});

test('a word that is neither a URL nor a node is refused as before', async () => {
  const { run, stderr } = madeUpProcess(['bench', 'localhost:8000', '--requests', '2']);
  expect(await run()).toBe(EXIT_CODES.usage.code);
  expect(stderr.text).toContain('Write it as: plimsoll bench http://localhost:8000');
});
