// Notifies systemd for a service of Type=notify: that it is ready, that it is alive, that it stops
// (sd_notify(3)). The program systemd-notify does it, because Node opens no datagram sockets of files; it
// exists wherever systemd does.

import { type Clock, pause } from '../clock/clock.ts';
import { type Env, runTool } from './child.ts';

interface ServiceNotify extends AsyncDisposable {
  /**
   * Undefined: systemd was notified, or does not expect it. Otherwise the reason for the failure, in a few
   * words.
   */
  readonly ready: (status: string) => Promise<string | undefined>;
}

export interface ServiceNotifyOptions {
  readonly env: Env;
  /** Aborts when the service starts to stop, of which systemd is notified too. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** Called with the reason if a sign of life failed, once until one succeeds again. */
  readonly onUnreported: (reason: string) => void;
}

export const serviceNotify = ({ env, stop, clock, onUnreported }: ServiceNotifyOptions): ServiceNotify => {
  const isRequested = (env['NOTIFY_SOCKET'] ?? '') !== '';
  const report = async (...args: readonly string[]): Promise<string | undefined> => {
    const signal = new AbortController().signal;
    const reported = await runTool(TOOL, args, { env, signal, timeoutMs: REPORT_TIMEOUT_MS });
    if (reported.kind !== 'exited') return reported.reason;
    return reported.code === 0
      ? undefined
      : `${TOOL} exited with code ${reported.code}: ${reported.stderr.trim()}`;
  };
  const isOver = new AbortController();
  let signs: Promise<void> = Promise.resolve();
  let shutdown: Promise<unknown> = Promise.resolve();
  const stopping = (): void => {
    isOver.abort();
    shutdown = report('STOPPING=1');
  };
  // From the daemon's own event loop: one that hangs sends nothing, and is restarted. A single failure is
  // made up for by the next sign.
  const giveSigns = async (everyMs: number): Promise<void> => {
    let wasReported = true;
    for (let sentMs = clock.nowMs(); ; ) {
      await pause(clock, Math.max(0, sentMs + everyMs - clock.nowMs()), isOver.signal);
      if (isOver.signal.aborted) return;
      sentMs = clock.nowMs();
      const problem = await report('WATCHDOG=1');
      if (problem !== undefined && wasReported) onUnreported(problem);
      wasReported = problem === undefined;
    }
  };
  return {
    ready: async status => {
      if (!isRequested || stop.aborted) return undefined;
      stop.addEventListener('abort', stopping, { once: true });
      const problem = await report('READY=1', `STATUS=${status}`);
      const everyMs = watchdogMs(env);
      if (problem === undefined && everyMs !== undefined) signs = giveSigns(everyMs / SIGNS_OF_LIFE);
      return problem;
    },
    [Symbol.asyncDispose]: async () => {
      isOver.abort();
      stop.removeEventListener('abort', stopping);
      await Promise.all([signs, shutdown]);
    },
  };
};

/** WatchdogSec of the unit, as passed by systemd. */
const watchdogMs = (env: Env): number | undefined => {
  const micros = Number(env['WATCHDOG_USEC']);
  return Number.isSafeInteger(micros) && micros > 0 ? micros / 1_000 : undefined;
};

const TOOL = 'systemd-notify';
const REPORT_TIMEOUT_MS = 5_000;
/** sd_watchdog_enabled(3) recommends two per interval; with three one may be lost. */
const SIGNS_OF_LIFE = 3;
