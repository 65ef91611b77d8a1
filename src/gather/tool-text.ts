// The text of a tool that is run to its end, or one phrase that says why there is none.

import { firstLine } from '../core/text/single-line.ts';
import { type Env, runTool } from '../process/child.ts';
import { type Parsed, parsed, unreadable } from './parsed.ts';

export interface ToolContext {
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** @throws only the signal's reason, when it aborts. */
export const toolText = async (
  command: string,
  args: readonly string[],
  context: ToolContext,
): Promise<Parsed<string>> => {
  const result = await runTool(command, args, context);
  if (result.kind !== 'exited') return unreadable(result.reason);
  if (result.code === 0) return parsed(result.stdout);
  const said = firstLine(`${result.stderr}\n${result.stdout}`);
  return unreadable(
    `${command} exited with code ${result.code}${said === '' ? '' : `: ${said.slice(0, SAID_LENGTH_MAX)}`}`,
  );
};

const SAID_LENGTH_MAX = 200;
