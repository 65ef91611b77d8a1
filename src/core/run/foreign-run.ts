// Where the figures of an imported run come from: another tool measured it, so no client of ours can be
// trusted for it, and what its file does not report is listed by name. Every view of such a run shows the
// mark.

import * as v from 'valibot';
import { bytes, type Infer, openObject, reported, shortText, text } from '../schema.ts';
import { isUnknown } from '../unknown.ts';

export const FOREIGN_TOOLS = ['vllm', 'sglang', 'aiperf', 'guidellm'] as const;
export type ForeignTool = (typeof FOREIGN_TOOLS)[number];

const mark = { tool: v.picklist(FOREIGN_TOOLS), version: reported(shortText) };

export const foreignMarkSchema = openObject(mark);

/** Published to the whole cluster. */
export type ForeignMark = Infer<typeof foreignMarkSchema>;

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
  sglang: "SGLang's benchmark",
  aiperf: 'AIPerf',
  guidellm: 'GuideLLM',
};

/** Limit per file. */
export const UNREPORTED_MAX = 32;

export const foreignOriginSchema = openObject({
  ...mark,
  /** Name of the file, without its folder. */
  file: text,
  /** Hex, of the file that was read. */
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes,
  /** Whether it contains each request, or only totals. */
  hasRequests: v.boolean(),
  unreported: v.pipe(
    v.array(openObject({ what: shortText, reason: shortText })),
    v.maxLength(UNREPORTED_MAX),
  ),
});

export type ForeignOrigin = Infer<typeof foreignOriginSchema>;
