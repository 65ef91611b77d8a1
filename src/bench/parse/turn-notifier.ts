// Which turn a sample is, and what is reported to a load thread when it has ended.

import { parseAnyJson } from '../../core/json.ts';
import { type EndedSample, OUTSIDE_WINDOWS } from '../../core/run/ended-sample.ts';
import type { SessionHistory } from '../../core/run/run-shape.ts';
import type { SampleTurn } from '../../core/run/session-outcome.ts';
import type { KeptAnswer, TurnResult } from '../arena/load-record.ts';
import { TurnTable } from '../schedule/turn-table.ts';
import {
  ANSWER_CHARACTERS_MAX,
  type AnswerParts,
  type AnswerText,
  type CalledTool,
} from '../target/api/answer-parts.ts';
import type { ReplyReader } from '../target/reply-reader.ts';
import type { TokensPerRequest } from './tokens-per-request.ts';

export class TurnNotifier {
  readonly #table: TurnTable;
  readonly #keeps: Uint8Array;
  readonly #history: SessionHistory;
  readonly #results: readonly (readonly string[])[] | undefined;
  readonly #firstSampleId: number;
  readonly #report: (result: TurnResult, transfer: readonly ArrayBuffer[]) => void;

  constructor(
    { table, keeps, history, results }: NonNullable<TokensPerRequest['turns']>,
    firstSampleId: number,
    report: (result: TurnResult, transfer: readonly ArrayBuffer[]) => void,
  ) {
    this.#table = new TurnTable(table);
    this.#keeps = new Uint8Array(keeps);
    this.#history = history;
    this.#results = results;
    this.#firstSampleId = firstSampleId;
    this.#report = report;
  }

  /** undefined: it is a warm-up request. */
  turnOf(sampleId: number): SampleTurn | undefined {
    if (sampleId < this.#firstSampleId) return undefined;
    const position = this.#table.positionOf(sampleId - this.#firstSampleId);
    return { ...position, turns: this.#table.turnsOf(position.session) };
  }

  /** For a server that stores the history only the id is needed. */
  keepsAnswer(sampleId: number): boolean {
    return this.#history === 'client' && this.#isContinued(sampleId);
  }

  #resultsOf(sampleId: number): readonly string[] {
    return this.#results?.[this.#table.dataTurnOf(sampleId - this.#firstSampleId)] ?? [];
  }

  #isContinued(sampleId: number): boolean {
    if (sampleId < this.#firstSampleId) return false;
    return this.#keeps[this.#table.dataTurnOf(sampleId - this.#firstSampleId)] === 1;
  }

  ended(
    { sampleId, sentNs, endNs, outcome }: EndedSample,
    { answer, parts, answerId }: Pick<ReplyReader, 'answer' | 'parts' | 'answerId'>,
  ): void {
    if (sampleId < this.#firstSampleId) return;
    const kept =
      outcome !== 'completed'
        ? NOT_KEPT
        : this.#history === 'client'
          ? keptOf(answer, parts, this.#resultsOf(sampleId))
          : this.#isContinued(sampleId)
            ? keptId(answerId)
            : NOT_KEPT;
    this.#report(
      { sampleId, sentNs, endNs, isCompleted: outcome === 'completed', answer: kept },
      kept.kind === 'kept' ? [kept.bytes.buffer] : [],
    );
  }
}

/** For a turn that will never be issued. */
export const windowOf = (isWarmup: boolean): number => (isWarmup ? OUTSIDE_WINDOWS : 0);

const keptOf = (
  answer: AnswerText | undefined,
  parts: AnswerParts | undefined,
  results: readonly string[],
): KeptAnswer => {
  if (answer === undefined || !answer.isKept) return NOT_KEPT;
  if (answer.isTooLong || parts?.isTooLong === true) return { kind: 'too-long' };
  return keptBytes(answerFields(answer.text, parts?.calls ?? [], results));
};

const keptId = (id: string): KeptAnswer => {
  if (id === '') return { kind: 'no-id' };
  return id.length > ANSWER_CHARACTERS_MAX
    ? { kind: 'too-long' }
    : keptBytes(JSON.stringify(id).slice(1, -1));
};

const keptBytes = (text: string): KeptAnswer => ({ kind: 'kept', bytes: new TextEncoder().encode(text) });

const NOT_KEPT: KeptAnswer = { kind: 'not-kept' };

// An answer as the next request of its conversation repeats it: the fields of its message, followed by a result for
// each tool call. Strict servers refuse a call without a result, and a result without a call.

/**
 * The JSON between the braces of an assistant's message, followed by further messages.
 * @param results that the data set has for the recorded answer, in the order of its calls: the last is used for
 * further calls
 */
const answerFields = (text: string, calls: readonly CalledTool[], results: readonly string[]): string => {
  if (calls.length === 0) {
    const reported = `"content":${JSON.stringify(text)}`;
    // Without a tool call, the user states what the tools would have returned.
    return results.length === 0
      ? reported
      : `${reported}},{"role":"user","content":${JSON.stringify(results.join('\n\n'))}`;
  }
  const ids = calls.map(({ id }, index) => id || `call_${index}`);
  const called = calls.map(({ name, argumentsText }, index) => ({
    id: ids[index],
    type: 'function',
    // Templates parse it: servers refuse invalid JSON although their model wrote it.
    function: { name, arguments: parseAnyJson(argumentsText) === undefined ? '{}' : argumentsText },
  }));
  const content = text === '' ? null : text;
  const answered = ids.map(
    (id, index) =>
      `},{"role":"tool","tool_call_id":${JSON.stringify(id)},"content":${JSON.stringify(results[index] ?? results.at(-1) ?? '')}`,
  );
  return `"content":${JSON.stringify(content)},"tool_calls":${JSON.stringify(called)}${answered.join('')}`;
};
