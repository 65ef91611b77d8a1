// Images of a folder: recognized by their first bytes, digested, sent in rotation, and refused with the file that is
// wrong.

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBench } from '../../../src/bench/bench.ts';
import { readImageFolder } from '../../../src/bench/dataset/image-folder.ts';
import { madeUpPng } from '../../../src/bench/dataset/synthetic-images.ts';
import { seededRandom } from '../../../src/core/random.ts';
import { startMock } from '../../../src/mock/mock-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsHere, requestHere } from '../run-here.ts';

const PNG = madeUpPng({ width: 8, height: 8 }, seededRandom(1));
const JPEG = Buffer.from('ffd8ffe000104a46494600', 'hex');
const WEBP = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1');
const NEVER = new AbortController().signal;

const read = (path: string) => readImageFolder(path, 'pictures', NEVER);

test('images are read in the order of their names, among other files, by their first bytes', async () => {
  using folder = temporaryDirectory();
  for (const [name, bytes] of [
    ['c.webp', WEBP],
    ['a.JPEG', PNG],
    ['b.jpg', JPEG],
    ['notes.txt', Buffer.from('none')],
  ] as const)
    writeFileSync(join(folder.path, name), bytes);
  const { dataUrls, sha256 } = await read(folder.path);
  expect(dataUrls).toEqual([
    `data:image/png;base64,${PNG.toString('base64')}`,
    `data:image/jpeg;base64,${JPEG.toString('base64')}`,
    `data:image/webp;base64,${WEBP.toString('base64')}`,
  ]);
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('two folders have two digests, even if their bytes in sequence are equal', async () => {
  const digestOf = async (files: Readonly<Record<string, Buffer>>): Promise<string> => {
    using folder = temporaryDirectory();
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder.path, name), bytes);
    return (await read(folder.path)).sha256;
  };
  const digests = await Promise.all([
    digestOf({ 'a.png': PNG, 'b.png': PNG }),
    digestOf({ 'a.png': Buffer.concat([PNG, PNG]) }),
    digestOf({ 'a.png': PNG, 'c.png': PNG }),
  ]);
  expect(new Set(digests).size).toBe(3);
});

describe('a folder is refused', () => {
  test('that is missing, or has no picture', async () => {
    using folder = temporaryDirectory();
    await expect(read(join(folder.path, 'none'))).rejects.toThrow(/pictures cannot be read/);
    await expect(read(folder.path)).rejects.toThrow('has no file that ends in .png');
  });

  test.each<[string, (path: string) => void, string]>([
    ['that lies', path => writeFileSync(path, '<html>'), 'a.png begins as no PNG, JPEG or WebP'],
    ['that is empty', path => writeFileSync(path, ''), 'a.png begins as no PNG'],
    ['that is a folder', path => mkdirSync(path), 'a.png cannot be read: it is a folder'],
    [
      'that is too large',
      path => {
        writeFileSync(path, PNG);
        truncateSync(path, 20_971_521);
      },
      'a.png cannot be read: it is larger than 20 MiB',
    ],
  ])('for a picture %s', async (_, make, problem) => {
    using folder = temporaryDirectory();
    make(join(folder.path, 'a.png'));
    await expect(read(folder.path)).rejects.toThrow(problem);
  });
});

test('a run sends them in turn, and the report reports which', async () => {
  using pictures = temporaryDirectory();
  writeFileSync(join(pictures.path, 'a.png'), PNG);
  writeFileSync(join(pictures.path, 'b.jpg'), JPEG);
  using folder = temporaryDirectory();
  await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 2 });
  const bodies: string[] = [];
  const relay = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      if (body.length > 0) bodies.push(body.toString());
      const init = body.length === 0 ? {} : { method: 'POST', body };
      void fetch(new URL(request.url ?? '', mock.url), init).then(async answer => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
        response.end(Buffer.from(await answer.arrayBuffer()));
      });
    });
  });
  await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve));
  try {
    const address = relay.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const source = { kind: 'folder', path: pictures.path, shownPath: 'pictures' } as const;
    const { report } = await runBench(
      requestHere(`http://127.0.0.1:${port}`, { samplesMax: 2, images: { count: 1, source } }),
      partsHere(folder.path),
    );
    expect(report.counts.completed).toBe(2);
    expect(report.run.dataset).toMatch(
      /each with 1 of the 2 pictures of pictures \(digest 2: [0-9a-f]{12}\)/,
    );
    const all = bodies.join('\n');
    expect(all).toContain(`data:image/png;base64,${PNG.toString('base64')}`);
    expect(all).toContain(`data:image/jpeg;base64,${JPEG.toString('base64')}`);
  } finally {
    relay.close();
    relay.closeAllConnections();
  }
});
