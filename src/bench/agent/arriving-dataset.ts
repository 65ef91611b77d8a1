// The prompts of a run as they arrive from its coordinator, part by part, until a request refers to them.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { pushAll } from '../../core/push-all.ts';
import type { AgentRequest } from '../../wire/agent-request.ts';
import { DecodeError } from '../../wire/decode-error.ts';
import type { Dataset, Prompt } from '../dataset/prompt.ts';
import { type FilePart, PartReader } from '../fleet/file-parts.ts';
import { datasetOf, promptsOfLines, sentBudget } from '../fleet/travelling-request.ts';

export class ArrivingDataset {
  readonly #parts = new PartReader('agentDataset');
  #texts: Buffer[] = [];
  #dataset: Dataset | undefined;

  /** @throws DecodeError for an invalid part, or one too many. */
  async take(part: FilePart): Promise<void> {
    this.#texts.push(await this.#parts.read(part));
  }

  /** Parses `linesFor` in turns of the event loop. @throws as `linesFor`; BenchError `input`; the signal's reason. */
  async for(requested: AgentRequest, signal: AbortSignal): Promise<Dataset | undefined> {
    const sent = this.linesFor(requested);
    if (sent === undefined) return undefined;
    this.#dataset ??= await datasetInTurns(sent.description, Buffer.from(sent.lines), signal);
    return this.#dataset;
  }

  /** undefined if prompts are generated. @throws DecodeError if it has not arrived. */
  linesFor({ dataset }: AgentRequest): SentLines | undefined {
    if (dataset === undefined) return undefined;
    if (!this.#parts.isOver) throw new DecodeError('the data set of the request was not sent');
    if (this.#texts.length > 1) this.#texts = [Buffer.concat(this.#texts)];
    return { description: dataset.description, lines: this.#texts[0] ?? new Uint8Array() };
  }
}

interface SentLines {
  readonly description: string;
  /** UTF-8. */
  readonly lines: Uint8Array;
}

/** Pings and a `stop` are answered between two turns. */
const datasetInTurns = async (description: string, bytes: Buffer, signal: AbortSignal): Promise<Dataset> => {
  const prompts: Prompt[] = [];
  const budget = sentBudget();
  let line = 1;
  for (let at = 0; at < bytes.length; ) {
    const cut = bytes.length - at <= TURN_BYTES ? bytes.length : bytes.indexOf(NEWLINE, at + TURN_BYTES) + 1;
    const end = cut === 0 ? bytes.length : cut;
    const read = promptsOfLines(bytes.toString('utf8', at, end), line, budget);
    pushAll(prompts, read.prompts);
    line = read.nextLine;
    at = end;
    await nextTurn();
    signal.throwIfAborted();
  }
  return datasetOf(description, prompts);
};

/** About 10 ms of parsing. */
const TURN_BYTES = 1_048_576;
const NEWLINE = 10;
