// The state, whole or in part, with every age as of now.

import * as v from 'valibot';
import { stateAnswerSchema } from '../../wire/api/state-answers.ts';
import { withAgesAt } from '../../wire/stream-message.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, jsonRoute, urlPath } from './route.ts';

export const stateRoutes = ({ clock, cluster }: HttpServerOptions): readonly ApiRoute[] => {
  const stateNow = () => {
    const nowMs = clock.nowMs();
    return { ...withAgesAt(cluster.state, nowMs), nowMs };
  };
  return [
    jsonRoute({
      method: 'GET',
      path: '/api/state',
      access: 'read',
      summary:
        'The whole state: mappings by kind, keyed by node id. Sizes are in bytes, ages in milliseconds.',
      description: 'The state.',
      answer: stateAnswerSchema,
      handle: stateNow,
    }),
    jsonRoute({
      method: 'GET',
      path: '/api/state/{path}',
      access: 'read',
      summary: 'A part of the state, by its path: /api/state/nodeMemories/<node>/value/totalBytes.',
      parameters: [
        {
          name: 'path',
          in: 'path',
          description: 'Keys, each percent-encoded, separated by slashes.',
          schema: v.string(),
        },
      ],
      description: 'The part.',
      answer: v.pipe(
        v.unknown(),
        v.description('The value at that path: a mapping, an entry, or a part of its value.'),
      ),
      handle: request => {
        const segments = pathSegments(urlPath(request.url).slice('/api/state'.length));
        if (segments === undefined) {
          throw new RequestError({
            code: 'bad-url',
            problem: 'An escape in the path is malformed.',
            advice: '',
          });
        }
        const walked = walkOwn(stateNow(), segments);
        if (walked.kind === 'found') return walked.value;
        throw new RequestError({
          code: 'not-in-state',
          problem: `The state has nothing at ${segments.join(' / ').slice(0, 200)}.`,
          advice: 'GET /api/state shows its keys.',
        });
      },
    }),
  ];
};

type Walked = { readonly kind: 'found'; readonly value: unknown } | { readonly kind: 'absent' };

/** Decoded segments of the path beneath a prefix; undefined when an escape in it is malformed. */
export const pathSegments = (path: string): readonly string[] | undefined => {
  const beneath = path.replace(/^\//, '');
  if (beneath === '') return [];
  try {
    return beneath
      .replace(/\/$/, '')
      .split('/')
      .map(segment => decodeURIComponent(segment));
  } catch {
    return undefined;
  }
};

/** Own properties only: a path can never reach a prototype, a method or the length of an array. */
export const walkOwn = (root: unknown, segments: readonly string[]): Walked => {
  let value = root;
  for (const segment of segments) {
    if (typeof value !== 'object' || value === null) return { kind: 'absent' };
    if (Array.isArray(value) && !ARRAY_INDEX.test(segment)) return { kind: 'absent' };
    const property = Object.getOwnPropertyDescriptor(value, segment);
    if (property === undefined || !('value' in property)) return { kind: 'absent' };
    value = property.value;
  }
  return { kind: 'found', value };
};

const ARRAY_INDEX = /^(?:0|[1-9]\d{0,9})$/;
