// A comparison by pairs as the cluster sees it while it is in progress and after it has ended: what is
// compared, its progress, and the answer. The whole document, with every figure, stays in the directory of
// the node that ran it.

import type { ComparisonId } from '../ids.ts';
import { shortName } from '../run/run-digest.ts';
import { isUnknown, type Reported, unknown } from '../unknown.ts';
import type { ComparisonDocument, ComparisonProgress, ComparisonSide } from './comparison-document.ts';
import type { ComparisonVerdict } from './judge-effect.ts';

/** What is known of it at one moment, or at its end. */
export interface ComparisonFindings {
  /** One sentence for a person. */
  readonly sentence: string;
  /** Verdict of the primary metric. */
  readonly verdict: ComparisonVerdict;
  readonly pairsDone: number;
}

export interface ReportedComparison extends ComparisonFindings {
  readonly comparisonId: ComparisonId;
  /** ISO 8601 of the machine that runs it; for display, and for the order. */
  readonly startedAt: string;
  readonly name: Reported<string>;
  /** "gpu=h200". */
  readonly tags: readonly string[];
  readonly a: ReportedSide;
  readonly b: ReportedSide;
  readonly load: string;
  /** Numbers of pairs after which it looks: 6, 8, 12. */
  readonly looks: readonly number[];
  /** Command that repeats it, without secrets. */
  readonly command: string;
  /** Where the document and the segments are stored, on the machine of the entry's origin. */
  readonly directory: string;
  readonly state: ComparisonDocument['state'];
  /** Why the state is not 'complete'; '' if there is no reason to show. */
  readonly reason: string;
}

export interface ReportedSide {
  readonly label: string;
  /** Scheme, host, port and path; never credentials. */
  readonly target: Reported<string>;
  readonly model: Reported<string>;
}

/** What is published while it runs. */
export interface ReportedPairs extends ComparisonFindings {
  readonly comparisonId: ComparisonId;
  /** The running segment. */
  readonly segment: ComparisonProgress['segment'];
  readonly nextLookMs: ComparisonProgress['nextLookMs'];
}

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
export const REPORTED_TAGS_MAX = 8;
export const REPORTED_LOOKS_MAX = 16;
const REPORTED_TAG_LENGTH_MAX = 200;
const REPORTED_TEXT_LENGTH_MAX = 1_000;
const REPORTED_LABEL_LENGTH_MAX = 300;
