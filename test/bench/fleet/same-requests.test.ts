// What a server receives of a run from several agents is what one machine sends it: the same requests, byte for byte.

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { serverApi } from '../../../src/bench/target/api/server-apis.ts';
import { isLongRun } from '../../support/counts.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';
import { FleetHere } from './agents-here.ts';

class Recorder implements AsyncDisposable {
  readonly #server: Server;
  bodies: string[] = [];

  constructor() {
    this.#server = createServer(async (request, reply) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      if (request.method === 'POST') this.bodies.push(body);
      const message = { role: 'assistant', content: 'yes' };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      const results = [{ index: 0, relevance_score: 1 }];
      reply.setHeader('content-type', 'application/json');
      reply.end(
        JSON.stringify({ object: 'chat.completion', choices, results, data: [{ id: 'mock-model' }] }),
      );
    }).listen(0, '127.0.0.1');
  }

  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  }

  /** What came since it was last taken, in an order that does not depend on who sent it. */
  take(): readonly string[] {
    const taken = this.bodies.toSorted();
    this.bodies = [];
    return taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('the requests of a run', () => {
  test.each(isLongRun ? [2, 4, 8] : [2])(
    'from %s agents are those of one machine, byte for byte',
    async agents => {
      await using recorder = new Recorder();
      const url = await recorder.url();
      const request = requestHere(url, {
        isStreaming: false,
        samplesMax: 43,
        pattern: { kind: 'poisson', requestsPerSecond: 60 },
        requests: {
          inputTokens: { kind: 'uniform', min: 20, max: 90 },
          outputTokens: { kind: 'uniform', min: 2, max: 9 },
          prefixes: { count: 3, tokens: 12 },
          fields: { temperature: 0.5 },
        },
      });
      using alone = temporaryDirectory();
      const one = await runBench(request, partsHere(alone.path));
      expect(one.report.counts.completed).toBe(43);
      const expected = recorder.take();
      using folder = temporaryDirectory();
      const names = Array.from({ length: agents }, (_, index) => `agent-${index}`);
      const fleet = new FleetHere(folder.path, names, { targets: [url] });
      const { report } = await fleet.run(request);
      expect(report).toMatchObject({ complete: true, counts: { completed: 43 } });
      expect(recorder.take()).toEqual(expected);
      expect(new Set(expected).size).toBe(43);
    },
  );

  test('of rankings, generated or from a file, from two agents are those of one machine', async context => {
    if (!isLongRun) context.skip('two more runs of two agents: in the long run');
    await using recorder = new Recorder();
    const url = await recorder.url();
    using files = temporaryDirectory();
    const path = join(files.path, 'rankings.jsonl');
    const rows = [3, 1, 2].map(count => ({ query: `of ${count}`, documents: Array(count).fill('a leek') }));
    writeFileSync(path, rows.map(row => `${JSON.stringify(row)}\n`).join(''));
    const rankings = { api: serverApi('rerank'), isStreaming: false, samplesMax: 12 };
    const dataset = { kind: 'file', path, shownPath: path, column: undefined } as const;
    for (const request of [
      requestHere(url, { ...rankings, documents: 3 }),
      requestHere(url, { ...rankings, dataset }),
    ]) {
      using alone = temporaryDirectory();
      await runBench(request, partsHere(alone.path));
      const expected = recorder.take();
      using folder = temporaryDirectory();
      const { report } = await new FleetHere(folder.path, ['atlas', 'juno'], { targets: [url] }).run(request);
      expect(report).toMatchObject({ complete: true, counts: { completed: 12 } });
      expect(report.series.rankedDocuments?.total).toBe('12');
      expect(recorder.take()).toEqual(expected);
    }
  });

  test('of a closed loop from three agents are those of one machine too, in any order of replies', async context => {
    if (!isLongRun) context.skip('one more run of three agents: in the long run');
    await using recorder = new Recorder();
    const url = await recorder.url();
    const request = requestHere(url, {
      isStreaming: false,
      samplesMax: 40,
      pattern: { kind: 'concurrency', concurrency: 5 },
      warmup: { kind: 'requests', count: 4 },
    });
    using alone = temporaryDirectory();
    await runBench(request, partsHere(alone.path));
    const expected = recorder.take();
    using folder = temporaryDirectory();
    const fleet = new FleetHere(folder.path, ['atlas', 'boreas', 'juno'], { targets: [url] });
    const { report } = await fleet.run(request);
    expect(report.counts.completed).toBe(40);
    expect(report.warmup.issued).toBe(4);
    expect(recorder.take()).toEqual(expected);
  });
});
