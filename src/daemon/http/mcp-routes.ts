// The Model Context Protocol over HTTP (Streamable HTTP without sessions and without streams): each message is one request. The token
// is needed on loopback too, because a page that a browser shows may reach loopback, and answers are not only figures.

import * as v from 'valibot';
import { MCP_TOOLS, mcpServer } from '../mcp/mcp-server.ts';
import type { HttpServerOptions } from './http-options.ts';
import { YieldingQueue } from './in-turns.ts';
import { profileRow } from './profile-row.ts';
import { type ApiRoute, jsonAnswer, sendJson } from './route.ts';

export const mcpRoutes = (options: HttpServerOptions): readonly ApiRoute[] => {
  const { cluster, clock, version } = options;
  const turns = new YieldingQueue();
  const server = mcpServer({
    version,
    tools: MCP_TOOLS,
    call: (tool, given) =>
      tool.call(given, {
        ...options,
        state: cluster.state,
        nowMs: clock.nowMs(),
        wallMs: clock.wallMs(),
        profileRows: async query =>
          (await turns.map(cluster.profileHistory(query), profileRow, () => true)) ?? [],
      }),
  });
  return [
    {
      method: 'POST',
      path: '/mcp',
      access: 'change',
      summary:
        'The Model Context Protocol: one JSON-RPC message, for programs that reason about the cluster. Nothing is changed.',
      parameters: [],
      body: v.pipe(v.unknown(), v.description('A JSON-RPC 2.0 message.')),
      answers: {
        200: jsonAnswer(
          'The answer to a request.',
          v.pipe(v.unknown(), v.description('A JSON-RPC 2.0 answer.')),
        ),
        202: { description: 'The notification was accepted.', content: undefined },
      },
      handle: async (request, reply) => {
        const answer = await server.answer(request.body);
        return answer === undefined ? reply.code(202).send() : sendJson(reply, answer);
      },
    },
  ];
};
