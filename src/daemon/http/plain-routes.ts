// The routes of stored documents of every kind; and those of plain ones: what is known about them.

import type { DocumentType } from '../../core/document/document-kinds.ts';
import { LEASE_MS } from '../../core/document/document-views.ts';
import { plainView, plainViews } from '../../core/document/plain-views.ts';
import { nodeName } from '../../core/node/node-view.ts';
import {
  documentAnswerSchema,
  documentStopAnswerSchema,
  documentsAnswerSchema,
} from '../../wire/api/document-answers.ts';
import type { RoutedKind } from '../runs/document-kind.ts';
import { PLAIN_DOCUMENT, type PlainTypes } from '../runs/plain-kind.ts';
import { comparisonRoutes } from './comparison-routes.ts';
import { documentRoutes, idParameter, noSuchDocument, requestedId } from './document-routes.ts';
import type { HttpServerOptions } from './http-options.ts';
import { type ApiRoute, jsonRoute } from './route.ts';
import { runRoutes } from './run-routes.ts';
import { sweepRoutes } from './sweep-routes.ts';

type RoutesOf = (options: HttpServerOptions) => readonly ApiRoute[];

/** In the order of the API's documentation. */
export const storedDocumentRoutes: RoutesOf = options =>
  Object.values(ROUTES).flatMap(routesOf => [...routesOf(options)]);

const plainRoutes: RoutesOf = options => [
  ...readRoutes(options),
  ...documentRoutes(options, {
    kind: KIND,
    registry: options.documents,
    stopAnswer: documentStopAnswerSchema,
    stopped: documentId => ({ documentId }),
  }),
];

const readRoutes = ({ clock, cluster, nodeId, documents }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: KIND.path,
    access: 'read',
    summary: `Documents that are neither runs nor sweeps nor comparisons, such as probe campaigns, newest first. One in progress without news for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The documents.',
    answer: documentsAnswerSchema,
    handle: () => ({ documents: [...plainViews(cluster.state, clock.nowMs())] }),
  }),
  jsonRoute({
    method: 'GET',
    path: `${KIND.path}/{documentId}`,
    access: 'read',
    summary: 'One document: its file, also while it is in progress, if that is on the answering node.',
    parameters: [idParameter(KIND)],
    description: 'The document.',
    answer: documentAnswerSchema,
    handle: async request => {
      const id = requestedId(KIND, request);
      const document = plainView(cluster.state, id, clock.nowMs());
      if (document === undefined) throw noSuchDocument(KIND, id);
      const file = document.node === nodeId ? await documents?.file(id) : undefined;
      if (file === undefined)
        return { document, file: null, notice: `its files are on ${nodeName(cluster.state, document.node)}` };
      return 'document' in file
        ? { document, file: file.document.document, notice: '' }
        : { document, file: null, notice: file.reason };
    },
  }),
];

const ROUTES: { readonly [T in DocumentType]: RoutesOf } = {
  run: runRoutes,
  sweep: sweepRoutes,
  comparison: comparisonRoutes,
  document: plainRoutes,
};

const KIND: RoutedKind<PlainTypes> = PLAIN_DOCUMENT;
