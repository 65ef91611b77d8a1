// Which deadline of a request in flight has passed, and when one is cancelled on purpose.

import type { LoopTimers } from '../../../clock/loop-timers.ts';
import type { LoadTimeouts } from '../../../core/run/load-request.ts';
import type { EndKind } from '../../arena/load-record.ts';

interface WaitingReply {
  readonly sentNs: number;
  /** NO_READ: no byte has come. */
  readonly lastReadNs: number;
  /** When the head of an error came; NO_READ: it has not, or the reply is a success. */
  readonly errorNs: number;
}

export interface PassedDeadline {
  readonly kind: EndKind;
  readonly detail: string;
}

export const passedDeadline = (
  { firstByteMs, idleMs, totalMs }: LoadTimeouts,
  { sentNs, lastReadNs, errorNs }: WaitingReply,
  nowNs: number,
): PassedDeadline | undefined => {
  if (nowNs - sentNs > totalMs * 1e6) return { kind: 'timeout-total', detail: `no end within ${totalMs} ms` };
  if (lastReadNs === NO_READ) {
    return nowNs - sentNs > firstByteMs * 1e6
      ? { kind: 'timeout-first-byte', detail: `no byte of the reply within ${firstByteMs} ms` }
      : undefined;
  }
  if (errorNs !== NO_READ && nowNs - errorNs > ERROR_BODY_MS_MAX * 1e6)
    return { kind: 'truncated', detail: `the error has no end within ${ERROR_BODY_MS_MAX} ms` };
  return nowNs - lastReadNs > idleMs * 1e6
    ? { kind: 'timeout-idle', detail: `no byte for ${idleMs} ms` }
    : undefined;
};

/**
 * METRICS §2: the server had closed an idle connection before it could have received the request, as shown by the
 * round-trip time. A server that closes later has received the request, and the failure is its own.
 */
export const isClosedBeforeReceipt = (
  { sentNs, lastReadNs }: Pick<WaitingReply, 'sentNs' | 'lastReadNs'>,
  nowNs: number,
  roundTripNs: number,
): boolean => lastReadNs === NO_READ && nowNs - sentNs <= STALE_MS_MAX * 1e6 + roundTripNs;

/** One timer for each connection, armed for each request that is to be cancelled. */
export class CancelTimer {
  readonly #nowNs: () => number;
  readonly #timers: LoopTimers;
  readonly #cancel: (nowNs: number) => void;
  #timer: Disposable | undefined;
  #atNs = 0;

  constructor(
    { nowNs, timers }: { readonly nowNs: () => number; readonly timers: LoopTimers },
    cancel: (nowNs: number) => void,
  ) {
    this.#nowNs = nowNs;
    this.#timers = timers;
    this.#cancel = cancel;
  }

  /** Below 0: it is not armed. */
  arm(sentNs: number, afterMs: number): void {
    if (afterMs < 0) return;
    this.#atNs = sentNs + afterMs * 1e6;
    this.#timer = this.#timers.after(afterMs, this.#due);
  }

  clear(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /** Timers count from the turn of the loop in which they were set, so that one may fire a little early. */
  readonly #due = (): void => {
    const nowNs = this.#nowNs();
    if (nowNs >= this.#atNs) this.#cancel(nowNs);
    else this.#timer = this.#timers.after(1, this.#due);
  };
}

export const NO_READ = -1;
/**
 * Limits in docs/limits.md. The status of an error is known from its head: its body may take this long, and this many
 * bytes.
 */
const ERROR_BODY_MS_MAX = 2_000;
export const ERROR_BODY_BYTES_MAX = 65_536;
/** How long a busy server may take to close a connection. */
const STALE_MS_MAX = 50;
