import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http, { type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { resolveAddresses } from '../../../src/bench/run/resolve-addresses.ts';
import { systemClock } from '../../../src/clock/system-clock.ts';
import { renderReport } from '../../../src/render/run/text-report.ts';
import { partsHere, requestHere } from '../../bench/run-here.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-addresses-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const BODY = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 1 },
});

const listening = async (host: string, port: number): Promise<Server> => {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(BODY);
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
};

const portOf = (server: Server): number => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
};

test('connections go to all addresses of a name but the dead one, and the report has figures of each', async () => {
  const first = await listening('127.0.0.1', 0);
  const port = portOf(first);
  const servers = [first, await listening('127.0.0.2', port), await listening('::1', port)];
  try {
    const request = requestHere(`http://model.test:${port}`, {
      pattern: { kind: 'concurrency', concurrency: 8 },
      samplesMax: 80,
      isStreaming: false,
    });
    const addresses = ['127.0.0.1', '127.0.0.2', '::1', '127.0.0.9'];
    const { report } = await runBench(request, partsHere(folder, { resolve: async () => addresses }));
    expect(report.counts).toMatchObject({ issued: 80, completed: 80 });
    expect(report.run.addresses).toEqual(addresses);
    const variants = report.variants ?? [];
    expect(variants.map(({ variant }) => variant)).toEqual([0, 1, 2]);
    expect(variants.reduce((sum, { completed }) => sum + completed, 0)).toBe(80);
    for (const { completed } of variants) expect(completed).toBeGreaterThan(5);
    expect(report.notices).toContain(
      '127.0.0.9, an address of model.test, took no connection: it was left out',
    );
    const text = renderReport(report, { isUnicode: true, isFull: true }).join('\n');
    expect(text).toMatch(/By address\n {2}address +completed/u);
    expect(text).toMatch(/\n {2}127\.0\.0\.9 +0 +0/u);
  } finally {
    for (const server of servers) server.close();
  }
});

test.each([
  ['an address', '10.0.0.1', ['10.0.0.1', '10.0.0.2'], undefined],
  ['this machine', 'localhost', ['127.0.0.1', '::1'], undefined],
  ['a name with one address', 'model.test', ['10.0.0.1', '10.0.0.1'], undefined],
  ['a name with two', 'model.test', ['10.0.0.1', 'fd00::1'], ['10.0.0.1', 'fd00::1']],
  [
    'a name with more than 16',
    'model.test',
    Array.from({ length: 20 }, (_, at) => `10.0.0.${at}`),
    Array.from({ length: 16 }, (_, at) => `10.0.0.${at}`),
  ],
])('%s is spread over the right addresses', async (_, host, found, expected) => {
  const options = { clock: systemClock, signal: new AbortController().signal, resolve: async () => found };
  expect(await resolveAddresses({ host }, options)).toEqual(expected);
});
