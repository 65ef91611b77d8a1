// Whether a cluster is fit for use: stages of checks, each with what was measured, its limit, where the limit comes from, and why
// the check passed, failed or could not be judged.

import * as v from 'valibot';
import { plainEntries } from '../document/plain-document.ts';
import { FIGURE_UNITS, type FigureUnit } from '../figure/figure-row.ts';
import {
  figure,
  type Infer,
  list,
  nonNegative,
  openObject,
  reported,
  share,
  shortText,
  text,
} from '../schema.ts';
import { watchedSchema } from './cluster-watch.ts';

export const ACCEPTANCE_SCHEMA = 'plimsoll.acceptance/1';

/** In the order in which they are judged. */
export const STAGE_TITLES = {
  readings: 'Readings and versions',
  devices: 'Devices',
  links: 'Links',
  groups: 'Groups',
  soak: 'Soak',
} as const;

export type StageKey = keyof typeof STAGE_TITLES;

const RESULTS = ['pass', 'fail', 'undecided'] as const;

/** Where a limit comes from; `none`: there is none. */
export const LIMIT_SOURCES = {
  negotiated: 'negotiated rate',
  comparable: 'comparable parts',
  baseline: 'its last week',
  plan: 'plan',
  rule: 'fixed rule',
  none: '',
} as const;

/** More than sixty-four nodes have; what is beyond it is counted as left out. */
const CHECKS_MAX = 30_000;

const judgedSchema = openObject({
  /** "memory-bandwidth": the row of the table of checks. */
  check: shortText,
  title: shortText,
  /** "atlas, GPU 0", "atlas en5 to juno en5". */
  subject: shortText,
  /** Names of the nodes concerned. */
  nodes: list(shortText),
  result: v.picklist(RESULTS),
  /** A sentence: what the limit means here, or why there is no result. */
  reason: text,
  unit: v.picklist(Object.keys(FIGURE_UNITS).filter(isUnit)),
  value: reported(figure),
  limit: reported(figure),
  from: v.picklist(Object.keys(LIMIT_SOURCES).filter(isLimitSource)),
});

export type JudgedCheck = Infer<typeof judgedSchema>;
export type LimitSource = keyof typeof LIMIT_SOURCES;

const stageSchema = openObject({
  key: shortText,
  title: shortText,
  checks: v.pipe(v.array(judgedSchema), v.maxLength(CHECKS_MAX)),
});

export type JudgedStage = Infer<typeof stageSchema>;

export const acceptanceSchema = openObject({
  ...plainEntries,
  schema: v.literal(ACCEPTANCE_SCHEMA),
  /** `fail` if a check failed, else `undecided` if one could not be judged. */
  outcome: v.picklist(RESULTS),
  /** By name. */
  nodes: list(shortText),
  /** Of those, and of others, the ones that the plan names. */
  expected: list(shortText),
  /** Requested duration of the soak, ms; 0 for none. */
  soakMs: nonNegative,
  /** Share of the soak in which everything was to be under load. */
  duty: reported(share),
  /** Figures that are older, ms, do not count. */
  ageMsMax: nonNegative,
  /** The limits of the plan, as a person wrote them; unknown without one. */
  plan: reported(v.record(v.pipe(v.string(), v.maxLength(64)), figure)),
  /** Checks that the plan leaves out. */
  skipped: list(shortText),
  stages: list(stageSchema),
  /** What was watched while it ran: a resumed acceptance continues from here. */
  watched: watchedSchema,
});

export type Acceptance = Infer<typeof acceptanceSchema>;

export const acceptanceOutcome = (stages: readonly JudgedStage[]): Acceptance['outcome'] => {
  const results = new Set(stages.flatMap(({ checks }) => checks.map(({ result }) => result)));
  if (results.has('fail')) return 'fail';
  return results.has('undecided') || results.size === 0 ? 'undecided' : 'pass';
};

function isLimitSource(source: string): source is LimitSource {
  return Object.hasOwn(LIMIT_SOURCES, source);
}

function isUnit(unit: string): unit is FigureUnit {
  return Object.hasOwn(FIGURE_UNITS, unit);
}
