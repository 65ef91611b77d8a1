import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { freePort } from '../../support/free-port.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { documentFaults } from '../../support/published-schema.ts';

describe('plimsoll probe', () => {
  test('serve and link measure between two machines that share nothing but a code', async () => {
    const port = await freePort();
    const serve = madeUpProcess(['probe', 'serve', '--port', String(port)], {
      env: { PLIMSOLL_FFI: 'off' },
    });
    const serving = serve.run();
    await serve.stdout.until(/--code \S+/);
    const [, code = ''] = /--code (\S+)/.exec(serve.stdout.text) ?? [];
    const link = madeUpProcess([
      ...['probe', 'link', `127.0.0.1:${port}`, '--code', code.toLowerCase().replaceAll('-', '')],
      ...['--bytes-max', '50MB', '--json'],
    ]);
    expect([await link.run(), link.stderr.text]).toEqual([EXIT_CODES.ok.code, '']);
    const document: unknown = JSON.parse(link.stdout.text);
    expect(await documentFaults(document)).toEqual([]);
    expect(document).toMatchObject({
      host: '127.0.0.1',
      port,
      outcome: {
        kind: 'measured',
        measurement: {
          uploadBitsPerSecond: expect.any(Number),
          downloadBitsPerSecond: expect.any(Number),
          roundTripNsP50: expect.any(Number),
          engine: 'socket-event-loop',
          method: expect.stringContaining('the other end on the event loop: PLIMSOLL_FFI is off'),
        },
      },
    });
    await serve.stdout.until(/measured: \S+.* received(.|\n)*--code/); // and a new code
    const again = madeUpProcess(['probe', 'link', `127.0.0.1:${port}`, '--code', code]);
    expect(await again.run()).toBe(EXIT_CODES.probeFailed.code);
    expect(again.stderr.text).toContain('does not accept the code');
    serve.stop('SIGINT');
    expect(await serving).toBe(EXIT_CODES.ok.code);
  });

  test('serve reports that strangers came, at once and without an end to its waiting', async () => {
    const serve = madeUpProcess(['probe', 'serve']);
    const serving = serve.run();
    await serve.stdout.until(/--code \S+/);
    const port = Number(/on port (\d+)/.exec(serve.stdout.text)?.[1]);
    const strangers = Array.from({ length: 40 }, () =>
      connect(port, '127.0.0.1', function (this: Socket) {
        this.end('GET / HTTP/1.1\r\n\r\n'.padEnd(100, '.'));
      })
        .on('error', () => undefined)
        .resume(),
    );
    await serve.stdout.until(/Refused \d+ connections? without the code\. Still waiting\.\n/);
    for (const stranger of strangers) stranger.destroy();
    serve.stop('SIGINT');
    expect(await serving).toBe(EXIT_CODES.ok.code);
  });

  test('link reports in two lines what is missing or wrong', async () => {
    for (const [args, reported] of [
      [['10.0.0.2'], /the code of 10\.0\.0\.2 is missing\n.*probe serve/],
      [['atlas:4183', '--code', 'nonsense'], /--code: "nonsense" is not a code/],
      [['[fe80::1%en3]:4183'], /is missing/],
      [['10.0.0.2', '--code', '7QKF-M2XW-9TBD', '--bytes-max', '5B'], /out of range/],
    ] as const) {
      const link = madeUpProcess(['probe', 'link', ...args]);
      expect(await link.run()).toBe(EXIT_CODES.usage.code);
      expect(link.stderr.text).toMatch(reported);
      expect(link.stderr.text.trimEnd().split('\n')).toHaveLength(2);
    }
  });

  test('serve on a port that is taken reports it', async () => {
    const server = createServer();
    await new Promise<void>(resolve => server.listen(0, '::', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const serve = madeUpProcess(['probe', 'serve', '--port', String(port)]);
    expect(await serve.run()).toBe(EXIT_CODES.addressInUse.code);
    expect(serve.stderr.text).toContain(`port ${port}`);
    await new Promise(resolve => server.close(resolve));
  });
});
