// What is being measured now, or why not yet: published by the node that runs the probe, never stored. A
// lease: one older than its announced duration is ignored.

import * as v from 'valibot';
import { count, figure, type Infer, nodeIdSchema, openObject, reported, text } from '../schema.ts';

export const probeSubjectSchema = v.variant('kind', [
  openObject({ kind: v.literal('gpu'), deviceId: text }),
  openObject({ kind: v.literal('link'), sink: nodeIdSchema, connectionKey: text }),
]);

export type ProbeSubject = Infer<typeof probeSubjectSchema>;

export const probeStatusSchema = openObject({
  subject: probeSubjectSchema,
  stage: v.variant('kind', [
    openObject({ kind: v.literal('running'), expectedMs: figure, isByHand: v.boolean() }),
    openObject({ kind: v.literal('waiting'), reason: text, nextInMs: reported(figure) }),
    openObject({ kind: v.literal('idle'), nextInMs: reported(figure) }),
  ]),
});

export type ProbeStatus = Infer<typeof probeStatusSchema>;

/** Key of a status among those of one node. */
export const probeKey = (subject: ProbeSubject): string => {
  switch (subject.kind) {
    case 'gpu':
      return `gpu ${subject.deviceId}`;
    case 'link':
      return `link ${subject.sink} ${subject.connectionKey}`;
    default:
      return subject satisfies never;
  }
};

// The usual figures of a probe of a device or a connection: medians over the last week, computed by the
// prober from its own journal and published live, so that every node and page can show what is unusual
// without requesting history.
/** As many figures as a profile may have in the future. */
const BASELINE_FIGURES_MAX = 32;

export const probeBaselineSchema = openObject({
  subject: probeSubjectSchema,
  /** How far back, ms. */
  windowMs: figure,
  /** From the oldest to the newest of them, ms. */
  spanMs: figure,
  /** Number of good measurements in the medians. */
  count,
  /** By the name of the figure in the profile: "uploadBitsPerSecond". */
  medians: v.pipe(v.record(v.pipe(v.string(), v.maxLength(64)), figure), v.maxEntries(BASELINE_FIGURES_MAX)),
});

export type ProbeBaseline = Infer<typeof probeBaselineSchema>;

export const BASELINE_WINDOW_MS: number = 7 * 24 * 3_600_000;
