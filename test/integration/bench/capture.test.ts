// Traffic of a run against the mock, captured, replayed and captured again: what a server gets is the same.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CapturedLine } from '../../../src/bench/dataset/trace/captured-trace.ts';
import { spawnMock } from '../../../src/mock/spawn-mock.ts';
import { capturedLines, capturedText, chatRequest } from '../../bench/capture/capture-here.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { benchHere } from './bench-here.ts';
import { spawnBench } from './bench-process.ts';

const OWN = { nodePath: process.execPath, env: process.env };

const urlIn = (text: string): string => /clients to (\S+)\n/.exec(text)?.[1] ?? '';

/** What passed a capture in front of a new mock while a run went through it. */
const captured = async (
  folder: string,
  args: readonly string[],
): Promise<{ readonly path: string; readonly lines: readonly CapturedLine[] }> => {
  await using mock = await spawnMock({ ttftMs: 5, gapMs: 1, keepsPrefixes: true }, OWN);
  const path = join(folder, 'capture');
  const capture = madeUpProcess(['capture', '--to', mock.url, '--http', '0', '--out', path]);
  const running = capture.run();
  await capture.stdout.until(/clients to \S+\n/);
  const run = await benchHere(folder, [urlIn(capture.stdout.text), ...args, '--events', 'off']);
  expect(run.exit, run.stderr + run.stdout).toBe('ok');
  capture.stop('SIGINT');
  expect(await running).toBe(0);
  return { path, lines: capturedLines(path) };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Of the larger one. */
const difference = (a: number, b: number): number => Math.abs(a - b) / Math.max(a, b, 1e-9);

const helloRequest = (number: number): RequestInit =>
  chatRequest(`hello number ${number}`, { model: 'mock-model' });

const REQUESTS = 150;

test('captured traffic replayed has the same lengths, sharing and gaps within 1 %', async () => {
  using folder = temporaryDirectory();
  const [first, second] = [join(folder.path, 'first'), join(folder.path, 'second')];
  const original = await captured(first, [
    ...['--rate', '25', '--requests', String(REQUESTS)],
    ...['--input-tokens', '100..900', '--output-tokens', '5..60'],
    ...['--prefix-tokens', '1200', '--prefixes', '4'],
  ]);
  const replayed = await captured(second, ['--trace', original.path]);
  // Both begin with requests that find out what words cost.
  const wanted = original.lines.filter(({ outcome }) => outcome !== 'failed');
  expect(wanted.length).toBeGreaterThanOrEqual(REQUESTS);
  const again = replayed.lines.slice(-wanted.length);
  const differences = {
    input: difference(sum(wanted.map(line => line.input_length)), sum(again.map(line => line.input_length))),
    output: difference(
      sum(wanted.map(line => line.output_length)),
      sum(again.map(line => line.output_length)),
    ),
    // By the server's own cache.
    shared: difference(
      sum(wanted.map(line => line.cached_length ?? 0)),
      sum(again.map(line => line.cached_length ?? 0)),
    ),
    // Of the arrivals after the first, on average, of the whole time.
    gaps: (() => {
      const offsets = [wanted, again].map(lines =>
        lines.map(({ timestamp }) => timestamp - (lines[0]?.timestamp ?? 0)),
      );
      const [ours = [], theirs = []] = offsets;
      return (
        sum(ours.map((ms, index) => Math.abs(ms - (theirs[index] ?? 0)))) / ours.length / (ours.at(-1) ?? 1)
      );
    })(),
  };
  for (const [name, value] of Object.entries(differences)) expect(value, name).toBeLessThan(0.01);
  for (const [index, line] of wanted.entries()) {
    const input = again[index]?.input_length ?? 0;
    expect(Math.abs(line.input_length - input)).toBeLessThanOrEqual(2 + 0.01 * input);
    expect(again[index]?.output_length).toBe(line.output_length);
  }
}, 120_000);

test('a capture that is killed has what passed it until a second before, and can be replayed', async () => {
  using folder = temporaryDirectory();
  await using mock = await spawnMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 }, OWN);
  await using capture = spawnBench(folder.path, ['--to', mock.url, '--http', '0'], 'capture');
  await capture.until(/clients to \S+\n/);
  const url = urlIn(capture.output());
  const send = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1)
      await (await fetch(`${url}/v1/chat/completions`, helloRequest(sent))).text();
  };
  const changes = watch(capture.directory);
  await send(20);
  for await (const _ of changes) if (capturedText(capture.directory).split('\n').length > 20) break;
  await send(5);
  capture.child.kill('SIGKILL');
  await capture.ended;
  const lines = capturedLines(capture.directory);
  expect(lines.length).toBeGreaterThanOrEqual(20);
  const show = madeUpProcess(['dataset', 'show', capture.directory]);
  expect(await show.run()).toBe(0);
  expect(show.stdout.text).toContain(`captured trace, ${lines.length} requests`);
});

test('on a disk that is full traffic passes, and what is not recorded is counted', async context => {
  using folder = temporaryDirectory();
  const path = join(folder.path, 'small');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', path], { stdio: 'pipe' });
  } catch {
    context.skip('no file system can be mounted here');
  }
  try {
    await using mock = await spawnMock({ ttftMs: 1, gapMs: 0, outputTokens: 3 }, OWN);
    const out = join(path, 'capture');
    const capture = madeUpProcess(['capture', '--to', mock.url, '--http', '0', '--out', out]);
    const running = capture.run();
    await capture.stdout.until(/clients to \S+\n/);
    const url = urlIn(capture.stdout.text);
    let isShown = false;
    const shown = capture.stderr.until(/not recorded: no space left on the disk/).then(() => {
      isShown = true;
    });
    let sent = 0;
    // A line that still fits is written, and the disk counts as writable until the next one.
    for (; sent < 100 || !isShown; sent += 1) {
      const reply = await fetch(`${url}/v1/chat/completions`, helloRequest(sent));
      expect(reply.status).toBe(200);
      await reply.text();
    }
    await shown;
    capture.stop('SIGINT');
    expect(await running).toBe(0);
    const [, lost = ''] = /^(\d+) requests not recorded/m.exec(capture.stdout.text) ?? [];
    const lines = capturedLines(out);
    expect(lines.length + Number(lost)).toBe(sent);
  } finally {
    execFileSync('umount', [path]);
  }
});
