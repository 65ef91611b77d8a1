// The prompts of a run as they arrive from its coordinator, part by part, until a request speaks of them.

import { isUnknown } from '../../core/unknown.ts';
import type { AgentRequest } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import type { Dataset } from '../dataset/prompt.ts';
import type { FilePart } from '../fleet/file-parts.ts';
import { PartReader } from '../fleet/file-parts.ts';
import { datasetOfLines } from '../fleet/travelling-request.ts';

export class ArrivingDataset {
  readonly #parts = new PartReader();
  #texts: Buffer[] = [];
  #bytes = 0;
  #dataset: Dataset | undefined;

  /** @throws DecodeError for a part that is wrong, or one too many. */
  async take(part: FilePart): Promise<void> {
    const text = await this.#parts.read(part);
    this.#bytes += text.length;
    if (this.#bytes > DATASET_BYTES_MAX) throw new DecodeError('a data set that is too large');
    this.#texts.push(text);
  }

  /** undefined where prompts are generated. @throws DecodeError when it has not come; BenchError `input`. */
  for({ dataset }: AgentRequest): Dataset | undefined {
    if (isUnknown(dataset)) return undefined;
    if (!this.#parts.isOver) throw new DecodeError('the data set of the request was not sent');
    this.#dataset ??= datasetOfLines(dataset.description, Buffer.concat(this.#texts).toString('utf8'));
    this.#texts = [];
    return this.#dataset;
  }
}

/** Like that of a file of prompts. */
const DATASET_BYTES_MAX: number = 256 * 1024 * 1024;
