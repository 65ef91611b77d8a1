// The samples of a run as CSV: one line each, in the order in which they ended, times in nanoseconds since the run's
// zero.

import { type EndedSample, sendLatenessNs } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { COMPARED_SERIES, RUN_SERIES } from '../../core/run/run-series.ts';
import { showable } from '../../core/text/single-line.ts';
import { fileLines } from '../../metrics/file-lines.ts';
import { sampleFigures } from '../../metrics/sample-figures.ts';
import { SAMPLE_LINE_BYTES_MAX } from '../../metrics/samples-file.ts';
import { decodeSampleLine } from '../../wire/sample-line.ts';
import { type CsvColumn, csvLine } from './csv-line.ts';

/**
 * Yields texts of some thousand lines: a run of millions is never whole in memory.
 * @param agents names of the load machines, in the order in which requests were distributed to them; empty: a single
 * machine
 * @throws the system's error
 */
export async function* samplesCsv(
  samplesPath: string,
  agents: readonly string[] = [],
): AsyncGenerator<string> {
  const columns = [
    ...COLUMNS,
    ...(agents.length === 0
      ? []
      : [{ name: 'agent', of: ({ sampleId }: EndedSample) => agents[sampleId % agents.length] }]),
  ];
  let text = csvLine(columns.map(({ name }) => name));
  for await (const line of fileLines(samplesPath, { lineBytesMax: SAMPLE_LINE_BYTES_MAX })) {
    const decoded = line.kind === 'too-long' ? undefined : decodeSampleLine(line.text);
    if (decoded?.kind !== 'sample') continue;
    text += csvLine(columns.map(({ of }) => of(decoded.sample)));
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
  yield text;
}

const known = (figure: number): number | undefined => (figure === NO_FIGURE ? undefined : figure);

const span = (from: number, to: number): number | undefined =>
  from === NO_FIGURE || to === NO_FIGURE ? undefined : to - from;

const lastContentNs = ({ firstContentNs, chunkGapsNs }: EndedSample): number =>
  firstContentNs === NO_FIGURE ? NO_FIGURE : chunkGapsNs.reduce((sum, gap) => sum + gap, firstContentNs);

const OWN_COLUMNS: readonly CsvColumn<EndedSample>[] = [
  { name: 'sample', of: ({ sampleId }) => sampleId },
  { name: 'phase', of: ({ window }) => (window < 0 ? 'warm-up' : 'measured') },
  { name: 'outcome', of: ({ outcome }) => outcome },
  { name: 'failure', of: ({ failure }) => failure?.kind },
  { name: 'status', of: ({ failure }) => (failure?.statusCode === 0 ? undefined : failure?.statusCode) },
  { name: 'detail', of: ({ failure }) => showable(failure?.detail ?? '', ' ') },
  { name: 'intended_ns', of: ({ intendedNs }) => intendedNs },
  { name: 'sent_ns', of: ({ sentNs }) => sentNs },
  { name: 'first_byte_ns', of: ({ firstByteNs }) => known(firstByteNs) },
  { name: 'first_content_ns', of: ({ firstContentNs }) => known(firstContentNs) },
  { name: 'first_answer_ns', of: ({ firstAnswerNs }) => known(firstAnswerNs) },
  { name: 'last_content_ns', of: sample => known(lastContentNs(sample)) },
  { name: 'end_ns', of: ({ endNs }) => endNs },
  { name: 'ttft_ns', of: ({ sentNs, firstContentNs }) => span(sentNs, firstContentNs) },
  { name: 'latency_ns', of: ({ sentNs, endNs }) => span(sentNs, endNs) },
  { name: 'send_lateness_ns', of: sendLatenessNs },
  { name: 'connect_ns', of: ({ connectNs }) => connectNs },
  { name: 'input_tokens', of: ({ inputTokens }) => known(inputTokens) },
  { name: 'output_tokens', of: ({ outputTokens }) => known(outputTokens) },
  {
    name: 'finish_reason',
    of: ({ finishReason, remark }) => showable(remark?.finishName || finishReason, ' '),
  },
  { name: 'chunks', of: ({ chunkCount }) => chunkCount },
  { name: 'bytes_sent', of: ({ bytesSent }) => bytesSent },
  { name: 'bytes_received', of: ({ bytesReceived }) => bytesReceived },
  { name: 'held_back_ns', of: ({ heldBackNs }) => heldBackNs },
  { name: 'session', of: ({ turn }) => turn?.session },
  { name: 'turn', of: ({ turn }) => turn?.turn },
  { name: 'cached_tokens', of: ({ remark }) => known(remark?.cachedTokens ?? NO_FIGURE) },
  { name: 'variant', of: ({ note }) => known(note?.variant ?? NO_FIGURE) },
  { name: 'cut_after_grace', of: ({ note }) => (note?.isCutAfterGrace === true ? 1 : undefined) },
  { name: 'cancelled_as_planned', of: ({ note }) => (note?.isCancelledAsPlanned === true ? 1 : undefined) },
  { name: 'reasoning_tokens', of: ({ remark }) => known(remark?.reasoningTokens ?? NO_FIGURE) },
  { name: 'drafted_tokens', of: ({ served }) => known(served?.draftedTokens ?? NO_FIGURE) },
  { name: 'accepted_tokens', of: ({ remark }) => known(remark?.predictedTokens ?? NO_FIGURE) },
  { name: 'line_id', of: ({ lineId }) => (lineId === undefined ? undefined : showable(lineId, ' ')) },
];
/** A time in which runs are compared has a column too. */
const COLUMNS: readonly CsvColumn<EndedSample>[] = [
  ...OWN_COLUMNS,
  ...COMPARED_SERIES.map(key => ({
    name: `${RUN_SERIES[key].compared}_ns`,
    of: (sample: EndedSample) => known(sampleFigures(sample, true)?.[key] ?? NO_FIGURE),
  })).filter(({ name }) => OWN_COLUMNS.every(own => own.name !== name)),
];

/** In characters, before they are written to disk. */
const PART_LENGTH = 256 * 1024;
