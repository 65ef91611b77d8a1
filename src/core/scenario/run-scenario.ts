// The scenario of a run as its files contain it: what it is judged by, known before the first request, and the figures of
// its rules that only its requests show.

import * as v from 'valibot';
import { count, figure, type Infer, nonNegative, openObject, reported, shortText } from '../schema.ts';

const SCENARIO_RULES_MAX = 64;

export const runScenarioSchema = openObject({
  /** "agentx", or the name in its file. */
  name: shortText,
  /** Limit of each rule by its key: ms, or a share; 1 for a rule without one. Those of a newer version are kept. */
  rules: v.pipe(v.record(v.pipe(v.string(), v.maxLength(64)), nonNegative), v.maxEntries(SCENARIO_RULES_MAX)),
  /** Planned length of the measured part, ms. */
  durationMs: reported(nonNegative),
});

export type RunScenario = Infer<typeof runScenarioSchema>;

export const scenarioFiguresSchema = openObject({
  /** Completed requests, and those of them with both a first token and a count of output tokens. */
  completed: count,
  counted: count,
  /** Ms from the first request to the last content of any, also of one that failed or was cancelled. */
  lastContentMs: reported(nonNegative),
  /**
   * InferenceX's "E2E normalized interactivity", output tokens per second: 1 / p90 of (latency / output tokens), where
   * latency ends with the last content and the percentile is interpolated as in NumPy.
   */
  normalizedInteractivity: reported(figure),
});

export type ScenarioFigures = Infer<typeof scenarioFiguresSchema>;
