// Sends the figures of this node to a receiver of OpenTelemetry, at intervals. One message at a time, made when it is sent: what
// an unavailable receiver misses is counted and not stored, because counters continue and an old gauge is of no use.

import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/until-aborted.ts';
import type { OtlpConfig } from '../../config/config.ts';
import { sendOtlp } from '../../report/otlp/otlp-sender.ts';
import type { OtlpAnswer } from '../../wire/api/daemon-answers.ts';
import type { LiveConfig } from '../live-config.ts';
import type { LocalNode } from '../local-node.ts';
import type { Notices } from '../notices.ts';
import { nodeTelemetry } from './node-telemetry.ts';

/** Longest pause between two messages to a receiver that takes none, ms. */
export const OTLP_BACKOFF_MS_MAX = 300_000;

interface TelemetryExportParts extends Pick<LocalNode, 'nodeId' | 'state'> {
  readonly clock: Clock;
  readonly notices: Pick<Notices, 'raise' | 'clear'>;
  readonly version: string;
  readonly settings: Pick<LiveConfig, 'onChange'> & { readonly config: { readonly otlp: OtlpConfig } };
  /** --otlp; undefined: the value in config.toml. */
  readonly endpoint: string | undefined;
}

export class TelemetryExport {
  readonly #parts: TelemetryExportParts;
  #counts: Omit<OtlpAnswer, 'endpoint'> = { sent: 0, dropped: 0, pointsLost: 0, problem: '' };
  /** Messages in a row that were given up. */
  #failures = 0;

  constructor(parts: TelemetryExportParts) {
    this.#parts = parts;
  }

  /** Undefined while nothing is to be sent. */
  get status(): OtlpAnswer | undefined {
    const { endpoint } = this.#settings;
    return endpoint === undefined ? undefined : { endpoint, ...this.#counts };
  }

  get #settings(): OtlpConfig {
    const { endpoint, settings } = this.#parts;
    return endpoint === undefined ? settings.config.otlp : { ...settings.config.otlp, endpoint };
  }

  /** Until the abort; resolves then. Another receiver in config.toml is taken up at once. */
  async run(until: AbortSignal): Promise<void> {
    let changed = new AbortController();
    const unsubscribe = this.#parts.settings.onChange(() => changed.abort());
    try {
      while (!until.aborted) {
        changed = new AbortController();
        const round = AbortSignal.any([until, changed.signal]);
        await pause(this.#parts.clock, this.#pauseMs(), round);
        if (!round.aborted) await this.#send(round);
        if (round.aborted) this.#restart();
      }
    } finally {
      unsubscribe();
    }
  }

  #pauseMs(): number {
    const { intervalMs } = this.#settings;
    return Math.max(intervalMs, Math.min(intervalMs * 2 ** this.#failures, OTLP_BACKOFF_MS_MAX));
  }

  #restart(): void {
    this.#failures = 0;
    this.#parts.notices.clear(NOTICE);
    this.#counts = { ...this.#counts, problem: '' };
  }

  async #send(signal: AbortSignal): Promise<void> {
    const { clock, nodeId, state, version } = this.#parts;
    const { endpoint, compression } = this.#settings;
    if (endpoint === undefined) return;
    const moment = { nodeId, version, nowMs: clock.nowMs(), wallMs: clock.wallMs() };
    const { message, leftOut } = nodeTelemetry(state(), moment);
    if (message === undefined) return;
    try {
      const { sent, dropped, rejected, problem } = await sendOtlp(endpoint, [message], {
        clock,
        signal,
        compression,
      });
      this.#counts = {
        sent: this.#counts.sent + sent,
        dropped: this.#counts.dropped + dropped,
        pointsLost: this.#counts.pointsLost + leftOut + rejected,
        problem: problem ?? '',
      };
      this.#failures = dropped === 0 ? 0 : this.#failures + 1;
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#counts = { ...this.#counts, dropped: this.#counts.dropped + 1 };
    }
    this.#report(endpoint);
  }

  /** The counts are in /api/daemon: a notice that changed with each message would be sent again each time. */
  #report(endpoint: string): void {
    const { notices } = this.#parts;
    const { problem } = this.#counts;
    if (problem === '') {
      notices.clear(NOTICE);
      return;
    }
    notices.raise({
      id: NOTICE,
      code: NOTICE,
      endpoint,
      problem: `Figures of this machine are not accepted: ${problem}`,
      advice:
        'Check the receiver of OTLP over HTTP there. The daemon retries; figures that it misses are not stored.',
    });
  }
}

const NOTICE = 'otlp-down';
