// Reads the server's own metrics over a separate connection: once before the first request and once after the last
// reply, so that the increase of its counters is the work of the run, and once a second in between. A page that is
// slow or large is read less often, so that reading costs at most a hundredth of the main thread; one without figures
// is not requested again.

import { type Clock, pause } from '../../clock/clock.ts';
import { serverEngine } from '../../core/engine/server-engines.ts';
import { recordOf } from '../../core/record-of.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import {
  SERVER_FIGURE_KEYS,
  type ServerFigures,
  type ServerMoment,
  type ServerReading,
  serverFigureRow,
} from '../../core/run/server-reading.ts';
import { isUnknown, type Unknown, unknown } from '../../core/unknown.ts';
import { fetchText, type TextAnswer } from '../target/fetch-text.ts';
import { readSlots } from '../target/llama-slots.ts';
import type { HeaderField, TargetServer } from '../target/load-target.ts';
import { readServerFigures } from '../target/server-metrics.ts';
import type { LoadCounts } from '../threads/load-generator.ts';

export interface ServerWatchOptions {
  readonly server: TargetServer;
  readonly headers: readonly HeaderField[];
  /** Path of the metrics page. */
  readonly path: string;
  /** Path of the list of slots, if the server has one. */
  readonly slotsPath: string | undefined;
  readonly clock: Clock;
  /** Since the run's zero. */
  readonly nowNs: () => number;
  readonly counts: () => LoadCounts;
  readonly onReading: (reading: ServerReading) => void;
  /** Called when a server that has reported before did not: nothing is known about that moment. */
  readonly missed: (atNs: number) => void;
}

/** Whether it is worth a request: an unknown kind may have metrics. */
export const mayReportMetrics = (serverKind: string | Unknown): boolean =>
  isUnknown(serverKind) || serverEngine(serverKind)?.counts.includes('/metrics') === true;

export class ServerWatch {
  readonly #options: ServerWatchOptions;
  /** It has no page of metrics: not requested again. */
  #hasNone = false;
  #hasAnswered = false;
  /** `--no-slots`, or not llama.cpp. */
  #hasNoSlots = false;
  #spentMs = 0;
  #lastProblem = 'the run ended before its first answer';

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  /** Why there is no reading of it; undefined: there is one. */
  get nothing(): Unknown | undefined {
    return this.#hasAnswered ? undefined : unknown(this.#lastProblem);
  }

  /** Reads before the first measured request, after those of the warm-up. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#settled('start', false, signal);
  }

  /** Reads until the signal, while the load runs. */
  async watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let misses = 0; !signal.aborted && !this.#hasNone; ) {
      const figures = await this.#read('load', signal);
      misses = figures === undefined ? misses + 1 : 0;
      if (figures === undefined && this.#hasAnswered && !signal.aborted)
        this.#options.missed(this.#options.nowNs());
      // A server that has reported before may be restarting.
      if (misses >= MISSES_MAX && !this.#hasAnswered) return;
      await pause(clock, Math.min(INTERVAL_MS_MAX, Math.max(INTERVAL_MS, this.#spentMs * 100)), signal);
    }
  }

  /**
   * Reads after the last reply.
   * @param isHurried one reading, because the user is waiting for the end of the run
   */
  async end(isHurried: boolean, signal: AbortSignal): Promise<void> {
    if (this.#hasAnswered) await this.#settled('end', isHurried, signal);
  }

  /**
   * Some servers count a request only after they have sent the end of its reply. Reads until two readings have the
   * same counters and the server is idle (if it serves requests of others: until five have), for `SETTLE_MS_MAX` at
   * most. The last reading counts.
   */
  async #settled(moment: ServerMoment, isHurried: boolean, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const fromMs = clock.nowMs();
    let last: ServerFigures | undefined;
    for (let same = 0; !signal.aborted; ) {
      const figures = await this.#figures(signal);
      const isSame = figures !== undefined && last !== undefined && isSameCount(last, figures);
      same = isSame ? same + 1 : 0;
      last = figures ?? last;
      const isSettled = last !== undefined && same >= (isIdle(last) ? 1 : SAME_READINGS_BUSY);
      // A server that does not reply at all must not delay the run.
      const isSilent = last === undefined && moment === 'start';
      if (isSettled || isSilent || isHurried || this.#hasNone || clock.nowMs() - fromMs >= SETTLE_MS_MAX)
        break;
      await pause(clock, SETTLE_MS, signal);
    }
    this.#report(moment, last);
  }

  async #read(moment: ServerMoment, signal: AbortSignal): Promise<ServerFigures | undefined> {
    const { ended } = this.#options.counts();
    const figures = await this.#figures(signal);
    // Its counters changed between request and reply: none of our requests can have been in flight then.
    this.#report(moment, figures, ended);
    return figures;
  }

  #report(moment: ServerMoment, figures: ServerFigures | undefined, endedBefore?: number): void {
    const { counts, nowNs, onReading: reported } = this.#options;
    if (figures === undefined) return;
    const { issued, ended } = counts();
    reported({ ...figures, atNs: nowNs(), moment, inFlight: issued - (endedBefore ?? ended) });
  }

  async #slots(signal: AbortSignal): Promise<ReturnType<typeof readSlots>> {
    const { server, headers, slotsPath } = this.#options;
    if (slotsPath === undefined || this.#hasNoSlots || signal.aborted) return undefined;
    const answer = await fetchText({ server, path: slotsPath, headers, timeoutMs: ANSWER_MS, signal }).catch(
      () => undefined,
    );
    if (answer?.kind !== 'answer') return undefined;
    const slots = answer.status === 200 ? readSlots(answer.text) : undefined;
    this.#hasNoSlots = slots === undefined;
    return slots;
  }

  async #figures(signal: AbortSignal): Promise<ServerFigures | undefined> {
    const { server, headers, path, clock } = this.#options;
    if (this.#hasNone || signal.aborted) return undefined;
    const answer = await fetchText({ server, path, headers, timeoutMs: ANSWER_MS, signal }).catch(
      () => undefined,
    );
    if (answer !== undefined) this.#lastProblem = problemOf(path, answer);
    if (answer?.kind !== 'answer') return undefined;
    const fromMs = clock.nowMs();
    const page = answer.status === 200 ? readServerFigures(answer.text) : undefined;
    this.#spentMs = clock.nowMs() - fromMs;
    const figures = withSlots(page, await this.#slots(signal));
    // A page that had figures before may be a gateway's error page while the server restarts.
    if (figures === undefined && !this.#hasAnswered) this.#hasNone = true;
    else if (figures !== undefined) this.#hasAnswered = true;
    return figures;
  }
}

/** Error for a reply without figures. A query may contain a key: it is left out. */
const problemOf = (path: string, answer: TextAnswer): string => {
  const [page = path] = path.split('?');
  if (answer.kind !== 'answer') return `GET ${page} failed: ${answer.reason}`;
  return answer.status === 200
    ? `GET ${page} returned no known metrics`
    : `GET ${page} returned status ${answer.status}`;
};

/** Slots replace figures that a page does not have, or a page that is switched off. */
const withSlots = (
  page: ServerFigures | undefined,
  slots: ReturnType<typeof readSlots>,
): ServerFigures | undefined => {
  if (slots === undefined) return page;
  const base = page ?? recordOf(SERVER_FIGURE_KEYS, () => NO_FIGURE);
  return {
    ...base,
    running: base.running === NO_FIGURE ? slots.running : base.running,
    kvUsage: base.kvUsage === NO_FIGURE ? slots.kvUsage : base.kvUsage,
  };
};

const isIdle = ({ running, waiting }: ServerFigures): boolean => running <= 0 && waiting <= 0;

const isSameCount = (one: ServerFigures, other: ServerFigures): boolean =>
  SERVER_FIGURE_KEYS.every(key => serverFigureRow(key).kind === 'gauge' || one[key] === other[key]);

const INTERVAL_MS = 1_000;
const INTERVAL_MS_MAX = 30_000;
const ANSWER_MS = 2_000;
/** A busy server may miss some. */
const MISSES_MAX = 3;
/** Limits in docs/limits.md. */
const SETTLE_MS = 100;
const SAME_READINGS_BUSY = 4;
const SETTLE_MS_MAX = 3_000;
