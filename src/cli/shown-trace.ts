// The text of `plimsoll dataset show` for a trace. It is read once, from beginning to end, and never whole in memory.

import { basename } from 'node:path';
import { DatasetDigest, type DatasetLocation } from '../bench/dataset/dataset-chunks.ts';
import type { LengthFacts } from '../bench/dataset/dataset-facts.ts';
import { TRACE_FORMATS, type TraceFormat } from '../bench/dataset/trace/trace.ts';
import {
  type TraceDocument,
  TraceFactCounter,
  type TraceFacts,
  type TraceSharing,
} from '../bench/dataset/trace/trace-facts.ts';
import { type TraceCounts, traceEntries } from '../bench/dataset/trace/trace-file.ts';
import {
  counted,
  figureText,
  formatBytes,
  formatCount,
  formatFinePercent,
  formatThreeDigits,
} from '../core/figure/figure.ts';
import { inColumns } from '../core/text/columns.ts';
import { jsonLines, showable } from '../core/text/single-line.ts';

/** @throws BenchError `input` for the first entry that is wrong. */
export const shownTrace = async (
  location: DatasetLocation,
  format: TraceFormat,
  isJson: boolean,
): Promise<string> => {
  const digest = new DatasetDigest();
  const counts: TraceCounts = { leftOut: 0 };
  const counter = new TraceFactCounter();
  const source = { ...location, bytesMax: Number.POSITIVE_INFINITY };
  for await (const entry of traceEntries(source, format, { digest, counts })) counter.add(entry);
  const facts = counter.facts();
  const reported: TraceDocument = {
    schema: 'plimsoll.trace/1',
    file: location.shownPath,
    format,
    ...digest.result(),
    leftOut: counts.leftOut,
    cutLines: counts.cutLines,
    lost: counts.lost === 0 ? undefined : counts.lost,
    ...facts,
  };
  if (isJson) return jsonLines(reported);
  return `${[
    showable(
      `${basename(location.shownPath)}: ${TRACE_FORMATS[format]}, ${counted(facts.requests, 'request')}`,
      ' ',
    ),
    `  ${figureText(formatBytes(reported.bytes))}, sha256 ${reported.sha256}`,
    ...(facts.requests === 0 ? [] : factLines(facts, format)),
    ...(counts.leftOut === 0 ? [] : [`  ${formatCount(counts.leftOut)} had no answer and are left out`]),
    ...((counts.lost ?? 0) === 0 ? [] : [`  ${counted(counts.lost ?? 0, 'request')} could not be recorded`]),
    ...(counts.cutLines === undefined ? [] : ['  its last line is cut off and left out']),
  ].join('\n')}\n`;
};

const factLines = (facts: TraceFacts, format: TraceFormat): readonly string[] => {
  const { inputTokens, outputTokens, turns, pausesMs, time, sharing, sessions, subagents } = facts;
  const rows = [
    ['', 'p50', 'p90', 'p99', 'max', 'all'],
    lengthRow('input tokens', inputTokens),
    lengthRow('output tokens', outputTokens),
    ...(turns === undefined ? [] : [lengthRow('requests of a conversation', turns)]),
    ...(pausesMs === undefined ? [] : [lengthRow('pause before a request, ms', pausesMs)]),
  ];
  return [
    '',
    ...inColumns(rows).map(line => `  ${line}`),
    '',
    ...(sessions === undefined ? [] : [`  ${sessionsText(facts, sessions)}`]),
    ...(subagents === 0 ? [] : [`  ${formatCount(subagents)} subagents`]),
    time === undefined
      ? '  it has no start times of conversations'
      : `  ${formatThreeDigits(time.spanMs / 60_000)} minutes, ${formatThreeDigits(time.requestsPerSecond)} requests a second${time.busiestPerSecond === undefined ? '' : `, ${formatThreeDigits(time.busiestPerSecond)} in the busiest minute`}`,
    ...(sharing === undefined
      ? ['  it does not report which prompts share a prefix: none will']
      : sharingLines(sharing, inputTokens.total, format)),
  ];
};

const sessionsText = ({ sessionsUnreported }: TraceFacts, sessions: number): string =>
  sessionsUnreported === 0
    ? counted(sessions, 'conversation')
    : `more than ${counted(sessions, 'conversation')}`;

const sharingLines = (
  { blockTokens, blocks, differentBlocks, sharedTokens, unkept }: TraceSharing,
  inputTokens: number,
  format: TraceFormat,
): readonly string[] => [
  `  ${counted(blocks, 'block')} of ${format === 'capture' ? 'about ' : ''}${counted(blockTokens, 'token')}, ${formatCount(differentBlocks)} different ones`,
  `  ${unkept === 0 ? '' : 'at least '}${figureText(formatFinePercent(inputTokens === 0 ? 0 : sharedTokens / inputTokens))} of all input tokens are in a prefix of an earlier prompt: the most a prefix cache could save`,
];

// A row of the table of lengths that `plimsoll dataset show` prints.
export const lengthRow = (name: string, { p50, p90, p99, max, total }: LengthFacts): readonly string[] => [
  name,
  ...[p50, p90, p99, max, total].map(formatCount),
];
