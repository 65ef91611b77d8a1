// Reports a comparison by pairs to the daemon of this machine: its start, its progress at each change and at least
// every two seconds, and its end once. Each segment is also a run, which announces itself.

import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import {
  comparisonEnd,
  findingsOfComparison,
  reportedComparison,
  reportedPairs,
} from '../../core/comparison/reported-comparison.ts';
import { type ContactOptions, DaemonContact } from './daemon-contact.ts';
import { SWEEP_REPEAT_MS, SWEEP_UPDATE_MS } from './sweep-reporter.ts';

interface ComparisonAnnounceOptions extends ContactOptions {
  /** The document at this moment. */
  readonly document: ComparisonDocument;
  /** Absolute path of the directory with comparison.json. */
  readonly directory: string;
}

/** Starts when it receives a document; never throws: the daemon is looked for in the background. */
export class ComparisonReporter implements AsyncDisposable {
  readonly #options: ComparisonAnnounceOptions;
  readonly #contact: DaemonContact;
  #document: ComparisonDocument;
  #reported = '';
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #ending: Promise<void> | undefined;

  constructor(options: ComparisonAnnounceOptions) {
    this.#options = options;
    this.#document = options.document;
    this.#contact = new DaemonContact(options, {
      path: '/api/comparisons',
      id: options.document.id,
      start: () => ({
        comparisonId: options.document.id,
        ...reportedComparison(this.#document, options.directory),
      }),
      turn: () => this.#turn(),
      turnMs: SWEEP_UPDATE_MS,
      onAnnounced: () => {
        this.#reported = '';
      },
    });
  }

  start(): void {
    this.#contact.start();
  }

  /** Passes on the current document, as often as there is news; sent at most once a second. */
  update(document: ComparisonDocument): void {
    this.#document = document;
  }

  /** Sends the document as it was last written. Resolves when the daemon has it, or three seconds have passed. */
  end(document: ComparisonDocument): Promise<void> {
    const { a, b } = reportedComparison(document, this.#options.directory);
    this.#ending ??= this.#contact.end({
      comparisonId: document.id,
      a,
      b,
      ...findingsOfComparison(document),
      ...comparisonEnd(document),
    });
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#contact[Symbol.asyncDispose]();
  }

  async #turn(): Promise<void> {
    const body = {
      comparisonId: this.#document.id,
      ...findingsOfComparison(this.#document),
      ...reportedPairs(this.#document),
    };
    const json = JSON.stringify(body);
    const nowMs = this.#options.clock.nowMs();
    if (json === this.#reported && nowMs - this.#reportedAtMs < SWEEP_REPEAT_MS) return;
    this.#reportedAtMs = nowMs;
    if (await this.#contact.report('PUT', '/progress', body)) this.#reported = json;
  }
}
