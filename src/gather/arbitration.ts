// Which source is used when several report the same reading, by one rule: of two in the list of gatherers the upper one
// is preferred, and used while it is current. The other is not even started until the preferred one fails, reports nothing for a
// while, or reports that it has nothing here; then it is used instead, with the reason in its readings, and stops as soon as the
// preferred one reports again.

import type { Clock } from '../clock/clock.ts';
import { readingKey } from '../core/node/gathered.ts';
import { type Reading, readingVendor } from '../core/node/reading.ts';
import { STALE_INTERVALS } from '../core/node/reading-view.ts';
import { type Unknown, unknown } from '../core/unknown.ts';
import type { GatheredKind, Gatherer } from './gatherer.ts';
import { poll } from './poll.ts';

/** Where readings are received. */
export interface ReadingSink {
  reading(gatherer: Gatherer, source: string, reading: Reading): void;
  /** `code`: as of `Unknown`. */
  failure(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string, code?: string): void;
  /** Nothing to report on this machine. */
  absence(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void;
}

/** No source counts as silent sooner than this, ms: drivers and starting tools may be slow. */
export const SILENT_MS_MIN = 15_000;
export const SILENCE_CHECK_MS = 5_000;

export class Arbitration implements ReadingSink {
  readonly #sink: ReadingSink;
  readonly #clock: Clock;
  /** The sources of a kind of reading, by its key; preferred ones first. */
  readonly #contests = new Map<string, readonly Contender[]>();
  readonly #activations = new Map<Gatherer, Activation>();

  constructor(gatherers: readonly Gatherer[], parts: { readonly clock: Clock; readonly sink: ReadingSink }) {
    this.#clock = parts.clock;
    this.#sink = parts.sink;
    for (const gatherer of gatherers) {
      for (const kind of gatherer.reports) {
        const key = readingKey(kind);
        this.#contests.set(key, [...(this.#contests.get(key) ?? []), { gatherer, key, standing: IDLE }]);
      }
    }
  }

  /**
   * Waits until this gatherer is needed. The returned signal aborts with `signal`, and when a better source reports
   * each kind that the gatherer covers. @throws the signal's reason, when it aborts.
   */
  async activation(gatherer: Gatherer, signal: AbortSignal): Promise<AbortSignal> {
    signal.throwIfAborted();
    const activation = new Activation();
    this.#activations.set(gatherer, activation);
    this.#updateActivations();
    await activation.whenActive(signal);
    for (const contender of this.#contendersOf(gatherer)) {
      if (contender.standing.kind === 'idle') contender.standing = this.#seenUntil('awaited', gatherer);
    }
    return AbortSignal.any([signal, activation.deactivated]);
  }

  /** Why a better source does not report, while this gatherer replaces it. */
  fallbackReason(gatherer: Gatherer): Unknown | undefined {
    for (const contender of this.#contendersOf(gatherer)) {
      const failed = this.#betterThan(contender).find(isFailed);
      if (failed !== undefined) return failed.standing.why;
    }
    return undefined;
  }

  reading(gatherer: Gatherer, source: string, reading: Reading): void {
    const key = readingKey({ reading: reading.kind, vendor: readingVendor(reading) });
    const contender = this.#contender(gatherer, key);
    const better = this.#betterThan(contender);
    const wasCurrent = contender.standing.kind === 'current';
    contender.standing = this.#seenUntil('current', gatherer);
    if (better.some(isLeft)) return;
    if (!wasCurrent) this.#updateActivations();
    const failed = better.find(isFailed);
    this.#sink.reading(
      gatherer,
      failed === undefined ? source : `${source}, instead of ${failed.standing.source}`,
      reading,
    );
  }

  failure(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string, code?: string): void {
    this.#contender(gatherer, readingKey(kind)).standing = {
      kind: 'failed',
      source,
      why: unknown(reason, code),
    };
    this.#reportIfNobodyIsLeft(kind);
  }

  absence(gatherer: Gatherer, kind: GatheredKind, source: string, reason: string): void {
    this.#contender(gatherer, readingKey(kind)).standing = { kind: 'absent', source, why: unknown(reason) };
    this.#reportIfNobodyIsLeft(kind);
  }

  /** The gatherer has ended for good: what it has not reported is not available from it. */
  ended(gatherer: Gatherer): void {
    for (const kind of gatherer.reports) {
      const contender = this.#contender(gatherer, readingKey(kind));
      if (isAbsent(contender)) continue;
      contender.standing = { kind: 'ended' };
      this.#reportIfNobodyIsLeft(kind);
    }
  }

  /** Until the signal aborts: replaces sources that fall silent, if another is left. */
  async watch(signal: AbortSignal): Promise<void> {
    if ([...this.#contests.values()].every(contenders => contenders.length < 2)) return;
    await poll({ clock: this.#clock, signal }, SILENCE_CHECK_MS, () => {
      const nowMs = this.#clock.nowMs();
      for (const contenders of this.#contests.values()) {
        for (const contender of contenders) {
          const { gatherer, standing } = contender;
          if (!('untilMs' in standing) || nowMs < standing.untilMs) continue;
          const seconds = Math.round(silentMs(gatherer) / 1_000);
          const why = unknown(`${gatherer.name} has reported nothing for ${seconds} s`, 'no-answer');
          contender.standing = { kind: 'failed', source: gatherer.name, why };
        }
      }
      this.#updateActivations();
    });
  }

  #reportIfNobodyIsLeft(kind: GatheredKind): void {
    const contenders = this.#contests.get(readingKey(kind)) ?? [];
    this.#updateActivations();
    if (contenders.some(isLeft)) return;
    const failed = contenders.filter(isFailed);
    const reported = failed[0] ?? contenders.findLast(isAbsent);
    if (reported === undefined) return;
    const { gatherer, standing } = reported;
    const { source, why } = standing;
    if (standing.kind === 'failed')
      this.#sink.failure(gatherer, kind, source, joinedReasons(failed), why.code);
    else this.#sink.absence(gatherer, kind, source, why.reason);
  }

  /** A gatherer is needed if no better one is left for one of its kinds. */
  #updateActivations(): void {
    for (const [gatherer, activation] of this.#activations) {
      const contenders = this.#contendersOf(gatherer);
      if (contenders.some(contender => !this.#betterThan(contender).some(isLeft))) activation.activate();
      else if (activation.deactivate()) {
        // Its earlier status does not matter: it may try again when it is needed next.
        for (const contender of contenders) if (!isOver(contender)) contender.standing = IDLE;
      }
    }
  }

  #seenUntil(kind: 'awaited' | 'current', gatherer: Gatherer): Standing {
    return { kind, untilMs: this.#clock.nowMs() + silentMs(gatherer) };
  }

  #betterThan(contender: Contender): readonly Contender[] {
    const contenders = this.#contests.get(contender.key) ?? [];
    return contenders.slice(0, contenders.indexOf(contender));
  }

  #contendersOf(gatherer: Gatherer): readonly Contender[] {
    return gatherer.reports.map(kind => this.#contender(gatherer, readingKey(kind)));
  }

  #contender(gatherer: Gatherer, key: string): Contender {
    const contender = this.#contests.get(key)?.find(candidate => candidate.gatherer === gatherer);
    if (contender === undefined)
      throw new Error(`${gatherer.name} does not declare that it reports "${key}"`);
    return contender;
  }
}

/** One turn of a gatherer: it waits until needed, and works until replaced. */
class Activation {
  readonly #activated = Promise.withResolvers<void>();
  readonly #deactivation = new AbortController();
  #isActive = false;

  get deactivated(): AbortSignal {
    return this.#deactivation.signal;
  }

  activate(): void {
    this.#isActive = true;
    this.#activated.resolve();
  }

  /** Whether it was at work until now. */
  deactivate(): boolean {
    const wasActive = this.#isActive && !this.#deactivation.signal.aborted;
    if (wasActive) this.#deactivation.abort();
    return wasActive;
  }

  /** @throws the signal's reason, when it aborts. */
  async whenActive(signal: AbortSignal): Promise<void> {
    const resolve = (): void => this.#activated.resolve();
    signal.addEventListener('abort', resolve, { once: true });
    await this.#activated.promise;
    signal.removeEventListener('abort', resolve);
    signal.throwIfAborted();
  }
}

/** A gatherer in one of the kinds that it reports. */
interface Contender {
  readonly gatherer: Gatherer;
  readonly key: string;
  standing: Standing;
}

type Standing =
  /** Not started yet, or not since a better one reported. */
  | { readonly kind: 'idle' }
  /** Started; it has until `untilMs` for its first report, or the next one. */
  | { readonly kind: 'awaited' | 'current'; readonly untilMs: number }
  | (AgentReply & { readonly kind: 'failed' })
  | (AgentReply & { readonly kind: 'absent' })
  | { readonly kind: 'ended' };

interface AgentReply {
  readonly source: string;
  readonly why: Unknown;
}
type Failed = Contender & { standing: AgentReply & { readonly kind: 'failed' } };
type Absent = Contender & { standing: AgentReply & { readonly kind: 'absent' } };

const isLeft = ({ standing }: Contender): boolean =>
  standing.kind === 'idle' || standing.kind === 'awaited' || standing.kind === 'current';

/** It has nothing here, for good. */
const isOver = ({ standing }: Contender): boolean => standing.kind === 'absent' || standing.kind === 'ended';

const isFailed = (contender: Contender): contender is Failed => contender.standing.kind === 'failed';
const isAbsent = (contender: Contender): contender is Absent => contender.standing.kind === 'absent';

const silentMs = ({ intervalMs }: Gatherer): number => Math.max(SILENT_MS_MIN, STALE_INTERVALS * intervalMs);

/** A reason that two of them give appears once. */
const joinedReasons = (failed: readonly Failed[]): string => {
  const reasons = new Map(failed.map(({ standing: { why, source } }) => [why.reason, source]));
  if (reasons.size === 1) return failed[0]?.standing.why.reason ?? '';
  return [...reasons].map(([reason, source]) => `${source}: ${reason}`).join('; ');
};

const IDLE: Standing = { kind: 'idle' };
