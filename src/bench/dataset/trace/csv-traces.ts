// Traces in CSV. Azure's (AzurePublicDataset, 2023 and 2024, CC-BY): TIMESTAMP,ContextTokens,GeneratedTokens with
// wall times. BurstGPT's: Timestamp in seconds, Model, Request tokens, Response tokens, Total tokens, Log Type; newer
// files also have Session ID and Elapsed time. Neither contains which prompts share a prefix.

import { exactProduct, type Parsed, parsed, wrong } from '../../../core/figure/parse-figure.ts';
import { type TraceEntry, type TraceRequest, traceTokens } from './trace.ts';

type TraceRecord = Readonly<Record<string, string>>;

export const azureEntry = (record: TraceRecord, line: number): Parsed<TraceEntry> => {
  const wallMs = azureTimeMs(record);
  if (wallMs === undefined)
    return wrong('TIMESTAMP is not a time such as 2023-11-16 18:15:46.6805900', AZURE_SHAPE);
  const [inputTokens, outputTokens] = [count(record['ContextTokens']), count(record['GeneratedTokens'])];
  if (inputTokens === undefined) return wrong('ContextTokens is not a whole number', AZURE_SHAPE);
  if (outputTokens === undefined) return wrong('GeneratedTokens is not a whole number', AZURE_SHAPE);
  return parsed({
    line,
    key: undefined,
    startMs: wallMs,
    requests: [ownRequest(inputTokens, outputTokens)],
  });
};

/** ms since 1970, taken as UTC; digits below a millisecond count too. */
const azureTimeMs = (record: TraceRecord): number | undefined => {
  const found = AZURE_TIME.exec(record['TIMESTAMP'] ?? '');
  if (found === null) return undefined;
  const [, day = '', time = '', fraction = ''] = found;
  const wholeMs = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(wholeMs) ? undefined : wholeMs + exactProduct(`0.${fraction}`, 1_000);
};

/** undefined: it failed, which a response of 0 tokens means. */
export const burstGptEntry = (record: TraceRecord, line: number): Parsed<TraceEntry | undefined> => {
  const startMs = secondsInMs(record['Timestamp']);
  if (startMs === undefined) return wrong('Timestamp is not a time in seconds', BURST_SHAPE);
  const [inputTokens, outputTokens] = [count(record['Request tokens']), count(record['Response tokens'])];
  if (inputTokens === undefined) return wrong('Request tokens is not a whole number', BURST_SHAPE);
  if (outputTokens === undefined) return wrong('Response tokens is not a whole number', BURST_SHAPE);
  const elapsed = record['Elapsed time'];
  const elapsedMs = elapsed === undefined || elapsed === '' ? 0 : secondsInMs(elapsed);
  if (elapsedMs === undefined) return wrong('Elapsed time is not a number of seconds', BURST_SHAPE);
  if (outputTokens === 0) return parsed(undefined);
  const session = record['Session ID'];
  return parsed({
    line,
    key: session === undefined || session === '' ? undefined : session,
    startMs,
    requests: [ownRequest(inputTokens, outputTokens, elapsedMs)],
  });
};

const ownRequest = (inputTokens: number, outputTokens: number, tookMs = 0): TraceRequest => ({
  atMs: 0,
  after: [],
  delayMs: 0,
  inputTokens,
  outputTokens: Math.max(1, outputTokens),
  blocks: [],
  blockTokens: 0,
  agent: 0,
  tookMs,
});

const count = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}(\.0+)?$/.test(text.trim()) ? traceTokens(Number(text)) : undefined;

const secondsInMs = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,10}(\.\d{1,12})?$/.test(text.trim())
    ? exactProduct(text.trim(), 1_000)
    : undefined;

const AZURE_TIME = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:\+00:00|Z)?$/;
const AZURE_SHAPE =
  'A line is 2023-11-16 18:15:46.6805900,374,44 behind TIMESTAMP,ContextTokens,GeneratedTokens.';
const BURST_SHAPE =
  'A line is 5,ChatGPT,472,18,490,Conversation log behind Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type.';
