// The tools of a machine (`ip`, nvidia-smi, system_profiler). A port: they run here, or another machine has run them.

import {
  type Env,
  quietLines,
  type RunToolOptions,
  runTool,
  type StreamLinesOptions,
  streamLines,
  type ToolResult,
} from '../process/child.ts';

export interface MachineTools {
  /** To its end. @throws only the signal's reason, when it aborts. */
  run(command: string, args: readonly string[], options: EndingTool): Promise<ToolResult>;
  /** Of a tool that keeps running. @throws ToolError as `streamLines`. */
  lines(command: string, args: readonly string[], options: RunningTool): AsyncGenerator<string, void, void>;
  /** Of one that prints only on a change. @throws ToolError as `quietLines`. */
  changes(command: readonly string[], options: WatchingTool): AsyncGenerator<string, void, void>;
}

export type EndingTool = Omit<RunToolOptions, 'env'>;
/** `variables`: in addition to those of the machine. */
export type RunningTool = Omit<StreamLinesOptions, 'env'> & { readonly variables?: Env };
export type WatchingTool = Omit<RunningTool, 'idleTimeoutMs' | 'input' | 'variables'>;

export const ownTools = (env: Env): MachineTools => ({
  run: (command, args, options) => runTool(command, args, { ...options, env }),
  lines: (command, args, { variables, ...options }) =>
    streamLines(command, args, { ...options, env: { ...env, ...variables } }),
  changes: (command, options) => quietLines(command, { ...options, env }),
});
