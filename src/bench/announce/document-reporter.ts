// Reports a document that consists of runs, a sweep, a search or a comparison, to the daemon of this machine: its start,
// what is new at each change and at least every two seconds, and its end once. Each of its runs announces itself too.
// Updates are conflated. What differs between kinds is a row.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import {
  comparisonEnd,
  findingsOfComparison,
  reportedComparison,
  reportedPairs,
} from '../../core/comparison/reported-comparison.ts';
import { DOCUMENT_KINDS } from '../../core/document/document-kinds.ts';
import type { PlainUpdate } from '../../core/document/plain-document.ts';
import { shortName } from '../../core/run/run-digest.ts';
import type { Stage } from '../../core/sweep/stage.ts';
import { STAGES_REPORTED_AT_ONCE_MAX } from '../../core/sweep/sweep.ts';
import { lineOf, sweepEndOf, sweepHeadDigest } from '../../core/sweep/sweep-digest.ts';
import { LINE_SCHEMA, type LineDocument, type SweepDocument } from '../../core/sweep/sweep-document.ts';
import { unknown } from '../../core/unknown.ts';
import { type PlainReport, plainStart } from '../../render/document/plain-kind.ts';
import { type ContactOptions, DaemonContact } from './daemon-contact.ts';

/** One body about what is new, and the parts that the daemon has when it has accepted it. */
interface ProgressMessage {
  readonly body: object;
  /** Number of a part to its content. */
  readonly parts?: readonly (readonly [number: number, json: string])[];
}

/** The row of a kind. */
export interface ReportedKind<D> {
  readonly path: string;
  readonly id: (document: D) => string;
  readonly start: (document: D, directory: string) => object;
  /** At least one message. @param sent the parts that the daemon has */
  readonly progress: (document: D, sent: ReadonlyMap<number, string>) => readonly ProgressMessage[];
  readonly end: (document: D, directory: string) => object;
  /** Whether its end contains no parts, so that those must arrive before it. */
  readonly hasParts: boolean;
}

interface DocumentAnnounceOptions<D> extends ContactOptions {
  /** The document at this moment. */
  readonly document: D;
  /** Absolute path of the directory with its file. */
  readonly directory: string;
}

const UPDATE_MS = 1_000;
/** A daemon that received nothing for this long gets the state again, so that it does not take it for lost, ms. */
const REPEAT_MS = 2_000;

/** Starts at once and never throws: the daemon is looked for in the background. */
export class DocumentReporter<D> implements AsyncDisposable {
  readonly #kind: ReportedKind<D>;
  readonly #options: DocumentAnnounceOptions<D>;
  readonly #contact: DaemonContact;
  readonly #sent = new Map<number, string>();
  #document: D;
  #isNew = true;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #ending: Promise<void> | undefined;

  constructor(kind: ReportedKind<D>, options: DocumentAnnounceOptions<D>) {
    this.#kind = kind;
    this.#options = options;
    this.#document = options.document;
    this.#contact = new DaemonContact(options, {
      path: kind.path,
      id: kind.id(options.document),
      start: () => kind.start(this.#document, options.directory),
      turn: () => this.#turn(),
      turnMs: UPDATE_MS,
      onAnnounced: () => {
        this.#sent.clear();
        this.#isNew = true;
      },
    });
    this.#contact.start();
  }

  /** Passes on the whole current document, as often as there is news; sent at most once a second. */
  update(document: D): void {
    this.#document = document;
    this.#isNew = true;
  }

  /** Sends the document as it was last written. Resolves when the daemon has it, or three seconds have passed. */
  end(document: D): Promise<void> {
    this.#document = document;
    const { end, hasParts } = this.#kind;
    this.#ending ??= this.#contact.end(
      end(document, this.#options.directory),
      hasParts ? () => this.#report() : undefined,
    );
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#contact[Symbol.asyncDispose]();
  }

  async #turn(): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    if (!this.#isNew && nowMs - this.#reportedAtMs < REPEAT_MS) return;
    this.#isNew = false;
    this.#reportedAtMs = nowMs;
    if (!(await this.#report())) this.#isNew = true;
  }

  /** @returns whether all messages were accepted */
  async #report(): Promise<boolean> {
    for (const { body, parts = [] } of this.#kind.progress(this.#document, this.#sent)) {
      if (!(await this.#contact.report('PUT', '/progress', body))) return false;
      for (const [number, json] of parts) this.#sent.set(number, json);
    }
    return true;
  }
}

export const REPORTED_COMPARISON: ReportedKind<ComparisonDocument> = {
  path: DOCUMENT_KINDS.comparison.path,
  id: ({ id }) => id,
  start: (document, directory) => ({
    comparisonId: document.id,
    ...reportedComparison(document, directory),
  }),
  progress: document => [
    { body: { comparisonId: document.id, ...findingsOfComparison(document), ...reportedPairs(document) } },
  ],
  end: (document, directory) => {
    const { a, b } = reportedComparison(document, directory);
    return { comparisonId: document.id, a, b, ...findingsOfComparison(document), ...comparisonEnd(document) };
  },
  hasParts: false,
};

export const REPORTED_PLAIN: ReportedKind<PlainReport> = {
  path: DOCUMENT_KINDS.document.path,
  id: ({ document }) => document.id,
  start: plainStart,
  progress: report => [{ body: plainUpdate(report) }],
  end: report => {
    const { state, reason } = report.document;
    return { ...plainUpdate(report), state, reason };
  },
  hasParts: false,
};

const plainUpdate = ({ document, load, result }: PlainReport): PlainUpdate => ({
  documentId: document.id,
  load,
  result,
});

/** A stage is sent again when it has changed, or when the daemon has no record of it. */
export const REPORTED_SWEEP: ReportedKind<SweepDocument | LineDocument> = {
  path: DOCUMENT_KINDS.sweep.path,
  id: ({ id }) => id,
  start: (document, directory) => ({ sweepId: document.id, ...sweepHeadDigest(document, directory) }),
  progress: (document, sent) => {
    const changed = document.stages
      .map(shortStage)
      .map(stage => ({ stage, json: JSON.stringify(stage) }))
      .filter(({ stage, json }) => sent.get(stage.number) !== json);
    return inMessages(changed).map(stages => ({
      body: {
        sweepId: document.id,
        ...lineOf(document),
        stages: stages.map(({ stage }) => stage),
        progress:
          (document.schema === LINE_SCHEMA ? document.progress : undefined) ?? unknown('not planned ahead'),
      },
      parts: stages.map(({ stage, json }) => [stage.number, json] as const),
    }));
  },
  end: document => ({
    sweepId: document.id,
    model: shortName(document.model),
    ...sweepEndOf(document),
    ...lineOf(document),
  }),
  hasParts: true,
};

/** As many as it takes, at least one. */
const inMessages = <S extends { readonly json: string }>(stages: readonly S[]): readonly (readonly S[])[] => {
  const messages: S[][] = [[]];
  let bytes = 0;
  for (const stage of stages) {
    const message = messages.at(-1) ?? [];
    bytes += Buffer.byteLength(stage.json);
    const isFull = message.length >= STAGES_REPORTED_AT_ONCE_MAX || bytes > STAGES_REPORTED_BYTES_MAX;
    if (message.length === 0 || !isFull) message.push(stage);
    else {
      messages.push([stage]);
      bytes = Buffer.byteLength(stage.json);
    }
  }
  return messages;
};

/** A stage with its sentences and objectives shortened, so that there is room for its figures. */
const shortStage = (stage: Stage): Stage => ({
  ...stage,
  reasons: stage.reasons.slice(0, REASONS_MAX).map(reason => reason.slice(0, REASON_LENGTH_MAX)),
});

/** Limit of the stages in one message, as JSON; a request body may have 64 KiB. */
const STAGES_REPORTED_BYTES_MAX: number = 48 * 1024;
const REASONS_MAX = 8;
const REASON_LENGTH_MAX = 500;
