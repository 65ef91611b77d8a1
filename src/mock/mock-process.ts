// The mock in a separate process, so it shares no event loop with the client under test. Its options are one argument
// of JSON; when it listens it prints the address on one line, and it exits with its parent.

import process from 'node:process';
import { untilAborted } from '../clock/clock.ts';
import { reportParent, watchParent } from '../process/parent-watch.ts';
import { startMock } from './mock-server.ts';
import { MockError, readMockSettings } from './mock-settings.ts';

const [optionsJson = '{}', ...flags] = process.argv.slice(2);

/** Exit codes of this entry: 0 stopped, 1 cannot serve, 2 wrong options. */
const run = async (): Promise<number> => {
  const options = readOptions(optionsJson);
  if (options === undefined) return 2;
  const stop = stopSignal();
  const mock = await startMock(options);
  const ready = { url: mock.url, pid: process.pid };
  reportParent(process.env, ready);
  process.stdout.on('error', () => undefined); // it may go unread
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  await untilAborted(stop);
  await mock.stop();
  return 0;
};

const readOptions = (json: string): Parameters<typeof startMock>[0] | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    process.stderr.write('the first argument is the options as JSON\n');
    return undefined;
  }
  const result = readMockSettings(value);
  if (result.kind === 'ok') return result.settings;
  process.stderr.write(`${result.key ?? 'options'}: ${result.problem}\n`);
  return undefined;
};

const stopSignal = (): AbortSignal => {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop.abort());
  const watch = watchParent(process.env);
  if (watch.kind === 'watching') {
    if (watch.signal.aborted) stop.abort();
    watch.signal.addEventListener('abort', () => stop.abort(), { once: true });
  }
  if (flags.includes('--with-parent')) {
    for (const event of ['end', 'close', 'error']) process.stdin.on(event, () => stop.abort());
    process.stdin.resume();
  }
  return stop.signal;
};

try {
  process.exitCode = await run();
} catch (error) {
  if (!(error instanceof MockError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
// Nothing is left to do; a client slow to disconnect must not keep the process alive.
process.exit();
