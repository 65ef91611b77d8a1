// The past: the last quarter of an hour of live figures from memory, and profiles from the journal.

import * as v from 'valibot';
import { nodeIdSchema } from '../../core/schema.ts';
import {
  historyAnswerSchema,
  type LiveHistoryAnswer,
  type ProfileHistoryAnswer,
} from '../../wire/api/history-answers.ts';
import type { HttpServerOptions } from './http-options.ts';
import { YieldingQueue } from './in-turns.ts';
import { profileRow } from './profile-row.ts';
import { RequestError } from './request-error.ts';
import {
  type ApiRoute,
  jsonAnswer,
  type RouteParameter,
  readQuery,
  sendJson,
  sendJsonText,
} from './route.ts';

const HISTORY_ROWS_MAX = 5_000;
const HISTORY_BACK_MS_MAX: number = 90 * 24 * 3_600_000;

export const historyRoute = ({ clock, cluster, nodeId }: HttpServerOptions): ApiRoute => {
  const turns = new YieldingQueue();
  return {
    method: 'GET',
    path: '/api/history',
    access: 'read',
    summary:
      'Live series of a node (15 minutes, one value a second, null where none was reported); with slot and key, its profiles from the journal.',
    parameters: [NODE, SLOT, KEY, BACK_MS, LIMIT],
    body: undefined,
    answers: { 200: jsonAnswer('Series by name, or rows of profiles.', historyAnswerSchema) },
    handle: async (request, reply) => {
      const requested = readQuery(request, NODE) ?? 'self';
      const node = requested === 'self' ? nodeId : requested;
      const slot = readQuery(request, SLOT);
      const key = readQuery(request, KEY);
      const backMs = readQuery(request, BACK_MS) ?? BACK_MS_DEFAULT;
      const limit = readQuery(request, LIMIT) ?? ROWS_DEFAULT;
      if ((slot === undefined) !== (key === undefined))
        throw slotWithoutKey(slot === undefined ? 'slot' : 'key');
      if (slot === undefined || key === undefined) {
        const nowMs = clock.nowMs();
        const answer: LiveHistoryAnswer = { node, nowMs, ...cluster.history.series(node, nowMs) };
        return sendJson(reply, answer);
      }
      const sinceWallMs = clock.wallMs() - backMs;
      const rows = cluster.profileHistory({ origin: node, slot, key, sinceWallMs, limit });
      // Converted to text right away: thousands of rows at once would take as long as reading them.
      const texts = await turns.map(
        rows,
        row => JSON.stringify(profileRow(row)),
        () => !reply.raw.destroyed,
      );
      const head: ProfileHistoryAnswer = { node, slot, key, rows: [] };
      return sendJsonText(reply, `${JSON.stringify(head).slice(0, -2)}${(texts ?? []).join(',')}]}`);
    },
  };
};

/** Either alone would give something else than was meant: live series, or no rows. */
const slotWithoutKey = (parameter: 'slot' | 'key'): RequestError =>
  new RequestError({
    code: 'bad-query',
    problem: `The query parameter "${parameter}" is missing: slot and key go together.`,
    advice: 'Leave both out for live series.',
    parameter,
  });

const query = <T>(
  name: string,
  description: string,
  schema: v.GenericSchema<unknown, T>,
): RouteParameter<T> => ({ name, in: 'query', description, schema });

const wholeNumber = (max: number): v.GenericSchema<unknown, number> =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, 'not a whole number'),
    v.transform(Number),
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(max),
  );

const BACK_MS_DEFAULT = 3 * 24 * 3_600_000;
const ROWS_DEFAULT = 500;

const NODE = query(
  'node',
  'A node id, or "self"; the node that answers when left out.',
  v.union([v.literal('self'), nodeIdSchema]),
);
const SLOT = query('slot', 'Profiles instead of live series.', v.picklist(['gpu', 'link']));
const KEY = query('key', 'Which device or connection, as in the state.', v.string());
const BACK_MS = query(
  'backMs',
  'How far back profiles go, ms. Default 3 days.',
  wholeNumber(HISTORY_BACK_MS_MAX),
);
const LIMIT = query('limit', 'Rows at most, the newest. Default 500.', wholeNumber(HISTORY_ROWS_MAX));
