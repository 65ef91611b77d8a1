// Comparisons that the dashboard asks for: two finished runs of this machine, compared in a thread, one after the other and each
// once; and those that `plimsoll compare` wrote into the home.

import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../clock/clock.ts';
import type { ComparisonDocument } from '../../core/comparison/comparison-document.ts';
import { isRunId, type RunId } from '../../core/ids.ts';
import { errorCode } from '../../core/problem.ts';
import type { ReportEnvironment } from '../../core/run/report.ts';
import { shellCommand } from '../../core/text/shell-words.ts';
import { unknown } from '../../core/unknown.ts';
import { COMPARISON_FILES, readStored } from '../../metrics/stored-file.ts';
import { entryUrl } from '../../process/entry.ts';
import type { ListedComparison } from '../../wire/api/comparison-answers.ts';
import type { CompareWork, CompareWorkResult } from './compare-worker.ts';
import { runsFolder } from './run-reports.ts';

interface RunComparisonsParts {
  readonly clock: Clock;
  readonly home: string;
  readonly version: string;
  /** Where a run of this node keeps its files; undefined: it is not known here. */
  readonly directoryOf: (runId: RunId) => string | undefined;
}

export class RunComparisons {
  readonly #parts: RunComparisonsParts;
  /** By both ids, of what was compared; what is in work is kept too, so that nobody works twice. */
  readonly #known = new Map<string, Promise<CompareWorkResult>>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(parts: RunComparisonsParts) {
    this.#parts = parts;
  }

  /** 'busy': too many wait already. */
  async compare(a: RunId, b: RunId): Promise<CompareWorkResult | 'busy' | 'elsewhere'> {
    const [ofA, ofB] = [this.#parts.directoryOf(a), this.#parts.directoryOf(b)];
    if (ofA === undefined || ofB === undefined) return 'elsewhere';
    const key = `${a} ${b}`;
    const known = this.#known.get(key);
    if (known !== undefined) return await known;
    if (this.#waiting >= WAITING_MAX) return 'busy';
    this.#waiting += 1;
    const result = this.#last.then(() => this.#work(key, { a: ofA, b: ofB, options: this.#options(a, b) }));
    this.#last = result.catch(() => undefined).finally(() => (this.#waiting -= 1));
    this.#known.set(key, result);
    const [oldest] = this.#known.keys();
    if (this.#known.size > KNOWN_MAX && oldest !== undefined) this.#known.delete(oldest);
    return await result;
  }

  /** Newest first, at most LISTED_MAX. */
  async list(): Promise<readonly ListedComparison[]> {
    const names = await readdir(runsFolder(this.#parts.home)).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      return [];
    });
    const found: ListedComparison[] = [];
    for (const name of names.filter(isRunId).sort().reverse().slice(0, LOOKED_MAX)) {
      const document = await this.read(name);
      if (document === undefined) continue;
      const { id, startedAt, state, mode, sentence, verdict } = document;
      found.push({ id, name: document.name, startedAt, state, mode, sentence, verdict });
      if (found.length >= LISTED_MAX) break;
    }
    return found;
  }

  /** Undefined where the home has none that can be read. */
  async read(id: string): Promise<ComparisonDocument | undefined> {
    if (!isRunId(id)) return undefined;
    const file = await readStored(join(runsFolder(this.#parts.home), id), COMPARISON_FILES);
    return file.kind === 'here' ? file.document : undefined;
  }

  #options(a: RunId, b: RunId): CompareWork['options'] {
    return {
      id: `${a}-${b}`.slice(0, ID_LENGTH_MAX),
      version: this.#parts.version,
      startedAt: new Date(this.#parts.clock.wallMs()).toISOString(),
      command: shellCommand`plimsoll compare --a ${a} --b ${b}`,
      environment: NO_ENVIRONMENT,
      name: unknown('not given'),
      tags: {},
      primary: undefined,
      margins: {},
      isAnyway: false,
      isSameModel: undefined,
    };
  }

  async #work(key: string, work: CompareWork): Promise<CompareWorkResult> {
    let result: CompareWorkResult | undefined;
    try {
      result = await workedOut(work);
      return result;
    } finally {
      // What failed or was refused may go well once its files are there or can be read.
      if (result?.kind !== 'compared') this.#known.delete(key);
    }
  }
}

const workedOut = async (work: CompareWork): Promise<CompareWorkResult> => {
  const worker = new Worker(entryUrl(import.meta.url, './compare-worker.ts'), {
    workerData: work,
    name: 'plimsoll compare',
  });
  try {
    const [result] = await once(worker, 'message', { signal: AbortSignal.timeout(WORK_MS_MAX) });
    return result;
  } finally {
    await worker.terminate();
  }
};

/** Each of two runs has its own. */
const NO_ENVIRONMENT: ReportEnvironment = {
  node: 'see the runs',
  os: '',
  cpu: '',
  cores: 0,
};
const KNOWN_MAX = 16;
const WAITING_MAX = 4;
const LOOKED_MAX = 4_096;
const LISTED_MAX = 50;
const WORK_MS_MAX = 60_000;
const ID_LENGTH_MAX = 64;
