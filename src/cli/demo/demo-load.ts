// The load of the demo: the mock in one process, benchmarks of it in another. Both end with us.

import { untilAborted } from '../../clock/until-aborted.ts';
import { errorMessage } from '../../core/problem.ts';
import { spawnMock } from '../../mock/spawn-mock.ts';
import { entryUrl } from '../../process/entry.ts';
import { startOwnProcess } from '../../process/own-process.ts';
import type { ProcessState } from '../process-state.ts';

/** Until the signal aborts. Neither process is needed for the cluster to show: a failure is told and no more. */
export const runDemoLoad = async (
  { nodePath, env, stderr }: ProcessState,
  home: string,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await using mock = await spawnMock(MOCK, { nodePath, env, signal });
    await using bench = await startOwnProcess({
      entry: entryUrl(import.meta.url, './demo-bench-process.ts'),
      args: [mock.url, home],
      nodePath,
      env,
      readyTimeoutMs: READY_MS_MAX,
      signal,
    });
    await Promise.race([untilAborted(signal), mock.exited, bench.exited]);
    if (!signal.aborted)
      await stderr.write('plimsoll: the benchmark of the demo ended; the cluster goes on.\n');
  } catch (error) {
    if (signal.aborted) return;
    const reason = errorMessage(error);
    await stderr.write(`plimsoll: the demo goes on without its benchmark: ${reason}\n`);
  }
};

/** A model of middling size: 80 ms to the first token, then about 80 tokens a second. */
const MOCK = { port: 0, models: ['demo-model'], ttftMs: 80, gapMs: 12, jitter: 0.3, outputTokens: 90 };
const READY_MS_MAX = 15_000;
