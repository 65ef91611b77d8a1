// The programs of a link probe, each language with each, over loopback.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { measuredIn } from '../../../src/cli/survey/link-probe.ts';
import {
  connectWords,
  listenWords,
  PROBE_LANGUAGES,
  type ProbeLanguage,
} from '../../../src/cli/survey/probe-programs.ts';

const run = promisify(execFile);
const here = PROBE_LANGUAGES.filter(language => spawnSync(language, ['--version']).error === undefined);
const pairs = here.flatMap(one => here.map(other => [one, other] as const));
const TOKEN = 'f'.repeat(32);

const listening = async (language: ProbeLanguage, address: string) => {
  const [command = '', ...words] = listenWords(language, address, TOKEN);
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  const started = Promise.withResolvers<number>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const port = /^port (\d+)$/m.exec(printed)?.[1];
    if (port !== undefined) started.resolve(Number(port));
  });
  const ended = new Promise<string>(resolve => child.once('close', () => resolve(printed)));
  return { port: await started.promise, ended };
};

/** On which nothing listens. */
const elsewhere = (address: string): string => (address === '::1' ? '::2' : '127.0.0.9');

describe.each(pairs)('%s connects to %s', (from, to) => {
  test.each(['127.0.0.1', '::1'])('over %s', async address => {
    const { port, ended } = await listening(to, address);
    const [command = '', ...words] = connectWords(from, {
      addresses: [elsewhere(address), address],
      port,
      token: TOKEN,
    });
    const { stdout } = await run(command, words);
    const measured = measuredIn({ connected: stdout, accepted: await ended, engine: from });
    if (measured.kind !== 'measured') throw new Error(measured.reason);
    expect(measured.address).toBe(address);
    expect(measured.roundTripsNs).toHaveLength(100);
    for (const counted of [measured.upload, measured.download]) {
      expect(counted?.seconds).toBeGreaterThan(0.4);
      expect(counted?.bytes).toBeGreaterThan(1_000_000);
    }
  });
});

test.each(here)('%s serves no stranger', async language => {
  const { port, ended } = await listening(language, '127.0.0.1');
  const stranger = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  stranger.on('data', bytes => received.push(bytes)).write(`d${'0'.repeat(32)}`);
  await new Promise(resolve => stranger.once('close', resolve));
  expect(received).toEqual([]);
  const [command = '', ...words] = connectWords(language, { addresses: ['127.0.0.1'], port, token: TOKEN });
  const { stdout } = await run(command, words);
  expect(stdout).toMatch(/^download \d+ /m);
  expect(await ended).toMatch(/^upload \d+ /m);
});

test.each(here)('%s states why it cannot connect', async language => {
  const [command = '', ...words] = connectWords(language, {
    addresses: ['127.0.0.1', '127.0.0.2'],
    port: 1,
    token: TOKEN,
  });
  await expect(run(command, words)).rejects.toMatchObject({
    code: 3,
    stdout: 'refused 127.0.0.1: Connection refused, 127.0.0.2: Connection refused\n',
  });
});
