import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { madeUpProcess } from '../support/made-up-process.ts';

describe('plimsoll mock', () => {
  test('serves until it is stopped, and reports where', async () => {
    const mock = madeUpProcess(['mock', '--model', 'a,b', '--ttft', '1ms']);
    const running = mock.run();
    await mock.stdout.until(/http:\/\/127\.0\.0\.1:\d+/);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(mock.stdout.text) ?? [];
    expect(await (await fetch(`${url}/v1/models`)).text()).toContain('"id":"b"');
    expect(mock.stdout.text).toContain(`plimsoll bench ${url}`);
    mock.stop('SIGTERM');
    expect(await running).toBe(0);
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  test('with options that cannot be is refused, with what to write instead', async () => {
    for (const [args, reported] of [
      [['--fail', 'http-5000'], /--fail.*\n.*http-500/],
      [['--ttft', '50'], /--ttft.*\n.*500ms/],
      [['--events-per-write', '2', '--writes-per-event', '2'], /--events-per-write/],
      [['--fail-every', '3'], /--fail-every.*\n.*--fail any/],
      [['--concurency', '2'], /Did you mean --concurrency\?/],
    ] as const) {
      const mock = madeUpProcess(['mock', ...args]);
      expect(await mock.run()).toBe(EXIT_CODES.usage.code);
      expect(mock.stderr.text).toMatch(reported);
      expect(mock.stderr.text.trimEnd().split('\n')).toHaveLength(2);
    }
  });

  test('on a port that is taken reports it', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const mock = madeUpProcess(['mock', '--port', String(port)]);
    expect(await mock.run()).toBe(EXIT_CODES.addressInUse.code);
    expect(mock.stderr.text).toContain(`port ${port}`);
    await new Promise(resolve => server.close(resolve));
  });
});
