// Every real server as a daemon finds it: its engine, version, models and requests in flight, and a load of it by the name of its
// node. Prints the table of docs/verified-on.md.

import { afterAll, describe, expect, it } from 'vitest';
import { clusterStream } from '../../src/cli/cluster-stream.ts';
import { findDaemon } from '../../src/cli/daemon-client.ts';
import { systemClock } from '../../src/clock/system-clock.ts';
import { serverEngineCalled } from '../../src/core/engine/server-engines.ts';
import { engineName, modelFactsText, type NodeEngine } from '../../src/core/node/engines.ts';
import { isKnown, knownOr } from '../../src/core/unknown.ts';
import { commandDaemon } from '../support/command-daemon.ts';
import { isLongRun } from '../support/counts.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { missingReason, startRealServer } from './running-server.ts';
import { MLX_SERVER, REAL_SERVERS } from './servers.ts';

const rows: string[][] = [];

describe.each([...REAL_SERVERS, MLX_SERVER])('$name', server => {
  const missing = isLongRun ? missingReason(server) : 'part of the long run';
  if (missing !== undefined) {
    it(`is skipped: ${missing}`, ({ skip }) => skip(missing));
    return;
  }

  it('is found by its port, counted, and loaded by the name of its node', MINUTES, async ({ signal }) => {
    const engine = serverEngineCalled(server.engine ?? server.name);
    if (engine === undefined) throw new Error(`${server.name} is not an engine`);
    await using running = await startRealServer(server);
    await using looking = await looked(running.url, signal);
    const before = await looking.until(isRead);
    // Of those that report what is in memory, nothing is before a load.
    if (engine.loaded !== undefined) {
      expect(before.models).toEqual([]);
      await looking.load();
    }
    const found = await looking.until(
      seen => isRead(seen) && (engine.loaded === undefined || knownOr(seen.models, []).length > 0),
    );
    expect(found).toMatchObject({ engine: engine.name, listensOn: '127.0.0.1' });
    expect(isKnown(found.version), JSON.stringify(found.version)).toBe(engine.versionField !== undefined);
    expect(knownOr(found.models, []).length, JSON.stringify(found.models)).toBeGreaterThan(0);
    expect(isKnown(found.requestsInFlight), JSON.stringify(found.requestsInFlight)).toBe(
      engine.counts.length > 0,
    );
    const loading = looking.load();
    const counted =
      engine.counts.length === 0
        ? undefined
        : await looking.until(seen => knownOr(seen.requestsInFlight, 0) > 0);
    await loading;
    if (counted !== undefined) await looking.until(seen => seen.requestsInFlight === 0);
    rows.push([
      server.name,
      engineName(found),
      knownOr(found.models, [])
        .map(({ name }) => name)
        .join(', '),
      counted === undefined ? engine.uncounted : `0, ${knownOr(counted.requestsInFlight, 0)} under load, 0`,
      modelFactsText(found) || (isKnown(found.facts) ? '–' : found.facts.reason),
    ]);
  });

  const { sleepArgs } = server;
  if (sleepArgs === undefined) return;
  it('sleeps while it is looked at, and again after a load', MINUTES, async ({ signal }) => {
    await using running = await startRealServer(server, sleepArgs);
    await untilAsleep(running.url, signal);
    await using looking = await looked(running.url, signal);
    expect(await looking.until(isRead)).toMatchObject({ requestsInFlight: 0 });
    let readings = 0;
    await looking.until(() => {
      readings += 1;
      return readings > READINGS_ASLEEP;
    });
    expect(await isAsleep(running.url)).toBe(true);
    await looking.load();
    await untilAsleep(running.url, signal);
  });
});

const isRead = ({ facts }: NodeEngine): boolean => isKnown(facts) || !/being read/.test(facts.reason);

/** A daemon next to the server. */
const looked = async (url: string, signal: AbortSignal) => {
  const { port } = new URL(url);
  const daemon = await commandDaemon('127.0.0.1:0', `[engines]\nports = [${port}]\ninterval = "1s"\n`);
  const client = await findDaemon(daemon.home, madeUpProcess([]).state);
  return {
    /** The first state of the engine for which this holds. */
    until: async (fits: (seen: NodeEngine) => boolean): Promise<NodeEngine> => {
      let last: NodeEngine | undefined;
      const ending = new AbortController();
      for await (const { state } of clusterStream(
        client,
        systemClock,
        AbortSignal.any([signal, ending.signal]),
      )) {
        const engines = Object.values(state.nodeEngines).flatMap(({ value }) => value.engines);
        const now = engines.find(({ origin }) => origin === url);
        if (now === undefined || now === last) continue;
        last = now;
        if (!fits(now)) continue;
        ending.abort();
        return now;
      }
      throw new Error(`not seen; last: ${JSON.stringify(last)}`);
    },
    /** By the name of the node. */
    load: async (): Promise<void> => {
      const load = ['--requests', `${REQUESTS}`, '--output-tokens', '200', '--concurrency', '2'];
      const options = ['--events', 'off', '--json', '--home', daemon.home];
      const { run, stdout, stderr } = madeUpProcess(['bench', `atlas:${port}`, ...load, ...options]);
      expect(await run(), stderr.text).toBe(0);
      expect(JSON.parse(stdout.text)).toMatchObject({
        run: { target: url },
        counts: { completed: REQUESTS, failed: 0 },
      });
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
};

/** Its page of settings is the only sign, and loads nothing. */
const isAsleep = async (url: string): Promise<boolean> =>
  (await (await fetch(`${url}/props`)).text()).includes('"is_sleeping":true');

const untilAsleep = async (url: string, signal: AbortSignal): Promise<void> => {
  while (!(await isAsleep(url))) await systemClock.sleep(POLL_MS, signal);
};

afterAll(() => {
  if (rows.length === 0) return;
  const head = ['', 'found as', 'models', 'in flight', 'facts of the model'];
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
});

const REQUESTS = 12;
const READINGS_ASLEEP = 4;
const POLL_MS = 200;
/** vLLM starts for up to ten. */
const MINUTES = { timeout: 900_000 };
