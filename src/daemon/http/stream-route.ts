// The stream's own route: it takes the response from Fastify, because it never ends by itself.

import { RequestError } from './request-error.ts';
import type { RequestGuard } from './request-guard.ts';
import type { ApiRoute } from './route.ts';
import type { StreamHub } from './stream/stream-hub.ts';

export const streamRoute = (hub: StreamHub, guard: RequestGuard): ApiRoute => ({
  method: 'GET',
  path: '/api/stream',
  access: 'read',
  summary:
    'Server-sent events: "snapshot", then "batch" at most ten times a second, "heartbeat" every five seconds, "dropped" with a reason before the end.',
  parameters: [
    {
      name: 'last-event-id',
      in: 'header',
      isRequired: false,
      description: 'Resumes after the event of this id where that is still held; a snapshot comes otherwise.',
      schema: { type: 'string' },
    },
  ],
  body: undefined,
  isStream: true,
  responses: {
    200: { description: 'The stream.', contentType: 'text/event-stream', schema: { type: 'string' } },
  },
  handle: (request, reply) => {
    const grant = guard.grant(request.raw, 'read');
    if (request.method === 'HEAD') return reply.type(STREAM_TYPE).send('');
    if (reply.raw.socket === null) {
      throw new RequestError({
        code: 'pipelined-stream',
        problem: 'The stream was asked for behind a request that is not answered yet.',
        advice: 'Ask for the stream when the answers before it have been read.',
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
