// Where the figures of an imported run come from: another tool measured it, so no client of ours can be
// trusted for it, and what its file does not report is listed by name. Every view of such a run shows the
// mark.

import { isUnknown, type Reported } from '../unknown.ts';

export const FOREIGN_TOOLS = ['vllm', 'aiperf', 'guidellm'] as const;
export type ForeignTool = (typeof FOREIGN_TOOLS)[number];

/** Published to the whole cluster. */
export interface ForeignMark {
  readonly tool: ForeignTool;
  readonly version: Reported<string>;
}

export interface ForeignOrigin extends ForeignMark {
  /** Name of the file, without its folder. */
  readonly file: string;
  /** Hex, of the file that was read. */
  readonly sha256: string;
  readonly bytes: number;
  /** Whether it contains each request, or only totals. */
  readonly hasRequests: boolean;
  readonly unreported: readonly UnreportedFact[];
}

export interface UnreportedFact {
  readonly what: string;
  readonly reason: string;
}

/** "AIPerf 0.13.0", "vLLM's benchmark". */
export const foreignLabel = ({ tool, version }: ForeignMark): string =>
  isUnknown(version) ? TOOL_NAMES[tool] : `${TOOL_NAMES[tool]} ${version}`;

/** For the reader of one of its figures. */
export const foreignSentence = (mark: ForeignMark): string =>
  `Measured by ${foreignLabel(mark)}, not by Plimsoll: whether its client kept up is not known`;

export const unreportedLine = (unreported: readonly UnreportedFact[]): string =>
  unreported.map(({ what, reason }) => `${what} (${reason})`).join('; ');

/** ", seed 42" after a load; '' if another tool sent the requests. */
export const seedText = ({
  seed,
  foreign,
}: {
  readonly seed: number;
  readonly foreign?: ForeignMark;
}): string => (foreign === undefined ? `, seed ${seed}` : '');

const TOOL_NAMES: Readonly<Record<ForeignTool, string>> = {
  vllm: "vLLM's benchmark",
  aiperf: 'AIPerf',
  guidellm: 'GuideLLM',
};

/** Limit per file. */
export const UNREPORTED_MAX = 32;
