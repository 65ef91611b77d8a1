import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { startMock } from '../../src/mock/mock-server.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hello there' }] });

describe('plimsoll capture', () => {
  test('prints where clients connect, what passes, and at its end the command that replays it', async () => {
    using folder = temporaryDirectory();
    await using mock = await startMock({ ttftMs: 1, gapMs: 0, outputTokens: 5 });
    const out = join(folder.path, 'made', 'capture');
    const capture = madeUpProcess(['capture', '--to', mock.url, '--http', '0', '--out', out], {
      isTerminal: true,
      columns: 200,
    });
    const running = capture.run();
    await capture.stdout.until(/Point your clients to \S+\n/);
    const [, url = ''] = /clients to (\S+)\n/.exec(capture.stdout.text) ?? [];
    for (let round = 0; round < 3; round += 1)
      await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: BODY })).text();
    await (await fetch(`${url}/v1/models`)).text();
    await capture.stdout.until(
      /3 requests, 0 in flight · tokens 6 in, 15 out · adds p50 [\d.]+ ms, p99 .* · 000001\.jsonl/,
    );
    capture.stop('SIGINT');
    expect(await running).toBe(EXIT_CODES.ok.code);
    expect(capture.stdout.text).toMatch(
      /3 requests in 3 conversations: 3 completed, 0 failed, 0 cancelled\n/,
    );
    expect(capture.stdout.text).toContain('1 request of other paths passed unrecorded\n');
    expect(capture.stdout.text).toContain(`plimsoll bench ${mock.url} --trace ${out}\n`);
    const show = madeUpProcess(['dataset', 'show', out]);
    expect(await show.run()).toBe(EXIT_CODES.ok.code);
    expect(show.stdout.text).toMatch(/^capture: captured trace, 3 requests\n/);
    expect(show.stdout.text).toContain('3 conversations');
  });

  test('is refused without a server that can be, and with a folder that is used', async () => {
    using folder = temporaryDirectory();
    const used = join(folder.path, 'used');
    mkdirSync(used);
    writeFileSync(join(used, 'file'), '');
    const file = join(used, 'file', 'below');
    for (const [args, code, reported] of [
      [[], EXIT_CODES.usage.code, /--to http/],
      [['--to', '127.0.0.1:8000'], EXIT_CODES.usage.code, /starts with http/],
      [['--to', 'http://127.0.0.1:1', '--ca', 'x'], EXIT_CODES.usage.code, /--ca has no effect/],
      [['--to', 'http://127.0.0.1:1', '--out', used], EXIT_CODES.recording.code, /is not empty/],
      [
        ['--to', 'http://127.0.0.1:1', '--out', file],
        EXIT_CODES.recording.code,
        /part of its path is a file/,
      ],
      [['--to', 'http://127.0.0.1:1', '--file-size', '1kB'], EXIT_CODES.usage.code, /From 1MiB/],
    ] as const) {
      const capture = madeUpProcess(['capture', ...args]);
      expect(await capture.run(), args.join(' ')).toBe(code);
      expect(capture.stderr.text).toMatch(reported);
      expect(capture.stderr.text.trimEnd().split('\n')).toHaveLength(2);
    }
  });

  test('on a port that is taken reports it, and leaves its folder empty', async () => {
    using folder = temporaryDirectory();
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const args = ['capture', '--to', 'http://127.0.0.1:1', '--out', join(folder.path, 'capture')];
    const capture = madeUpProcess([...args, '--http', String(port)]);
    expect(await capture.run()).toBe(EXIT_CODES.addressInUse.code);
    expect(capture.stderr.text).toContain(`cannot listen on 127.0.0.1:${port}`);
    await new Promise(resolve => server.close(resolve));
    const again = madeUpProcess([...args, '--http', '0']);
    const running = again.run();
    await again.stdout.until(/Point your clients/);
    again.stop('SIGTERM');
    expect(await running).toBe(EXIT_CODES.ok.code);
  });
});
