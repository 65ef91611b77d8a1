// `plimsoll mcp`: the Model Context Protocol on standard input and output, for programs that start their servers themselves. What a
// tool answers comes from the running daemon, at its POST /mcp.

import * as v from 'valibot';
import { resolveHome } from '../../config/home.ts';
import { flag, nonEmpty, repeated } from '../../core/option/option.ts';
import { showableJson } from '../../core/text/single-line.ts';
import { rpcError } from '../../daemon/mcp/json-rpc.ts';
import { MCP_TOOLS, mcpServer } from '../../daemon/mcp/mcp-server.ts';
import { type McpAnswer, type McpTool, McpToolError } from '../../daemon/mcp/mcp-tool.ts';
import { looseJson } from '../../gather/loose-json.ts';
import { type Command, homeOption, type Invocation } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { findDaemon } from '../daemon-client.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type AllowedTargets, allowedTargets, type McpAction, mcpActions } from '../mcp-actions.ts';
import type { ProcessState } from '../process-state.ts';

const actionsOption = flag(
  'allow-actions',
  'Also offer the tools that start something, for the named targets.',
);
const targetOption = repeated({
  name: 'allow-target',
  valueName: 'URL|NODE|FILE',
  meaning:
    'With --allow-actions: an endpoint that may be loaded, a node that may be measured (cluster: every node), or /a/file that may be imported. May be repeated.',
  parse: nonEmpty,
});

export const mcpCommand: Command = {
  name: 'mcp',
  summary: 'Serve the cluster to AI assistants by the Model Context Protocol',
  description:
    'Uses standard input and output, one JSON-RPC message a line, until its input ends. Answers come from the\nrunning daemon; nothing is changed without --allow-actions.',
  arguments: [],
  options: [homeOption, actionsOption, targetOption],
  examples: [
    { line: 'claude mcp add plimsoll -- plimsoll mcp', meaning: 'one of the programs that start it' },
    {
      line: 'plimsoll mcp --allow-actions --allow-target http://127.0.0.1:8000 --allow-target atlas',
      meaning: 'it may load that endpoint, and measure atlas',
    },
  ],
  run: async (invocation, state) => {
    const home = resolveHome({ ...state, option: invocation.option(homeOption) });
    const targets = targetsOf(invocation);
    const over = new AbortController();
    const until = AbortSignal.any([state.stop, over.signal]);
    const server = mcpServer<McpTool | McpAction>({
      version: state.version,
      tools: [...MCP_TOOLS, ...(await mcpActions(targets, { home, state, until }))],
      call: (tool, given) =>
        worded(() => (tool.isReadOnly ? fetchDaemon(tool, given, home, state) : tool.start(given))),
    });
    const report = async (answer: unknown): Promise<void> => {
      if (answer !== undefined) await state.stdout.write(`${showableJson(JSON.stringify(answer))}\n`);
    };
    for await (const line of state.inputLines(MESSAGE_BYTES_MAX)) {
      if (line.kind === 'too-long') {
        await report(rpcError(null, 'invalid-request', `a message has ${MESSAGE_BYTES_MAX} bytes at most`));
        break;
      }
      if (line.text.trim() === '') continue;
      const json = looseJson(line.text);
      await report(
        json === undefined
          ? rpcError(null, 'parse-error', 'this line is not JSON')
          : await server.answer(json),
      );
      if (state.stdout.closed.aborted) break;
    }
    // Runs that this server started end with it: no client is left to receive their results.
    over.abort();
    return EXIT_CODES.ok.code;
  },
};

/** @throws CommandError if either option is given without the other. */
const targetsOf = (invocation: Invocation): AllowedTargets => {
  const isAllowed = invocation.option(actionsOption);
  const given = invocation.option(targetOption);
  if (isAllowed && given.length === 0)
    throw new CommandError(
      'usage',
      '--allow-actions without --allow-target: nothing could be started',
      'Name what may be loaded or measured: --allow-target http://127.0.0.1:8000, or the name of a node, or cluster.',
    );
  if (!isAllowed && given.length > 0)
    throw new CommandError('usage', '--allow-target without --allow-actions', 'Write both, or neither.');
  return allowedTargets(given);
};

const fetchDaemon = async (
  tool: McpTool,
  given: unknown,
  home: string,
  state: ProcessState,
): Promise<McpAnswer> => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool.name, arguments: given },
  };
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
  const client = await findDaemon(home, state);
  const { result, error } = await client.answer(ANSWER, '/mcp', signal, 'POST', message);
  if (result?.structuredContent === undefined || result.isError)
    throw new McpToolError(result?.content[0]?.text ?? error?.message ?? 'the daemon gave no answer');
  // Its first line; the answer itself is repeated behind it by this side.
  return { text: result.content[0]?.text.split('\n', 1)[0] ?? '', structured: result.structuredContent };
};

/** @throws McpToolError with what a person can do where no daemon answers. */
const worded = async (answer: () => Promise<McpAnswer>): Promise<McpAnswer> => {
  try {
    return await answer();
  } catch (problem) {
    if (problem instanceof CommandError)
      throw new McpToolError(`${problem.problem.problem}. ${problem.problem.advice}`);
    throw problem;
  }
};

const ANSWER = v.object({
  result: v.exactOptional(
    v.object({
      content: v.array(v.object({ type: v.literal('text'), text: v.string() })),
      structuredContent: v.exactOptional(v.looseObject({})),
      isError: v.boolean(),
    }),
  ),
  error: v.exactOptional(v.object({ code: v.number(), message: v.string() })),
});
const ANSWER_MS = 30_000;
/** As much as a body of the daemon's HTTP. */
const MESSAGE_BYTES_MAX = 65_536;
