// The stream's own route: it takes the response from Fastify, because it never ends by itself.

import * as v from 'valibot';
import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import type { ApiRoute } from './route.ts';
import type { StreamHub } from './stream/stream-hub.ts';

export const streamRoute = (hub: StreamHub, guard: RequestGuard): ApiRoute => ({
  method: 'GET',
  path: '/api/stream',
  access: 'read',
  summary:
    'Server-sent events: "snapshot", then "batch" at most ten times a second, "heartbeat" every five seconds, and "dropped" with a reason before the end.',
  parameters: [
    {
      name: 'last-event-id',
      in: 'header',
      description:
        'Resumes after the event with this id if it is still held; otherwise starts with a snapshot.',
      schema: v.string(),
    },
  ],
  body: undefined,
  isStream: true,
  answers: {
    200: { description: 'The stream.', content: { type: STREAM_TYPE, schema: STREAM } },
  },
  handle: (request, reply) => {
    const grant = guard.grant(request.raw, 'read');
    if (request.method === 'HEAD') return reply.type(STREAM_TYPE).send('');
    if (reply.raw.socket === null) {
      throw new RequestError({
        code: 'pipelined-stream',
        problem: 'The stream was requested on a connection with an unanswered request.',
        advice: 'Request the stream once the earlier answers have been read.',
      });
    }
    hub.checkRoom();
    const lastId = request.headers['last-event-id'];
    if (Array.isArray(lastId)) {
      throw new RequestError({
        code: 'bad-header',
        problem: 'The request has several Last-Event-ID headers.',
        advice: 'Send one.',
      });
    }
    const headers = { ...reply.getHeaders(), 'content-type': STREAM_TYPE, 'x-accel-buffering': 'no' };
    reply.hijack();
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) reply.raw.setHeader(name, value);
    reply.raw.flushHeaders();
    hub.open(reply.raw, { grant, lastId });
    return reply;
  },
});

const STREAM_TYPE = 'text/event-stream';
/** OpenAPI 3.1 has no word for the items of a stream. */
const STREAM = v.pipe(
  v.string(),
  v.description(
    'The data of each event is JSON in one line: "snapshot" is StreamSnapshot, "batch" StreamBatch, "heartbeat" StreamHeartbeat, "dropped" StreamDropped.',
  ),
);
