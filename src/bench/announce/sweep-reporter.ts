// Reports a sweep or a search for a load line to the daemon of this machine: its start, its stages as they change and
// at least every two seconds, and its end once. Each stage is also a run, which announces itself. Updates are
// conflated; a stage is sent again when it has changed, or when the daemon has no record of it.

import { shortName } from '../../core/run/run-digest.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import { STAGES_REPORTED_AT_ONCE_MAX, type SweepUpdate } from '../../wire/sweep-digest-schema.ts';
import { type ContactOptions, DaemonContact } from './daemon-contact.ts';

interface SweepAnnounceOptions extends ContactOptions {
  /** The document at this moment; `stages` may be empty. */
  readonly document: SweepDocument | LineDocument;
  /** Absolute path of the directory with sweep.json or line.json. */
  readonly directory: string;
}

export interface SweepAnnouncement extends AsyncDisposable {
  /** Passes on the whole current document, as often as there is news; sent at most once a second. */
  update(document: SweepDocument | LineDocument): void;
  /** Sends the document as it was last written. Resolves when the daemon has it, or three seconds have passed. */
  end(document: SweepDocument | LineDocument): Promise<void>;
}

/**
 * Resolves at once; the daemon is looked for in the background. Never throws. The runs of the stages carry `sweep:
 * {sweepId, stage}` in their own announcements.
 */
export const announceSweep = async (options: SweepAnnounceOptions): Promise<SweepAnnouncement> => {
  const reporter = new SweepReporter(options);
  reporter.start();
  return reporter;
};

export const SWEEP_UPDATE_MS = 1_000;
/**
 * A daemon that received nothing for this long gets the state again, so that it does not take the search for lost,
 * ms.
 */
export const SWEEP_REPEAT_MS = 2_000;
/** Limit of the stages in one message, as JSON; a request body may have 64 KiB. */
const STAGES_REPORTED_BYTES_MAX: number = 48 * 1024;

class SweepReporter implements SweepAnnouncement {
  readonly #options: SweepAnnounceOptions;
  readonly #contact: DaemonContact;
  /** Number of a stage to what was sent of it, as JSON. */
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

  /** Sends as many messages as it takes, at least one. @returns whether all were accepted */
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

/** A stage with its sentences and objectives shortened, so that there is room for its figures. */
const shortStage = (stage: Stage): Stage => ({
  ...stage,
  reasons: stage.reasons.slice(0, REASONS_MAX).map(reason => reason.slice(0, REASON_LENGTH_MAX)),
});

const REASONS_MAX = 8;
const REASON_LENGTH_MAX = 500;
