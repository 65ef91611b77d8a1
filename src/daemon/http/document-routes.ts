// The routes of one kind of stored document: where a process of this machine reports its own, and where a person stops one.
// What is read of a kind is the kind's own; everything else derives from its row.

import type { FastifyRequest } from 'fastify';
import type { GenericSchema } from 'valibot';
import { documentViews, type StoredDocument } from '../../core/document/document-views.ts';
import { nodeName } from '../../core/node/node-view.ts';
import type { Infer } from '../../core/schema.ts';
import type { State } from '../../core/state.ts';
import { JOURNAL_RETRY_MS } from '../event-recorder.ts';
import type { DocumentTypes, RoutedKind } from '../runs/document-kind.ts';
import type { DocumentRegistry, ReportedState } from '../runs/document-registry.ts';
import type { HttpServerOptions } from './http-options.ts';
import { RequestError } from './request-error.ts';
import { type ApiRoute, bodyRoute, jsonRoute, pathText, type RouteParameter } from './route.ts';

type Served = Pick<HttpServerOptions, 'clock' | 'nodeId'> & { readonly cluster: { readonly state: State } };

interface DocumentRoutes<T extends DocumentTypes, Stopped extends GenericSchema> {
  readonly kind: RoutedKind<T>;
  /** Undefined: none are accepted. */
  readonly registry: DocumentRegistry<T> | undefined;
  readonly stopAnswer: Stopped;
  readonly stopped: (id: T['id']) => Infer<Stopped>;
  /** Next to the route that takes progress. */
  readonly more?: readonly ApiRoute[];
}

/** For programs that report, and for stopping one. */
export const documentRoutes = <T extends DocumentTypes, Stopped extends GenericSchema>(
  options: Served,
  { kind, registry, stopAnswer, stopped, more = [] }: DocumentRoutes<T, Stopped>,
): readonly ApiRoute[] => {
  const { path, summaries, one } = kind;
  const parameter = idParameter(kind);
  const itsPath = `${path}/{${kind.idName}}`;
  const accepting = (): DocumentRegistry<T> => registry ?? refuseAll(kind);
  const checkSame = (request: FastifyRequest, reported: T['id']): void => {
    if (requestedId(kind, request) === reported) return;
    throw new RequestError({
      code: 'bad-body',
      problem: `The body names another ${one} than the path.`,
      advice: '',
    });
  };
  return [
    bodyRoute({
      method: 'POST',
      path,
      access: 'change',
      summary: summaries.start,
      body: kind.startBody,
      statuses: { 204: REPORTED[204] },
      handle: begun => {
        checkReported(accepting().start(begun), kind);
        return 204;
      },
    }),
    bodyRoute({
      method: 'PUT',
      path: `${itsPath}/progress`,
      access: 'change',
      summary: summaries.progress,
      parameters: [parameter],
      body: kind.updateBody,
      statuses: REPORTED,
      handle: (update, request) => {
        checkSame(request, kind.idOf(update));
        return statusOf(accepting().update(update), kind);
      },
    }),
    ...more,
    bodyRoute({
      method: 'POST',
      path: `${itsPath}/end`,
      access: 'change',
      summary: summaries.end,
      parameters: [parameter],
      body: kind.endBody,
      statuses: { 204: REPORTED[204] },
      handle: (ended, request) => {
        checkSame(request, kind.idOf(ended));
        checkReported(accepting().end(ended), kind);
        return 204;
      },
    }),
    jsonRoute({
      method: 'POST',
      path: `${itsPath}/stop`,
      access: 'change',
      summary: summaries.stop,
      parameters: [parameter],
      status: 202,
      description: 'The stop was requested; it ends within seconds.',
      answer: stopAnswer,
      handle: request => {
        const id = requestedId(kind, request);
        checkStoppable(options, kind, id, isHere => isHere && accepting().stop(id));
        return stopped(id);
      },
    }),
  ];
};

export const REPORTED = { 204: 'Accepted.', 202: 'Accepted, and a person requested that it stop.' } as const;

export const idParameter = <T extends DocumentTypes>({
  idName,
  idMeaning,
  idSchema,
}: RoutedKind<T>): RouteParameter<T['id']> => ({
  name: idName,
  in: 'path',
  description: idMeaning,
  schema: idSchema,
});

/** @throws RequestError 404 where it is no id. */
export const requestedId = <T extends DocumentTypes>(
  kind: RoutedKind<T>,
  request: FastifyRequest,
): T['id'] => {
  const text = pathText(request, idParameter(kind));
  if (kind.isId(text)) return text;
  throw noSuchDocument(kind, text);
};

export const noSuchDocument = (
  { unknownCode, noSuch }: Pick<RoutedKind<DocumentTypes>, 'unknownCode' | 'noSuch'>,
  text: string,
): RequestError => new RequestError({ code: unknownCode, ...noSuch(text.slice(0, 64)) });

/** @param stop whether it was requested, of a document of this node or of another one. @throws RequestError */
const checkStoppable = <T extends DocumentTypes>(
  { cluster, clock, nodeId }: Served,
  kind: RoutedKind<T>,
  id: T['id'],
  stop: (isHere: boolean) => boolean,
): void => {
  const view = documentViews<StoredDocument>(kind, cluster.state, clock.nowMs()).find(
    ({ document }) => kind.idOf(document) === id,
  );
  if (view === undefined) throw noSuchDocument(kind, id);
  if (!view.isLive)
    throw new RequestError({
      code: 'run-not-live',
      problem: `This ${kind.one} is not in progress: it has ended, or its process no longer responds.`,
      advice: '',
    });
  if (stop(view.node === nodeId)) return;
  throw new RequestError(
    {
      code: 'run-elsewhere',
      problem: `The process of this ${kind.one} is on ${nodeName(cluster.state, view.node)}, where this daemon cannot reach it.`,
      advice: 'Stop it on the page of that machine, or with Ctrl-C.',
      node: view.node,
    },
    { status: 409 },
  );
};

/** @throws RequestError always: nothing follows this kind here. */
export const refuseAll = ({ one }: { readonly one: string }): never => {
  throw new RequestError({
    code: 'no-runs',
    problem: `This server does not accept ${one}s.`,
    advice: '',
  });
};

/** @throws RequestError where it was not taken. */
export const statusOf = <T extends DocumentTypes>(
  reported: ReportedState,
  kind: RoutedKind<T>,
): 202 | 204 => {
  checkReported(reported, kind);
  return reported === 'stop' ? 202 : 204;
};

const checkReported = <T extends DocumentTypes>(
  reported: ReportedState,
  { one, unknownCode, fullCode, path }: RoutedKind<T>,
): void => {
  switch (reported) {
    case 'taken':
    case 'stop':
      return;
    case 'waiting':
      throw new RequestError(
        {
          code: 'not-stored',
          problem:
            'The disk of this daemon does not store it: it is only in memory, and is lost when the daemon stops.',
          advice: 'Free some space, then retry.',
        },
        { headers: { 'retry-after': String(JOURNAL_RETRY_MS / 1_000) } },
      );
    case 'unknown':
      throw new RequestError({
        code: unknownCode,
        problem: `No such ${one} was started here.`,
        advice: `POST ${path} first.`,
      });
    case 'full':
      throw new RequestError(
        { code: fullCode, problem: `This daemon already follows as many ${one}s as it can.`, advice: '' },
        { headers: { 'retry-after': '10' } },
      );
    default:
      reported satisfies never;
  }
};
