// The few figures of a line of samples.jsonl that a chart over time needs, read without parsing the line: a
// run may have millions of lines, and most of each is its chunk gaps.

import { Buffer } from 'node:buffer';
import type { SampleFailure } from '../core/run/ended-sample.ts';
import { NO_FIGURE } from '../core/run/event-record.ts';
import type { Outcome } from '../core/run/outcome.ts';
import { decodeSampleLine } from './sample-line.ts';
import { decodeVarints } from './varints.ts';

export interface SampleTimes {
  /** Whether it belongs to the measured phase. */
  readonly isTracked: boolean;
  readonly intendedNs: number;
  readonly sentNs: number;
  /** NO_FIGURE if no content arrived. */
  readonly firstContentNs: number;
  /** The server's time for the prompt, by its reply; NO_FIGURE if that does not report it. */
  readonly promptNs: number;
  readonly endNs: number;
  readonly outcome: Outcome;
  /** NO_FIGURE if the server reported none. */
  readonly outputTokens: number;
  readonly chunkCount: number;
  /** Packed as in the line, or unpacked: most samples are in one point, and theirs are not needed. */
  readonly chunkGapsNs: string | readonly number[];
  /** Only for a failed sample. */
  readonly failure: SampleFailure | undefined;
}

/** Undefined if it is not the line of a sample. */
export const decodeSampleTimes = (line: string): SampleTimes | undefined => {
  const match = WRITTEN_BY_US.exec(line);
  if (match === null) return decodeWhole(line);
  const [, window = '', intended = '', sent = '', first = '', end = '', outcome = '', ...rest] = match;
  const [tokens = '', chunks = '', gaps = ''] = rest;
  return {
    isTracked: Number(window) >= 0,
    intendedNs: Number(intended),
    sentNs: Number(sent),
    firstContentNs: figure(first),
    promptNs: NO_FIGURE,
    endNs: Number(end),
    outcome: outcome === 'completed' ? outcome : 'cancelled',
    outputTokens: figure(tokens),
    chunkCount: Number(chunks),
    chunkGapsNs: gaps,
    failure: undefined,
  };
};

/** Another writer may order the keys differently. */
const decodeWhole = (line: string): SampleTimes | undefined => {
  const decoded = decodeSampleLine(line);
  if (decoded.kind !== 'sample') return undefined;
  const { window, ...sample } = decoded.sample;
  const { intendedNs, sentNs, firstContentNs, endNs, outcome, outputTokens, chunkCount } = sample;
  const { chunkGapsNs, failure, served } = sample;
  return {
    isTracked: window >= 0,
    intendedNs,
    sentNs,
    firstContentNs,
    promptNs: served === undefined ? NO_FIGURE : served.promptNs,
    endNs,
    outcome,
    outputTokens,
    chunkCount,
    chunkGapsNs,
    failure,
  };
};

/** Gaps between the chunks of a sample, ns; undefined if they cannot be read. */
export const gapsOf = ({ chunkGapsNs }: SampleTimes): readonly number[] | undefined =>
  typeof chunkGapsNs === 'string' ? decodeVarints(Buffer.from(chunkGapsNs, 'base64')) : chunkGapsNs;

const figure = (text: string): number => (text === 'null' ? NO_FIGURE : Number(text));

/** As encodeSampleLine writes it for a sample that did not fail: a failure's text may contain anything. */
const WRITTEN_BY_US =
  /^\{"kind":"sample","id":\d{1,16},"window":(-?\d{1,4}),"intendedNs":(\d{1,16}),"sentNs":(\d{1,16}),"connectNs":\d{1,16},"firstByteNs":(?:\d{1,16}|null),"firstContentNs":(\d{1,16}|null),"firstAnswerNs":(?:\d{1,16}|null),"endNs":(\d{1,16}),"outcome":"(completed|cancelled)","failure":null,"inputTokens":(?:\d{1,16}|null),"outputTokens":(\d{1,16}|null),"finishReason":"\w{1,20}","chunks":(\d{1,16}),"chunkGapsNs":"([A-Za-z0-9+/=]*)","bytesSent":\d{1,16},"bytesReceived":\d{1,16}(?:,"heldBackNs":\d{1,16})?\}$/;
