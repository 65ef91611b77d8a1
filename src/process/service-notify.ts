// What systemd is told by a service of Type=notify: that it is ready, that it still lives, that it stops (sd_notify(3)). The
// program systemd-notify tells it, because Node opens no datagram sockets of files; it is there wherever systemd is.

import type { Env } from './child.ts';
import { runTool } from './child.ts';

export interface ServiceNotify extends AsyncDisposable {
  /** Undefined: it was told, or nobody asks. Else why not, in a few words. */
  readonly ready: (status: string) => Promise<string | undefined>;
}

/** @param stop when the service begins to stop, which is told too. */
export const serviceNotify = (env: Env, stop: AbortSignal): ServiceNotify => {
  const isAsked = (env['NOTIFY_SOCKET'] ?? '') !== '';
  const tell = async (...words: readonly string[]): Promise<string | undefined> => {
    const signal = new AbortController().signal;
    const told = await runTool(TOOL, words, { env, signal, timeoutMs: TELL_TIMEOUT_MS });
    if (told.kind !== 'exited') return told.reason;
    return told.code === 0 ? undefined : `${TOOL} exited with code ${told.code}: ${told.stderr.trim()}`;
  };
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const stopping = (): void => {
    clearInterval(timer);
    last = tell('STOPPING=1');
  };
  return {
    ready: async status => {
      if (!isAsked || stop.aborted) return undefined;
      stop.addEventListener('abort', stopping, { once: true });
      const problem = await tell('READY=1', `STATUS=${status}`);
      const everyMs = watchdogMs(env);
      if (problem !== undefined || everyMs === undefined || stop.aborted) return problem;
      // From the daemon's own event loop: one that hangs says nothing, and is started anew. A single failure is made up for by
      // the next sign.
      timer = setInterval(() => {
        last = tell('WATCHDOG=1');
      }, everyMs / SIGNS_OF_LIFE);
      return undefined;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      stop.removeEventListener('abort', stopping);
      await last;
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
