// Reads what the server tells of itself while a run goes on, once a second, on a connection of its own. A page that is slow or
// large is asked for less often, so that the reading costs at most a hundredth of the main thread; one without figures is not
// asked for again.

import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import type { ServerReading } from '../../core/run/server-reading.ts';
import type { Unknown } from '../../core/unknown.ts';
import { isUnknown } from '../../core/unknown.ts';
import { askText } from '../target/ask-text.ts';
import type { HeaderField, TargetServer } from '../target/load-target.ts';
import { readServerFigures } from '../target/server-metrics.ts';
import type { LoadCounts } from '../threads/load-generator.ts';

export interface ServerWatchOptions {
  readonly server: TargetServer;
  readonly headers: readonly HeaderField[];
  readonly clock: Clock;
  /** Since the run's zero. */
  readonly nowNs: () => number;
  readonly counts: () => LoadCounts;
  readonly told: (reading: ServerReading) => void;
}

/** Whether it is worth a question: a kind that is not known may. */
export const mayTellMetrics = (serverKind: string | Unknown): boolean =>
  isUnknown(serverKind) || TELLING_KINDS.has(serverKind);

/** Until the signal. */
export const watchServer = async (options: ServerWatchOptions, signal: AbortSignal): Promise<void> => {
  const { server, headers, clock, nowNs, counts, told } = options;
  for (let misses = 0; !signal.aborted && misses < MISSES_MAX; ) {
    const { ended } = counts();
    const answer = await askText({ server, path: '/metrics', headers, timeoutMs: ANSWER_MS, signal }).catch(
      () => undefined,
    );
    if (answer === undefined) return;
    const fromMs = clock.nowMs();
    const figures =
      answer.kind === 'answer' && answer.status === 200 ? readServerFigures(answer.text) : undefined;
    const spentMs = clock.nowMs() - fromMs;
    if (figures === undefined) misses += answer.kind === 'answer' ? MISSES_MAX : 1;
    else {
      misses = 0;
      // Whatever the server counted, it did between question and answer: no more of ours can have been in flight then.
      told({ ...figures, atNs: nowNs(), inFlight: counts().issued - ended });
    }
    await pause(clock, Math.min(INTERVAL_MS_MAX, Math.max(INTERVAL_MS, spentMs * 100)), signal);
  }
};

const TELLING_KINDS: ReadonlySet<string> = new Set(['vLLM', 'SGLang', 'llama.cpp', 'TGI', 'Plimsoll mock']);
const INTERVAL_MS = 1_000;
const INTERVAL_MS_MAX = 30_000;
const ANSWER_MS = 2_000;
/** A server that is busy may miss some. */
const MISSES_MAX = 3;
