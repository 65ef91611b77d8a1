// Why a run was stopped before its limits by a rule of its own: requests that every server of this kind would refuse, or too many
// failures. Not a person's Ctrl-C, and no loss of data: what was sent until then is counted.

export type RunStop = {
  readonly cause: StopCause;
  /** One sentence without its full stop. */
  readonly problem: string;
  /** One sentence. */
  readonly advice: string;
  /** Event time of what decided it, ns since the run's zero. */
  readonly atNs: number;
};

export type StopCause = (typeof STOP_CAUSES)[number];

export const STOP_CAUSES = ['rejected', 'nothing-succeeded', 'stop-when'] as const;

/** After which failures a run stops. */
export type StopRules = {
  /** Of the requests that end within a window, the share that may fail. */
  readonly when: readonly StopRule[];
  /** Neither a warm-up that is refused nor a server of which nothing succeeds ends the run. */
  readonly keepsGoing: boolean;
};

export type StopRule = {
  /** 0..1; more than that stops the run. */
  readonly failedShareMax: number;
  readonly windowMs: number;
};

export const NO_STOP_RULES: StopRules = { when: [], keepsGoing: false };

/** "failures > 50% over 10s" */
export const stopRuleText = ({ failedShareMax, windowMs }: StopRule): string =>
  `failures > ${Math.round(failedShareMax * 1e6) / 1e4}% over ${windowMs % 1_000 === 0 ? `${windowMs / 1_000}s` : `${windowMs}ms`}`;

/** Of one run. */
export const STOP_RULES_MAX = 8;
