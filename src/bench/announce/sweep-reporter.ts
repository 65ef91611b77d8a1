// Tells the daemon of this machine about a sweep or a search for a load line: its start, its stages as they change and at
// least every two seconds, and its end once. Each stage is a run besides, and announces itself. Updates are conflated; of what
// is told a stage goes again when it has changed, or when a daemon knows nothing of it.

import { shortName } from '../../core/run/run-digest.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import { STAGES_REPORTED_AT_ONCE_MAX, type SweepUpdate } from '../../wire/sweep-digest-schema.ts';
import { type ContactOptions, DaemonContact } from './daemon-contact.ts';

interface SweepAnnounceOptions extends ContactOptions {
  /** As it is now; `stages` may be empty. */
  readonly document: SweepDocument | LineDocument;
  /** Absolute: where sweep.json or line.json lies. */
  readonly directory: string;
}

export interface SweepAnnouncement extends AsyncDisposable {
  /** Hands over what is known now, whole, as often as there is news; sent at most once a second. */
  update(document: SweepDocument | LineDocument): void;
  /** With the document as it was written last. Resolves when the daemon knows, or could not be told within three seconds. */
  end(document: SweepDocument | LineDocument): Promise<void>;
}

/**
 * Resolves at once; whether there is a daemon is found out in the background. Never throws.
 * Give the runs of the stages `sweep: {sweepId, stage}` in their own announcements.
 */
export const announceSweep = async (options: SweepAnnounceOptions): Promise<SweepAnnouncement> => {
  const reporter = new SweepReporter(options);
  reporter.start();
  return reporter;
};

export const SWEEP_UPDATE_MS = 1_000;
/** A daemon that hears nothing for this long is told again, so that it knows that the search goes on. */
export const SWEEP_REPEAT_MS = 2_000;
/** Of the stages in one message, as JSON; a request body may have 64 KiB. */
const STAGES_REPORTED_BYTES_MAX: number = 48 * 1024;

class SweepReporter implements SweepAnnouncement {
  readonly #options: SweepAnnounceOptions;
  readonly #contact: DaemonContact;
  /** Number of a stage to what was told of it, as JSON. */
  readonly #reported = new Map<number, string>();
  #document: SweepDocument | LineDocument;
  #isNew = true;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #ending: Promise<void> | undefined;

  constructor(options: SweepAnnounceOptions) {
    this.#options = options;
    this.#document = options.document;
    this.#contact = new DaemonContact(options, {
      path: '/api/sweeps',
      id: options.document.id,
      start: () => ({ sweepId: options.document.id, ...sweepHeadDigest(this.#document, options.directory) }),
      turn: () => this.#turn(),
      turnMs: SWEEP_UPDATE_MS,
      onAnnounced: () => {
        this.#reported.clear();
        this.#isNew = true;
      },
    });
  }

  start(): void {
    this.#contact.start();
  }

  update(document: SweepDocument | LineDocument): void {
    this.#document = document;
    this.#isNew = true;
  }

  end(document: SweepDocument | LineDocument): Promise<void> {
    this.#ending ??= this.#end(document);
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#contact[Symbol.asyncDispose]();
  }

  async #turn(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (!this.#isNew && nowMs - this.#reportedAtMs < SWEEP_REPEAT_MS) return;
    this.#isNew = false;
    this.#reportedAtMs = nowMs;
    if (!(await this.#reportStages(this.#document))) this.#isNew = true;
  }

  #end(document: SweepDocument | LineDocument): Promise<void> {
    this.#document = document;
    const body = {
      sweepId: document.id,
      model: shortName(document.model),
      ...sweepEndOf(document),
      ...lineOf(document),
    };
    return this.#contact.end(body, () => this.#reportStages(document));
  }

  /** In as many messages as it takes, at least one; whether all were taken. */
  async #reportStages(document: SweepDocument | LineDocument): Promise<boolean> {
    let changed = changedStages(document.stages, this.#reported);
    do {
      const { reported, later } = nextMessage(changed);
      if (!(await this.#contact.report('PUT', '/progress', updateOf(document, reported)))) return false;
      for (const { number, json } of reported) this.#reported.set(number, json);
      changed = later;
    } while (changed.length > 0);
    return true;
  }
}

interface ReportedStage {
  readonly number: number;
  readonly stage: Stage;
  readonly json: string;
}

const changedStages = (
  stages: readonly Stage[],
  reported: ReadonlyMap<number, string>,
): readonly ReportedStage[] =>
  stages
    .map(shortStage)
    .map(stage => ({ number: stage.number, stage, json: JSON.stringify(stage) }))
    .filter(({ number, json }) => reported.get(number) !== json);

const nextMessage = (
  stages: readonly ReportedStage[],
): { readonly reported: readonly ReportedStage[]; readonly later: readonly ReportedStage[] } => {
  let bytes = 0;
  const end = stages.findIndex(({ json }, index) => {
    bytes += Buffer.byteLength(json);
    return index > 0 && (index >= STAGES_REPORTED_AT_ONCE_MAX || bytes > STAGES_REPORTED_BYTES_MAX);
  });
  return end === -1
    ? { reported: stages, later: [] }
    : { reported: stages.slice(0, end), later: stages.slice(end) };
};

const updateOf = (
  document: SweepDocument | LineDocument,
  reported: readonly ReportedStage[],
): Omit<SweepUpdate, 'sweepId'> & { readonly sweepId: string } => ({
  sweepId: document.id,
  ...lineOf(document),
  stages: reported.map(({ stage }) => stage),
  progress: (document.schema === LINE_SCHEMA ? document.progress : undefined) ?? unknown('not planned ahead'),
});

/** Its sentences and objectives at lengths that leave room for its figures. */
const shortStage = (stage: Stage): Stage => ({
  ...stage,
  reasons: stage.reasons.slice(0, REASONS_MAX).map(reason => reason.slice(0, REASON_LENGTH_MAX)),
});

const REASONS_MAX = 8;
const REASON_LENGTH_MAX = 500;
