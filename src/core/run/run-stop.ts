// Why a run was stopped before its limits by its own rule: every server of this kind would reject its
// requests, or too many failed. Not a person's Ctrl-C, and no loss of data: what was sent until then is
// counted.

import * as v from 'valibot';
import { figure, type Infer, openObject } from '../schema.ts';

export const STOP_CAUSES = ['rejected', 'nothing-succeeded', 'stop-when'] as const;

export const stopText = v.pipe(v.string(), v.maxLength(4_096));

export const runStopSchema = openObject({
  cause: v.picklist(STOP_CAUSES),
  /** One sentence without its full stop. */
  problem: stopText,
  /** One sentence. */
  advice: stopText,
  /** Event time of the deciding event, ns since the run's zero. */
  atNs: figure,
});

export type RunStop = Infer<typeof runStopSchema>;

export type StopRule = {
  /** 0..1; a greater share stops the run. */
  readonly failedShareMax: number;
  readonly windowMs: number;
};

export const NO_STOP_RULES: StopRules = { when: [], keepsGoing: false };

/** "failures > 50% over 10s" */
export const stopRuleText = ({ failedShareMax, windowMs }: StopRule): string =>
  `failures > ${Math.round(failedShareMax * 1e6) / 1e4}% over ${windowMs % 1_000 === 0 ? `${windowMs / 1_000}s` : `${windowMs}ms`}`;

/** Limit per run. */
export const STOP_RULES_MAX = 8;

export const stopRulesSchema = openObject({
  /** For the requests that end within a window: the share that may fail. */
  when: v.pipe(
    v.array(
      openObject({
        failedShareMax: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
        windowMs: v.pipe(v.number(), v.minValue(1_000), v.maxValue(600_000)),
      }),
    ),
    v.maxLength(STOP_RULES_MAX),
  ),
  /** The run continues if the warm-up is rejected, or if nothing succeeds. */
  keepsGoing: v.boolean(),
});

/** The failures after which a run stops. */
export type StopRules = Infer<typeof stopRulesSchema>;
