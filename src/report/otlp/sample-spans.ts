// One request as a trace: the client's span from its sending to its end, and its phases within.

import { createHash } from 'node:crypto';
import { type EndedSample, sendLatenessNs } from '../../core/run/ended-sample.ts';
import { NO_FIGURE } from '../../core/run/event-record.ts';
import { type Attributes, type OtlpSpan, otlpAttributes } from './otlp-json.ts';

interface TracedRun {
  readonly runId: string;
  /** Wall time of the run's zero, since 1970. */
  readonly zeroNs: bigint;
  /** Attributes of this request in addition to its own figures. */
  readonly attributes: Attributes;
}

export const sampleSpans = (sample: EndedSample, run: TracedRun): readonly OtlpSpan[] => {
  const { sampleId, sentNs, endNs, failure } = sample;
  const digest = createHash('sha256').update(`plimsoll ${run.runId} ${sampleId}`).digest('hex');
  const traceId = digest.slice(0, 32);
  const spanId = digest.slice(32, 48);
  const at = (ns: number): string => String(run.zeroNs + BigInt(Math.round(ns)));
  const model = run.attributes['gen_ai.request.model'];
  const root: OtlpSpan = {
    traceId,
    spanId,
    name: [run.attributes['gen_ai.operation.name'], model].filter(part => part !== undefined).join(' '),
    kind: 3,
    startTimeUnixNano: at(sentNs),
    endTimeUnixNano: at(endNs),
    attributes: otlpAttributes({ ...run.attributes, ...attributesOf(sample) }),
    status: failure === undefined ? {} : { code: 2, message: failure.kind },
  };
  const phases = phasesOf(sample).map(
    ({ name, fromNs, toNs }, index): OtlpSpan => ({
      traceId,
      spanId: (BigInt(`0x${spanId}`) ^ BigInt(index + 1)).toString(16).padStart(16, '0'),
      parentSpanId: spanId,
      name,
      kind: 1,
      startTimeUnixNano: at(fromNs),
      endTimeUnixNano: at(toNs),
      attributes: [],
      status: {},
    }),
  );
  return [root, ...phases];
};

/** The HTTP status if there is one, as in the conventions; else one of the fixed kinds of failure. */
export const errorType = ({ failure }: EndedSample): string | undefined =>
  failure === undefined ? undefined : failure.statusCode > 0 ? String(failure.statusCode) : failure.kind;

const attributesOf = (sample: EndedSample): Attributes => ({
  'error.type': errorType(sample),
  'gen_ai.usage.input_tokens': known(sample.inputTokens),
  'gen_ai.usage.output_tokens': known(sample.outputTokens),
  'plimsoll.sample.id': sample.sampleId,
  'plimsoll.sample.outcome': sample.outcome,
  'plimsoll.sample.send_lateness_ns': sendLatenessNs(sample),
});

/** Each begins where the previous one ended; those with missing stamps are left out. */
const phasesOf = ({ sentNs, firstByteNs, firstContentNs, chunkGapsNs, endNs }: EndedSample) => {
  const lastContentNs =
    firstContentNs === NO_FIGURE ? NO_FIGURE : chunkGapsNs.reduce((sum, gap) => sum + gap, firstContentNs);
  const stamps = [
    { name: 'wait for the first byte', toNs: firstByteNs },
    { name: 'wait for the first chunk', toNs: firstContentNs },
    { name: 'receive chunks', toNs: lastContentNs },
    { name: 'end', toNs: endNs },
  ].filter(({ toNs }) => toNs !== NO_FIGURE);
  let fromNs = sentNs;
  return stamps.flatMap(({ name, toNs }) => {
    const phase = { name, fromNs, toNs };
    fromNs = Math.max(fromNs, toNs);
    return toNs > phase.fromNs ? [phase] : [];
  });
};

const known = (figure: number): number | undefined => (figure === NO_FIGURE ? undefined : figure);
