// The lines of samples.jsonl: one for each sample that ended, appended during the run, and a last one that
// marks the file as complete. Everything that a report needs of a sample is in its line, so that a report can
// be made from them alone.

import { Buffer } from 'node:buffer';
import * as v from 'valibot';
import { recordOf } from '../core/record-of.ts';
import type { EndedSample } from '../core/run/ended-sample.ts';
import {
  LATENESS_KEYS,
  NO_FIGURE,
  REPLY_COUNT_KEYS,
  type SampleLateness,
  SERVED_KEYS,
} from '../core/run/event-record.ts';
import { FAILURE_KINDS, FINISH_REASONS } from '../core/run/outcome.ts';
import { ANSWER_CHECKS, type SampleNote, type SampleRemark } from '../core/run/sample-remark.ts';
import { type SampleTurn, SKIP_REASONS, type SkippedTurn } from '../core/run/session-outcome.ts';
import { TOKEN_DOUBT_KEYS } from '../core/run/token-doubts.ts';
import { parseShallowJson } from './shallow-json.ts';
import { decodeVarints, encodeVarints } from './varints.ts';

export type SampleFileLine =
  | { readonly kind: 'sample'; readonly sample: EndedSample }
  /** A turn of a session that was never issued. */
  | { readonly kind: 'skipped'; readonly turn: SkippedTurn }
  | { readonly kind: 'end'; readonly end: SamplesEnd }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Written when the last sample has its line and the final counts are known: a file without it was cut short.
 */
export interface SamplesEnd {
  /** Over all samples, including warm-up. */
  readonly issued: number;
  readonly trackedIssued: number;
  readonly state: 'complete' | 'interrupted';
  /** What cut the run short, other than a person's stop. If present, the state is never 'complete'. */
  readonly problems?: readonly string[];
}

/** One line with its line feed. Missing figures are null; chunk gaps are base64 of unsigned LEB128. */
export const encodeSampleLine = (sample: EndedSample): string => {
  const { failure } = sample;
  // Built manually, because one line costs less than a tenth of stringifying an object of twenty keys, and
  // there is one per sample.
  return (
    `{"kind":"sample","id":${sample.sampleId},"window":${sample.window},` +
    `"intendedNs":${sample.intendedNs},"sentNs":${sample.sentNs},"connectNs":${sample.connectNs},` +
    `"firstByteNs":${figure(sample.firstByteNs)},"firstContentNs":${figure(sample.firstContentNs)},` +
    `"firstAnswerNs":${figure(sample.firstAnswerNs)},"endNs":${sample.endNs},"outcome":"${sample.outcome}",` +
    `"failure":${failure === undefined ? 'null' : JSON.stringify(failure)},` +
    `"inputTokens":${figure(sample.inputTokens)},"outputTokens":${figure(sample.outputTokens)},` +
    `"finishReason":"${sample.finishReason}","chunks":${sample.chunkCount},` +
    `"chunkGapsNs":"${packed(sample.chunkGapsNs)}",` +
    `"bytesSent":${sample.bytesSent},"bytesReceived":${sample.bytesReceived}` +
    `${sample.answerHash === undefined ? '' : `,"answer":${sample.answerHash}`}` +
    `${sample.chunkChoices === undefined ? '' : `,"choices":"${packed(sample.chunkChoices)}"`}` +
    `${sample.heldBackNs === 0 ? '' : `,"heldBackNs":${sample.heldBackNs}`}` +
    `${sample.lateness === undefined ? '' : `,"late":${latenessText(sample.lateness)}`}` +
    `${sample.remark === undefined ? '' : `,"remark":${remarkJson(sample.remark)}`}` +
    `${sample.served === undefined ? '' : `,"served":${figuresJson(SERVED_KEYS, sample.served)}`}` +
    `${sample.counts === undefined ? '' : `,"counts":${figuresJson(REPLY_COUNT_KEYS, sample.counts)}`}` +
    `${sample.note === undefined ? '' : `,"note":${noteJson(sample.note)}`}` +
    `${sample.lineId === undefined ? '' : `,"line":${JSON.stringify(sample.lineId)}`}` +
    `${sample.turn === undefined ? '' : `,${turnText(sample.turn)}`}}\n`
  );
};

const packed = (values: readonly number[]): string => Buffer.from(encodeVarints(values)).toString('base64');

const turnText = ({ session, turn, turns }: SampleTurn): string =>
  `"session":${session},"turn":${turn},"turns":${turns}`;

export const encodeSkippedLine = ({ sampleId, ...turn }: SkippedTurn): string =>
  `${JSON.stringify({ kind: 'skipped', id: sampleId, ...turn })}\n`;

export const encodeSamplesEnd = ({ issued, trackedIssued, state, problems = [] }: SamplesEnd): string =>
  `${JSON.stringify({
    kind: 'end',
    issued,
    trackedIssued,
    state: problems.length > 0 ? 'interrupted' : state,
    ...(problems.length > 0 ? { problems } : {}),
  })}\n`;

/** Never throws: a line that is torn or foreign is unreadable, with the reason. */
export const decodeSampleLine = (line: string): SampleFileLine => {
  const json = parseShallowJson(line);
  if (json === undefined) return { kind: 'unreadable', reason: 'not JSON, or nested too deep' };
  const result = v.safeParse(LINE, json);
  if (!result.success) {
    const [issue] = result.issues;
    return { kind: 'unreadable', reason: `${v.getDotPath(issue) ?? 'line'}: ${issue.message}` };
  }
  if (result.output.kind === 'end') {
    const { kind, ...end } = result.output;
    return { kind, end };
  }
  if (result.output.kind === 'skipped') {
    const { kind, id, ...turn } = result.output;
    return { kind, turn: { ...turn, sampleId: id } };
  }
  const {
    kind,
    id,
    chunks,
    chunkGapsNs,
    choices,
    failure,
    late,
    answer,
    line: lineId,
    session,
    turn,
    turns,
    ...rest
  } = result.output;
  const gaps = decodeVarints(Buffer.from(chunkGapsNs, 'base64'));
  if (gaps === undefined) return { kind: 'unreadable', reason: 'chunkGapsNs: not whole numbers' };
  const chunkChoices = choices === undefined ? undefined : decodeVarints(Buffer.from(choices, 'base64'));
  return {
    kind,
    sample: {
      ...rest,
      sampleId: id,
      chunkCount: chunks,
      chunkGapsNs: gaps,
      ...(chunkChoices === undefined ? {} : { chunkChoices }),
      failure: failure ?? undefined,
      ...(answer === undefined ? {} : { answerHash: answer }),
      ...(lineId === undefined ? {} : { lineId }),
      ...(late === undefined ? {} : { lateness: latenessFrom(late) }),
      ...(session === undefined || turn === undefined || turns === undefined
        ? {}
        : { turn: { session, turn, turns } }),
    },
  };
};

const latenessFrom = (reported: readonly number[]): SampleLateness =>
  recordOf(LATENESS_KEYS, key => reported[LATENESS_KEYS.indexOf(key)] ?? 0);

const latenessText = (lateness: SampleLateness): string =>
  `[${LATENESS_KEYS.map(key => lateness[key]).join(',')}]`;

/** Rarely used properties of a remark are left out. */
const remarkJson = ({
  cachedTokens,
  predictedTokens,
  reasoningTokens,
  isWithoutText,
  doubts,
  finishName,
  ...reported
}: SampleRemark): string =>
  JSON.stringify({
    cachedTokens: figure(cachedTokens),
    predictedTokens: figure(predictedTokens),
    ...(reasoningTokens === NO_FIGURE ? {} : { reasoningTokens }),
    ...reported,
    ...(isWithoutText ? { isWithoutText } : {}),
    ...(doubts.length === 0 ? {} : { doubts }),
    ...(finishName === '' ? {} : { finishName }),
  });

const figuresJson = <K extends string>(keys: readonly K[], figures: Readonly<Record<K, number>>): string =>
  JSON.stringify(recordOf(keys, key => figure(figures[key])));

const noteJson = ({ variant, ...noted }: SampleNote): string =>
  JSON.stringify({ variant: figure(variant), ...noted });

const figure = (value: number): number | null => (value === NO_FIGURE ? null : value);

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** A version that leaves the field out, and one that writes null, both have no figure. */
const wholeOrNone = v.exactOptional(
  v.pipe(
    v.nullable(whole),
    v.transform(value => value ?? NO_FIGURE),
  ),
  null,
);

const windowNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(-1), v.maxValue(1_000));

const SAMPLE = v.object({
  kind: v.literal('sample'),
  id: whole,
  window: windowNumber,
  intendedNs: whole,
  sentNs: whole,
  connectNs: whole,
  firstByteNs: wholeOrNone,
  firstContentNs: wholeOrNone,
  firstAnswerNs: wholeOrNone,
  endNs: whole,
  outcome: v.picklist(['completed', 'failed', 'cancelled']),
  failure: v.nullable(
    v.object({
      kind: v.picklist(FAILURE_KINDS),
      statusCode: whole,
      detail: v.pipe(v.string(), v.maxLength(4_096)),
    }),
  ),
  inputTokens: wholeOrNone,
  outputTokens: wholeOrNone,
  finishReason: v.picklist(FINISH_REASONS),
  chunks: whole,
  chunkGapsNs: v.string(),
  choices: v.exactOptional(v.string()),
  bytesSent: whole,
  bytesReceived: whole,
  answer: v.exactOptional(whole),
  heldBackNs: v.exactOptional(whole, 0),
  late: v.exactOptional(v.pipe(v.array(whole), v.length(LATENESS_KEYS.length))),
  remark: v.exactOptional(
    v.object({
      cachedTokens: wholeOrNone,
      predictedTokens: wholeOrNone,
      reasoningTokens: wholeOrNone,
      isRepeat: v.boolean(),
      hasRetryAfter: v.boolean(),
      // Left out by `remarkJson` if they have nothing to report.
      isWithoutText: v.exactOptional(v.boolean(), false),
      doubts: v.exactOptional(v.array(v.picklist(TOKEN_DOUBT_KEYS)), []),
      finishName: v.exactOptional(v.pipe(v.string(), v.maxLength(256)), ''),
      otherModel: v.pipe(v.string(), v.maxLength(1_024)),
    }),
  ),
  served: v.exactOptional(v.object(recordOf(SERVED_KEYS, () => wholeOrNone))),
  counts: v.exactOptional(v.object(recordOf(REPLY_COUNT_KEYS, () => wholeOrNone))),
  note: v.exactOptional(
    v.object({
      variant: wholeOrNone,
      isCancelledAsPlanned: v.boolean(),
      isCutAfterGrace: v.boolean(),
      check: v.picklist(ANSWER_CHECKS),
    }),
  ),
  line: v.exactOptional(v.pipe(v.string(), v.maxLength(256))),
  session: v.exactOptional(whole),
  turn: v.exactOptional(whole),
  turns: v.exactOptional(whole),
});

const SKIPPED = v.object({
  kind: v.literal('skipped'),
  id: whole,
  session: whole,
  turn: whole,
  turns: whole,
  window: windowNumber,
  reason: v.picklist(SKIP_REASONS),
});

const END = v.object({
  kind: v.literal('end'),
  issued: whole,
  trackedIssued: whole,
  state: v.picklist(['complete', 'interrupted']),
  problems: v.exactOptional(v.array(v.string())),
});

const LINE = v.variant('kind', [SAMPLE, SKIPPED, END]);
