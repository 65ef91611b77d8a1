// What was: the last quarter of an hour of live figures from memory, and profiles from the journal.

import type { FastifyRequest } from 'fastify';
import { isNodeId, type NodeId } from '../../core/ids.ts';
import { unknown } from '../../core/unknown.ts';
import type { HistoryRow } from '../../journal/journal.ts';
import type { HttpServerOptions } from './http-options.ts';
import { JSON_TYPE, toJson } from './json.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, anyObject, jsonResponse, queryValues } from './route.ts';

export const HISTORY_ROWS_MAX = 5_000;
export const HISTORY_BACK_MS_MAX: number = 90 * 24 * 3_600_000;

export const historyRoute = ({ clock, cluster, nodeId }: HttpServerOptions): ApiRoute => ({
  method: 'GET',
  path: '/api/history',
  access: 'read',
  summary:
    'Live series of a node (15 minutes, one value a second, null where nothing was told); with slot and key, its profiles from the journal.',
  parameters: [
    query('node', 'A node id; the node that answers when left out.', { type: 'string' }),
    query('slot', '"gpu" or "link": profiles instead of live series.', {
      type: 'string',
      enum: ['gpu', 'link'],
    }),
    query('key', 'Which device or connection, as in the state.', { type: 'string' }),
    query('backMs', 'How far back profiles go. Default 3 days.', {
      type: 'integer',
      maximum: HISTORY_BACK_MS_MAX,
    }),
    query('limit', 'Rows at most, the newest. Default 500.', { type: 'integer', maximum: HISTORY_ROWS_MAX }),
  ],
  body: undefined,
  responses: { 200: jsonResponse('The history.', anyObject('Series by name, or rows.')) },
  handle: (request, reply) => {
    const node = askedNode(request, nodeId);
    const slot = single(request, 'slot');
    if (slot === undefined) {
      const nowMs = clock.nowMs();
      return reply.type(JSON_TYPE).send(toJson({ node, nowMs, ...cluster.history.series(node, nowMs) }));
    }
    if (slot !== 'gpu' && slot !== 'link') throw badQuery('slot', 'must be "gpu" or "link"');
    const key = single(request, 'key') ?? '';
    const backMs = wholeNumber(request, {
      name: 'backMs',
      fallback: 3 * 24 * 3_600_000,
      max: HISTORY_BACK_MS_MAX,
    });
    const limit = wholeNumber(request, { name: 'limit', fallback: 500, max: HISTORY_ROWS_MAX });
    const sinceWallMs = clock.wallMs() - backMs;
    const rows = cluster.profileHistory({ origin: node, slot, key, sinceWallMs, limit });
    return reply.type(JSON_TYPE).send(toJson({ node, slot, key, rows: rows.map(readRow) }));
  },
});

const readRow = (row: HistoryRow) => ({
  atWallMs: row.atWallMs,
  isHourly: row.isHourly,
  record: parseRecord(row.body),
});

const parseRecord = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return unknown('the stored record is not JSON');
  }
};

const query = (name: string, description: string, schema: { readonly [keyword: string]: unknown }) => ({
  name,
  in: 'query' as const,
  isRequired: false,
  description,
  schema,
});

const askedNode = (request: FastifyRequest, self: NodeId): NodeId => {
  const text = single(request, 'node');
  if (text === undefined || text === 'self') return self;
  if (isNodeId(text)) return text;
  throw badQuery('node', 'must be a node id');
};

const single = (request: FastifyRequest, name: string): string | undefined => {
  const values = queryValues(request, name);
  if (values.length > 1) throw badQuery(name, 'is given more than once');
  return values[0];
};

const wholeNumber = (
  request: FastifyRequest,
  { name, fallback, max }: { readonly name: string; readonly fallback: number; readonly max: number },
): number => {
  const text = single(request, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= max) return value;
  throw badQuery(name, `must be a whole number from 1 to ${max}`);
};

const badQuery = (name: string, problem: string): RequestError =>
  new RequestError({
    code: 'bad-query',
    problem: `The query parameter "${name}" ${problem}.`,
    advice: '',
    parameter: name,
  });
