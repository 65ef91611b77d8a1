// Starts the mock as a child process: for `plimsoll mock`'s users of code, the demo, benchmarks and tests.

import type { Env } from '../process/child.ts';
import { entryUrl } from '../process/entry.ts';
import { type OwnProcessExit, startOwnProcess } from '../process/own-process.ts';
import { MockError, type MockOptions, mockSettings } from './mock-settings.ts';

export interface MockProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Never rejects. */
  readonly exited: Promise<OwnProcessExit>;
  stop(): Promise<void>;
}

interface SpawnMockOptions {
  /** process.execPath */
  readonly nodePath: string;
  readonly env: Env;
  /** Ends the start, not the mock. */
  readonly signal?: AbortSignal;
}

/** @throws MockError for an invalid option or a silent child; OwnProcessError when the child cannot start. */
export const spawnMock = async (
  options: MockOptions,
  { nodePath, env, signal = new AbortController().signal }: SpawnMockOptions,
): Promise<MockProcess> => {
  mockSettings(options); // an invalid option is reported here, not by a dying child
  const child = await startOwnProcess({
    entry: entryUrl(import.meta.url, './mock-process.ts'),
    args: [JSON.stringify(options)],
    nodePath,
    env,
    readyTimeoutMs: READY_MS_MAX,
    signal,
  });
  const { ready } = child;
  const url = typeof ready === 'object' && ready !== null && 'url' in ready ? ready.url : undefined;
  if (typeof url !== 'string') {
    await child.kill();
    throw new MockError('did-not-start', 'the mock did not report its address');
  }
  const stop = async (): Promise<void> => {
    await child.stop(STOP_GRACE_MS);
  };
  return { url, pid: child.pid, exited: child.exited, stop, [Symbol.asyncDispose]: stop };
};

const READY_MS_MAX = 10_000;
const STOP_GRACE_MS = 2_000;
