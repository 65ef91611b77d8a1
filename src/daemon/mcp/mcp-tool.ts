// What an AI assistant may request of a cluster: a tool has a name, a schema of its arguments and of its result, and answers
// from state alone. Text from outside (hosts, models, errors) is data in a field, never part of a sentence.

import * as v from 'valibot';
import type { Frozen } from '../../core/schema.ts';
import type { State } from '../../core/state.ts';
import type { ProfileRow } from '../../wire/api/history-answers.ts';
import type { HttpServerOptions, ProfileHistoryQuery } from '../http/http-options.ts';

/** What is listed of a tool. */
export interface McpToolHead {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  /** Nothing is measured, started or changed. */
  readonly isReadOnly: boolean;
}

export interface McpTool extends McpToolHead {
  readonly isReadOnly: true;
  /** Reads its own arguments. @throws McpToolError for an error that the client can fix. */
  call(given: unknown, context: McpContext): Promise<McpAnswer>;
}

type ObjectSchema = v.GenericSchema<unknown, object>;

export interface McpAnswer {
  /** One sentence, without names of strangers. */
  readonly text: string;
  readonly structured: object;
}

export interface McpContext extends Pick<HttpServerOptions, 'runs' | 'comparisons'> {
  readonly state: State;
  readonly nowMs: number;
  /** Of the answering machine: rows of its journal are dated by it. */
  readonly wallMs: number;
  readonly profileRows: (query: ProfileHistoryQuery) => Promise<readonly ProfileRow[]>;
}

/** In words for the asker: it becomes the tool's answer, marked as an error. */
export class McpToolError extends Error {
  override readonly name = 'McpToolError';
}

/** A tool whose arguments and answer are held to their schemas by the compiler, and the arguments when it is called. */
export const mcpTool = <Input extends object, Output extends object>({
  call,
  ...tool
}: Omit<McpTool, 'call' | 'input' | 'output' | 'isReadOnly'> & {
  readonly input: v.GenericSchema<unknown, Input>;
  readonly output: v.GenericSchema<unknown, Output>;
  readonly call: (
    given: Input,
    context: McpContext,
  ) =>
    | Promise<{ readonly text: string; readonly structured: Frozen<Output> }>
    | { readonly text: string; readonly structured: Frozen<Output> };
}): McpTool => ({
  ...tool,
  isReadOnly: true,
  call: async (given, context) => await call(readArguments(tool.input, given), context),
});

/** @throws McpToolError with what is wrong, and where. */
export const readArguments = <T>(schema: v.GenericSchema<unknown, T>, given: unknown): T => {
  const read = v.safeParse(schema, given);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new McpToolError(
    `the arguments are wrong at ${v.getDotPath(issue) ?? 'their root'}: ${issue.message.slice(0, 200)}`,
  );
};
