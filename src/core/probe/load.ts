// A load: a device or a connection is kept busy for some seconds, together with others, because a person who accepts a cluster
// requested it. Its figures are returned to the requester and stored nowhere else: they are those of a busy cluster.

import * as v from 'valibot';
import { count, figure, type Infer, list, nonNegative, openObject, reported, text } from '../schema.ts';
import { probeSubjectSchema } from './probe-status.ts';

/** Loads with the same one may share interfaces, and run while devices are busy. */
export const togetherSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.minLength(8),
  v.maxLength(64),
);

/** Of one request: what has ended can be requested again, and runners get their turn. */
export const LOAD_MS_MAX = 20_000;

/** The figure of a connection: from its source to its sink, counted by the sink. */
export const SENT_RATE = 'sentBitsPerSecond';

const loadedFigureSchema = openObject({
  /** `SENT_RATE`, or that of a device's profile. */
  figure: v.pipe(v.string(), v.maxLength(64)),
  fromMs: nonNegative,
  toMs: nonNegative,
  value: figure,
});

/** Times are ms since the node received the request. */
export const loadSchema = v.variant('kind', [
  openObject({
    kind: v.literal('loaded'),
    subject: probeSubjectSchema,
    fromMs: nonNegative,
    toMs: nonNegative,
    figures: list(loadedFigureSchema),
    bytes: count,
    retransmits: reported(count),
  }),
  /** Nothing was loaded: a runner has priority, something else is being measured, an end refuses. */
  openObject({ kind: v.literal('idle'), subject: probeSubjectSchema, reason: text }),
]);

export type Load = Infer<typeof loadSchema>;
