// The output of a foreign tool that is run to its end, and what could be read from it: a value, or one phrase with the
// reason for its absence. Nothing here throws, because broken tools are expected and must cost only one reading.

import type { Clock } from '../clock/clock.ts';
import { firstLine } from '../core/text/single-line.ts';
import type { ReasonCode } from '../core/unknown.ts';
import type { ToolResult } from '../process/child.ts';
import type { MachineTools } from './machine-tools.ts';

export interface ToolContext {
  readonly tools: MachineTools;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** @throws only the signal's reason, when it aborts. */
export const toolText = async (
  command: string,
  args: readonly string[],
  { tools, ...options }: ToolContext,
): Promise<ToolAnswer<string>> => {
  const result = await tools.run(command, args, options);
  if (result.kind !== 'exited') return unanswered(result.reason, endingCode(result));
  if (result.code === 0) return answered(result.stdout);
  const reported = firstLine(`${result.stderr}\n${result.stdout}`);
  return unanswered(
    `${command} exited with code ${result.code}${reported === '' ? '' : `: ${reported.slice(0, OUTPUT_LENGTH_MAX)}`}`,
  );
};

/**
 * The lines of a tool's output, with bounds: a line longer than any tool prints is skipped, so no pattern ever runs on
 * a megabyte.
 */
export const toolLines = (text: string): readonly string[] =>
  text
    .split('\n', LINES_MAX)
    .filter(line => line.length <= LINE_LENGTH_MAX)
    .map(line => (line.endsWith('\r') ? line.slice(0, -1) : line));

/** The value, or why there is no output or it is not what the tool prints. */
export type ToolAnswer<T> = { readonly kind: 'answered'; readonly value: T } | Unanswered;

export interface Unanswered {
  readonly kind: 'unanswered';
  readonly reason: string;
  readonly code: ReasonCode | undefined;
}

export const answered = <T>(value: T): ToolAnswer<T> => ({ kind: 'answered', value });

export const unanswered = (reason: string, code?: ReasonCode): Unanswered => ({
  kind: 'unanswered',
  reason,
  code,
});

export const endingCode = ({ kind }: Pick<ToolResult, 'kind'>): ReasonCode | undefined => {
  if (kind === 'missing') return 'tool-missing';
  return kind === 'timeout' ? 'no-answer' : undefined;
};

/**
 * A reading of a slow tool that several gatherers need: read once and shared until it is older than the caller accepts.
 * Failures are not cached, and two concurrent callers share one run of the tool.
 */
export class RememberedRead<T> {
  readonly #read: (signal: AbortSignal) => Promise<ToolAnswer<T>>;
  #last: { readonly atMs: number; readonly value: ToolAnswer<T> } | undefined;
  #running: Promise<ToolAnswer<T>> | undefined;

  constructor(read: (signal: AbortSignal) => Promise<ToolAnswer<T>>) {
    this.#read = read;
  }

  /** `ageMsMax` Infinity: for what cannot change while the machine runs. */
  async get(caller: {
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly ageMsMax: number;
  }): Promise<ToolAnswer<T>> {
    const { clock, signal, ageMsMax } = caller;
    if (this.#last !== undefined && clock.nowMs() - this.#last.atMs < ageMsMax) return this.#last.value;
    this.#running ??= this.#readNow(clock, signal);
    return await this.#running;
  }

  async #readNow(clock: Clock, signal: AbortSignal): Promise<ToolAnswer<T>> {
    try {
      const value = await this.#read(signal);
      this.#last = value.kind === 'answered' ? { atMs: clock.nowMs(), value } : undefined;
      return value;
    } finally {
      this.#running = undefined;
    }
  }
}

const OUTPUT_LENGTH_MAX = 200;
const LINES_MAX = 50_000;
const LINE_LENGTH_MAX = 4_000;
