import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeId } from '../../../src/core/ids.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { writeDaemonFile } from '../../../src/daemon/daemon-file.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { decodeSampleTimes } from '../../../src/wire/sample-times.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';

interface ReportedState {
  readonly elapsedMs: number;
  readonly figures: { readonly counts: { readonly completed: number } };
}

test('what a run reports to a daemon is on the clock of its samples: none has ended later than it is reported', async () => {
  using folder = temporaryDirectory();
  const reported: ReportedState[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      if (request.url?.endsWith('/progress')) reported.push(JSON.parse(body));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  await using _server = {
    [Symbol.asyncDispose]: () => new Promise<void>(closed => void server.close(() => closed())),
  };
  const home = join(folder.path, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeDaemonFile(join(home, 'daemon.json'), {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    socket: unknown('none'),
    token: 'x'.repeat(43),
    pid: process.pid,
    startedAtWallMs: 0,
    nodeId: nodeId('a'.repeat(26)),
    version: '0',
  });
  await using mock = await startMock({ ttftMs: 5, gapMs: 1, outputTokens: 5 });
  const run = await benchHere(folder.path, [mock.url, '--rate', '100', '--duration', '2s']);
  const endsMs = readFileSync(join(run.directory, 'samples.jsonl'), 'utf8')
    .split('\n')
    .map(decodeSampleTimes)
    .flatMap(sample => (sample?.isTracked === true ? [sample.endNs / 1e6] : []))
    .sort((a, b) => a - b);
  expect(endsMs.length).toBeGreaterThan(50);
  const counted = reported.filter(({ figures }) => figures.counts.completed > 0);
  expect(counted.length).toBeGreaterThan(2);
  for (const { elapsedMs, figures } of counted)
    expect(endsMs[figures.counts.completed - 1]).toBeLessThanOrEqual(elapsedMs);
});

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;
