// What systemd is told by a service of Type=notify: that it is ready, that it still lives, that it stops (sd_notify(3)). The
// program systemd-notify tells it, because Node opens no datagram sockets of files; it is there wherever systemd is.

import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/until-aborted.ts';
import { type Env, runTool } from './child.ts';

interface ServiceNotify extends AsyncDisposable {
  /** Undefined: it was told, or nobody asks. Else why not, in a few words. */
  readonly ready: (status: string) => Promise<string | undefined>;
}

export interface ServiceNotifyOptions {
  readonly env: Env;
  /** When the service begins to stop, which is told too. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** Hears why no sign of life got through, once until one does again. */
  readonly onUntold: (reason: string) => void;
}

export const serviceNotify = ({ env, stop, clock, onUntold }: ServiceNotifyOptions): ServiceNotify => {
  const isAsked = (env['NOTIFY_SOCKET'] ?? '') !== '';
  const tell = async (...words: readonly string[]): Promise<string | undefined> => {
    const signal = new AbortController().signal;
    const told = await runTool(TOOL, words, { env, signal, timeoutMs: TELL_TIMEOUT_MS });
    if (told.kind !== 'exited') return told.reason;
    return told.code === 0 ? undefined : `${TOOL} exited with code ${told.code}: ${told.stderr.trim()}`;
  };
  const isOver = new AbortController();
  let signs: Promise<void> = Promise.resolve();
  let farewell: Promise<unknown> = Promise.resolve();
  const stopping = (): void => {
    isOver.abort();
    farewell = tell('STOPPING=1');
  };
  // From the daemon's own event loop: one that hangs says nothing, and is started anew. A single failure is made up for by the
  // next sign.
  const giveSigns = async (everyMs: number): Promise<void> => {
    let wasTold = true;
    for (let sentMs = clock.nowMs(); ; ) {
      await pause(clock, Math.max(0, sentMs + everyMs - clock.nowMs()), isOver.signal);
      if (isOver.signal.aborted) return;
      sentMs = clock.nowMs();
      const problem = await tell('WATCHDOG=1');
      if (problem !== undefined && wasTold) onUntold(problem);
      wasTold = problem === undefined;
    }
  };
  return {
    ready: async status => {
      if (!isAsked || stop.aborted) return undefined;
      stop.addEventListener('abort', stopping, { once: true });
      const problem = await tell('READY=1', `STATUS=${status}`);
      const everyMs = watchdogMs(env);
      if (problem === undefined && everyMs !== undefined) signs = giveSigns(everyMs / SIGNS_OF_LIFE);
      return problem;
    },
    [Symbol.asyncDispose]: async () => {
      isOver.abort();
      stop.removeEventListener('abort', stopping);
      await Promise.all([signs, farewell]);
    },
  };
};

/** WatchdogSec of the unit, as systemd passes it on. */
const watchdogMs = (env: Env): number | undefined => {
  const micros = Number(env['WATCHDOG_USEC']);
  return Number.isSafeInteger(micros) && micros > 0 ? micros / 1_000 : undefined;
};

const TOOL = 'systemd-notify';
const TELL_TIMEOUT_MS = 5_000;
/** sd_watchdog_enabled(3) recommends two an interval; with three one may be lost. */
const SIGNS_OF_LIFE = 3;
