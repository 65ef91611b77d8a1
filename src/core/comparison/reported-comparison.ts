// A comparison by pairs as the cluster sees it while it is in progress and after it has ended: what is
// compared, its progress, and the answer. The whole document, with every figure, stays in the directory of
// the node that ran it.

import * as v from 'valibot';
import { shortName } from '../run/run-digest.ts';
import {
  comparisonIdSchema,
  count,
  type Infer,
  isoTime,
  nonNegative,
  openObject,
  reported,
  shortText,
  text,
} from '../schema.ts';
import { isUnknown, unknown } from '../unknown.ts';
import type { ComparisonDocument, ComparisonSide } from './comparison-document.ts';
import { comparisonVerdictSchema } from './judge-effect.ts';

const findings = {
  /** One sentence for a person. */
  sentence: text,
  /** Verdict of the primary metric. */
  verdict: comparisonVerdictSchema,
  pairsDone: count,
};

export const REPORTED_TAGS_MAX = 8;

const reportedSideSchema = openObject({
  label: shortText,
  /** Scheme, host, port and path; never credentials. */
  target: reported(text),
  model: reported(shortText),
});

export const REPORTED_LOOKS_MAX = 16;

const start = {
  comparisonId: comparisonIdSchema,
  startedAt: isoTime,
  name: reported(shortText),
  tags: v.pipe(v.array(shortText), v.maxLength(REPORTED_TAGS_MAX)),
  a: reportedSideSchema,
  b: reportedSideSchema,
  load: text,
  looks: v.pipe(v.array(count), v.maxLength(REPORTED_LOOKS_MAX)),
  command: text,
  directory: text,
  ...findings,
};

const end = {
  state: v.picklist(['running', 'complete', 'stopped', 'interrupted']),
  reason: text,
};

export const reportedComparisonSchema = openObject({ ...start, ...end });

export type ReportedComparison = Infer<typeof reportedComparisonSchema>;

/** What is known of it at one moment, or at its end. */
export type ComparisonFindings = Pick<ReportedComparison, keyof typeof findings>;

export const comparisonStartSchema = openObject(start);

/** What a program reports to the daemon of its machine at the start. */
export type ComparisonStart = Infer<typeof comparisonStartSchema>;

export const comparisonEndSchema = openObject({
  comparisonId: comparisonIdSchema,
  a: reportedSideSchema,
  b: reportedSideSchema,
  ...end,
  ...findings,
});

/** What is known when it has ended, with the models that were not known at its start. */
export type ComparisonEnd = Infer<typeof comparisonEndSchema>;

export type ReportedSide = Infer<typeof reportedSideSchema>;

export const reportedPairsSchema = openObject({
  comparisonId: comparisonIdSchema,
  ...findings,
  /** The running segment. */
  segment: reported(openObject({ pair: count, side: v.picklist(['a', 'b']) })),
  nextLookMs: reported(nonNegative),
});

/** What is published while it runs. */
export type ReportedPairs = Infer<typeof reportedPairsSchema>;

/** The tag that every segment's run carries with the id of its comparison. */
export const COMPARISON_TAG = 'comparison';

export const reportedComparison = (
  document: ComparisonDocument,
  directory: string,
): Omit<ReportedComparison, 'comparisonId' | 'state' | 'reason'> => ({
  startedAt: document.startedAt,
  name: shortName(document.name),
  tags: Object.entries(document.tags)
    .slice(0, REPORTED_TAGS_MAX)
    .map(([key, value]) => `${key}=${value}`.slice(0, REPORTED_TAG_LENGTH_MAX)),
  a: sideReported(document.a),
  b: sideReported(document.b),
  load: document.load.slice(0, REPORTED_TEXT_LENGTH_MAX),
  looks: isUnknown(document.plan)
    ? []
    : document.plan.looks.map(({ pairs }) => pairs).slice(0, REPORTED_LOOKS_MAX),
  command: document.command.slice(0, REPORTED_TEXT_LENGTH_MAX),
  directory,
  ...findingsOfComparison(document),
});

export const findingsOfComparison = (document: ComparisonDocument): ComparisonFindings => ({
  sentence: document.sentence.slice(0, REPORTED_TEXT_LENGTH_MAX),
  verdict:
    document.verdict.kind === 'not-comparable'
      ? { ...document.verdict, reason: document.verdict.reason.slice(0, REPORTED_TEXT_LENGTH_MAX) }
      : document.verdict,
  pairsDone: Math.min(document.a.units.length, document.b.units.length),
});

export const reportedPairs = ({
  progress,
}: ComparisonDocument): Pick<ReportedPairs, 'segment' | 'nextLookMs'> => ({
  segment: progress?.segment ?? NO_SEGMENT,
  nextLookMs: progress?.nextLookMs ?? NO_SEGMENT,
});

/** The end as its document records it; one whose document still has 'running' was cut short. */
export const comparisonEnd = (document: ComparisonDocument): Pick<ReportedComparison, 'state' | 'reason'> =>
  document.state === 'running'
    ? { state: 'interrupted', reason: CUT_SHORT }
    : { state: document.state, reason: (document.endedEarly ?? '').slice(0, REPORTED_TEXT_LENGTH_MAX) };

/**
 * The published form afterwards: one whose document still has 'running' was cut short, or continues
 * elsewhere.
 */
export const comparisonAfterwards = (document: ComparisonDocument): ComparisonDocument => {
  if (document.state !== 'running') return document;
  const { progress: _old, ...rest } = document;
  return { ...rest, state: 'interrupted', endedEarly: CUT_SHORT };
};

/** Reason if its process never reported an end. */
export const CUT_SHORT = 'its process exited unexpectedly: the pairs done by then are stored';

const sideReported = ({ label, target, model }: ComparisonSide): ReportedSide => ({
  label: label.slice(0, REPORTED_LABEL_LENGTH_MAX),
  target: isUnknown(target) ? target : target.slice(0, REPORTED_TEXT_LENGTH_MAX),
  model: shortName(model),
});

const NO_SEGMENT = unknown('between segments');

const REPORTED_TAG_LENGTH_MAX = 200;
const REPORTED_TEXT_LENGTH_MAX = 1_000;
const REPORTED_LABEL_LENGTH_MAX = 300;
