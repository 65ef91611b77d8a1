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

  it('is found by its port, counted, and loaded by the name of its node', {
    timeout: MINUTES_MAX * 60_000,
  }, async ({ signal }) => {
    const engine = serverEngineCalled(server.engine ?? server.name);
    if (engine === undefined) throw new Error(`${server.name} is not an engine`);
    await using running = await startRealServer(server);
    const { port } = new URL(running.url);
    await using daemon = await commandDaemon(
      '127.0.0.1:0',
      `[engines]\nports = [${port}]\ninterval = "1s"\n`,
    );
    const client = await findDaemon(daemon.home, madeUpProcess([]).state);
    const untilSeen = async (fits: (seen: NodeEngine) => boolean): Promise<NodeEngine> => {
      let last: NodeEngine | undefined;
      const ending = new AbortController();
      const until = AbortSignal.any([signal, ending.signal]);
      for await (const { state } of clusterStream(client, systemClock, until)) {
        const engines = Object.values(state.nodeEngines).flatMap(({ value }) => value.engines);
        last = engines.find(({ origin }) => origin === running.url);
        if (last === undefined || !fits(last)) continue;
        ending.abort();
        return last;
      }
      throw new Error(`not seen; last: ${JSON.stringify(last)}`);
    };
    const load = (requests: number, ...more: readonly string[]) => {
      const args = [
        `atlas:${port}`,
        '--requests',
        `${requests}`,
        '--output-tokens',
        '200',
        '--concurrency',
        '2',
      ];
      return madeUpProcess(['bench', ...args, '--events', 'off', '--json', '--home', daemon.home, ...more]);
    };

    const found = await untilSeen(seen => isKnown(seen.facts) || !/being read/.test(seen.facts.reason));
    expect(found).toMatchObject({ engine: engine.name, listensOn: '127.0.0.1' });
    expect(isKnown(found.version), JSON.stringify(found.version)).toBe(engine.versionField !== undefined);
    expect(knownOr(found.models, []).length, JSON.stringify(found.models)).toBeGreaterThan(0);
    expect(isKnown(found.requestsInFlight), JSON.stringify(found.requestsInFlight)).toBe(
      engine.counts.length > 0,
    );

    const first = load(REQUESTS);
    const loading = first.run();
    const counted =
      engine.counts.length === 0 ? undefined : await untilSeen(seen => knownOr(seen.requestsInFlight, 0) > 0);
    expect(await loading, first.stderr.text).toBe(0);
    expect(JSON.parse(first.stdout.text)).toMatchObject({
      run: { target: running.url },
      counts: { completed: REQUESTS, failed: 0 },
    });
    if (counted !== undefined) await untilSeen(seen => seen.requestsInFlight === 0);
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
});

afterAll(() => {
  if (rows.length === 0) return;
  const head = ['', 'found as', 'models', 'in flight', 'facts of the model'];
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`);
  process.stdout.write(`\n${lines.join('\n')}\n`);
});

const REQUESTS = 12;
/** vLLM starts for up to ten. */
const MINUTES_MAX = 15;
