// Why a run was stopped before its limits by its own rule: every server of this kind would reject its
// requests, or too many failed. Not a person's Ctrl-C, and no loss of data: what was sent until then is
// counted.

export type RunStop = {
  readonly cause: StopCause;
  /** One sentence without its full stop. */
  readonly problem: string;
  /** One sentence. */
  readonly advice: string;
  /** Event time of the deciding event, ns since the run's zero. */
  readonly atNs: number;
};

export type StopCause = (typeof STOP_CAUSES)[number];

export const STOP_CAUSES = ['rejected', 'nothing-succeeded', 'stop-when'] as const;

/** The failures after which a run stops. */
export type StopRules = {
  /** For the requests that end within a window: the share that may fail. */
  readonly when: readonly StopRule[];
  /** The run continues if the warm-up is rejected, or if nothing succeeds. */
  readonly keepsGoing: boolean;
};

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
