// Messages of the Model Context Protocol: to the table of tools, as bodies of POST /mcp, and as lines on the
// standard input of `plimsoll mcp`, whole and in pieces. Each request gets one answer by JSON-RPC, and none
// reports an internal failure.

import { Readable } from 'node:stream';
import * as v from 'valibot';
import { mcpCommand } from '../../../src/cli/commands/mcp.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { inputLines } from '../../../src/cli/standard-input.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { runViews } from '../../../src/core/run/run-selectors.ts';
import { readRpcMessage } from '../../../src/daemon/mcp/json-rpc.ts';
import { MCP_TOOLS, mcpServer } from '../../../src/daemon/mcp/mcp-server.ts';
import { TOKEN } from '../../daemon/http/served-cluster.ts';
import { madeFacts } from '../../model/made-headers.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { recordedState } from '../../support/recorded-state.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { type FuzzTarget, firstByteChooses, holdEqual, textOfInput, textSeeds } from '../fuzz-target.ts';
import { type FuzzedCluster, fuzzedCluster } from '../fuzzed-cluster.ts';
import { answerOf } from '../socketless-http.ts';

let served: Promise<FuzzedCluster> | undefined;
const running = (): Promise<FuzzedCluster> => {
  served ??= fuzzedCluster();
  return served;
};

const ANSWER = v.union([
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    id: v.union([v.string(), v.number()]),
    result: v.looseObject({ structuredContent: v.exactOptional(v.looseObject({})) }),
  }),
  v.strictObject({
    jsonrpc: v.literal('2.0'),
    id: v.nullable(v.union([v.string(), v.number()])),
    error: v.strictObject({ code: v.picklist([-32_700, -32_600, -32_601, -32_602]), message: v.string() }),
  }),
]);

const holdAnswer = (text: string): v.InferOutput<typeof ANSWER> => {
  const read = v.safeParse(ANSWER, JSON.parse(text));
  if (!read.success) throw new Error(`it answers ${text.slice(0, 200)}`);
  return read.output;
};

const clock = new VirtualClock();
const STATE = await recordedState(clock);
const TOOLS = mcpServer({
  version: '1',
  tools: MCP_TOOLS,
  call: (tool, given) =>
    tool.call(given, { state: STATE, nowMs: clock.nowMs(), wallMs: 0, profileRows: async () => [] }),
});

/** The description of a tool is its schema. */
const callTools = async (input: Uint8Array): Promise<unknown> => {
  const json = parsed(textOfInput(input));
  if (json === undefined) return undefined;
  const reported = await TOOLS.answer(json);
  const read = readRpcMessage(json);
  if ((reported === undefined) !== (read.kind === 'notification'))
    throw new Error('it answers what is no request');
  if (reported === undefined) return undefined;
  const answer = holdAnswer(JSON.stringify(reported));
  const structured = 'result' in answer ? answer.result.structuredContent : undefined;
  const tool = MCP_TOOLS.find(
    ({ name }) => read.kind === 'request' && name === Object(read.request.params)['name'],
  );
  if (structured !== undefined && tool !== undefined) v.parse(tool.output, structured);
  return answer;
};

const post = async (input: Uint8Array): Promise<void> => {
  const { cluster, server } = await running();
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: ${input.length}\r\n\r\n`;
  const reported = await answerOf(server, Buffer.concat([Buffer.from(head), input]));
  if (!/^HTTP\/1\.1 (200|202|400|413) /.test(reported))
    throw new Error(`it answers ${JSON.stringify(reported.slice(0, 60))}`);
  if (cluster.warnings.length > 0) throw new Error(`it logs ${cluster.warnings[0]}`);
  const body = reported.slice(reported.indexOf('\r\n\r\n') + 4);
  // Of a long answer the first piece came.
  if (reported.startsWith('HTTP/1.1 200') && reported.includes(`content-length: ${body.length}\r\n`))
    holdAnswer(Buffer.from(body, 'latin1').toString('utf8'));
};

const typed = async (pieces: readonly Buffer[]): Promise<string> => {
  const { state, stdout, stderr } = madeUpProcess(['mcp', '--home', '/nobody/here']);
  const code = await runCommand([mcpCommand], {
    ...state,
    inputLines: bytesMax => inputLines(Readable.from(pieces), bytesMax, state.stop),
  });
  if (code !== 0) throw new Error(`it ends with ${code}: ${stderr.text}`);
  return stdout.text;
};

/**
 * The first byte selects how the lines are split into pieces. No daemon runs: the answer to a tool is where
 * to start one.
 */
const onStandardInput = async (input: Uint8Array): Promise<void> => {
  const bytes = Buffer.from(input.subarray(1));
  const whole = await typed([bytes]);
  for (const line of whole.split('\n')) if (line !== '') holdAnswer(line);
  const size = Math.max(1 + (input[0] ?? 0), Math.ceil(bytes.length / PIECES_MOST));
  const count = Math.ceil(bytes.length / size);
  const pieces = Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  holdEqual('answers to lines in pieces', await typed(pieces), whole);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const PIECES_MOST = 256;
const message = (method: string, params: object = {}, id: string | number = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
const RUNS = runViews(STATE, clock.nowMs()).map(({ run }) => run.runId);
const [[FROM, TO] = []] = linkViews(STATE, clock.nowMs()).map(({ nodes }) => nodes);
const GIVEN = [
  {},
  { node: 'atlas', limit: 3 },
  { from: FROM, to: TO, days: 1, steps: 2 },
  { run: RUNS[0], a: RUNS[0], b: RUNS[1], model: await madeFacts('llama3-8b') },
];
const CALLS = MCP_TOOLS.flatMap(({ name }) =>
  GIVEN.map(given => message('tools/call', { name, arguments: given })),
);
const OTHERS = [
  message('initialize', { protocolVersion: '2025-06-18', capabilities: {} }, 'a'),
  message('ping'),
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
  '[{"jsonrpc":"2.0"}]',
];

export const target: FuzzTarget = {
  name: 'mcp',
  covers: ['src/daemon/mcp', 'src/daemon/http/mcp-routes.ts', 'src/cli/commands/mcp.ts'],
  ...firstByteChooses([
    { seeds: textSeeds(...OTHERS, message('tools/list'), ...CALLS), run: callTools },
    { seeds: textSeeds(...OTHERS, ...CALLS.slice(0, 8)), run: post },
    { seeds: textSeeds(`\u0005${OTHERS.join('\n')}\n\n${CALLS[0]}\n{`), run: onStandardInput },
  ]),
  close: async () => {
    const open = await served;
    served = undefined;
    await open?.cluster[Symbol.asyncDispose]();
  },
};
