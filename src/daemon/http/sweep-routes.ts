// Sweeps and load lines: what is known about them.

import { LEASE_MS } from '../../core/document/document-views.ts';
import { nodeName } from '../../core/node/node-view.ts';
import { type SweepView, sweepView, sweepViews } from '../../core/sweep/sweep-selectors.ts';
import {
  type ListedSweep,
  sweepAnswerSchema,
  sweepStopAnswerSchema,
  sweepsAnswerSchema,
} from '../../wire/api/sweep-answers.ts';
import { SWEEP_DOCUMENT, stagesInOrder } from '../runs/sweep-kind.ts';
import { NOTHING } from './cluster-views.ts';
import { documentRoutes, idParameter, noSuchDocument, requestedId } from './document-routes.ts';
import type { HttpServerOptions } from './http-options.ts';
import { type ApiRoute, jsonRoute } from './route.ts';

export const sweepRoutes = (options: HttpServerOptions): readonly ApiRoute[] => [
  ...readRoutes(options),
  ...documentRoutes(options, {
    kind: SWEEP_DOCUMENT,
    registry: options.sweeps,
    stopAnswer: sweepStopAnswerSchema,
    stopped: sweepId => ({ sweepId }),
  }),
];

const readRoutes = ({ clock, cluster, nodeId, sweeps }: HttpServerOptions): readonly ApiRoute[] => [
  jsonRoute({
    method: 'GET',
    path: '/api/sweeps',
    access: 'read',
    summary: `Sweeps and load lines, newest first. One in progress without news for ${LEASE_MS / 1_000} s is shown as interrupted.`,
    description: 'The sweeps and lines.',
    answer: sweepsAnswerSchema,
    handle: () => ({ sweeps: sweepViews(cluster.state, clock.nowMs()).map(listed) }),
  }),
  jsonRoute({
    method: 'GET',
    path: '/api/sweeps/{sweepId}',
    access: 'read',
    summary:
      'One sweep or line: its stages so far while it is in progress, then its document if its files are on the answering node.',
    parameters: [idParameter(SWEEP_DOCUMENT)],
    description: 'The sweep or line.',
    answer: sweepAnswerSchema,
    handle: async request => {
      const sweepId = requestedId(SWEEP_DOCUMENT, request);
      const view = sweepView(cluster.state, sweepId, clock.nowMs());
      if (view === undefined) throw noSuchDocument(SWEEP_DOCUMENT, sweepId);
      const answer = { sweep: listed(view), document: null, stages: [], notice: '' };
      const isHere = view.node === nodeId;
      const live = isHere ? sweeps?.inProgress(sweepId)?.live : undefined;
      if (live !== undefined) return { ...answer, stages: stagesInOrder(live) };
      const file = isHere ? await sweeps?.file(sweepId) : undefined;
      if (file === undefined)
        return { ...answer, notice: `its files are on ${nodeName(cluster.state, view.node)}` };
      return 'document' in file ? { ...answer, document: file.document } : { ...answer, notice: file.reason };
    },
  }),
];

const listed = (view: SweepView): ListedSweep => ({ ...view, progress: view.progress ?? NOTHING });
