// The series of paths in /metrics: what is lost comes first where there are more than the limit, and the rest is counted.

import { expect, test } from 'vitest';
import { factOf } from '../../../src/core/event-kinds.ts';
import type { LossCode } from '../../../src/core/link/connection.ts';
import { linkViews } from '../../../src/core/link/link-view.ts';
import { addLinkMetrics } from '../../../src/daemon/http/metrics/link-metrics.ts';
import { MetricPage } from '../../../src/daemon/http/metrics/metric-page.ts';
import { A, B, Cluster, lost, NOW_MS, socket } from '../../support/linked-nodes.ts';

const cable = socket(B, '10.0.0.2', ['en0', 'eth0']);
const other = socket(B, '10.1.0.2', ['en1', 'eth1']);

/** Of two paths of a link, of which one has closed with that code. */
const seriesOf = (code: LossCode, connectionsMax: number): readonly string[] => {
  const { state } = new Cluster()
    .record(A, 0, factOf('connection.opened', other), factOf('connection.opened', cable))
    .record(A, NOW_MS - 300_000, lost(cable, { code }))
    .present();
  const page = new MetricPage(1_700_000_000_000);
  const links = linkViews(state, NOW_MS);
  addLinkMetrics(page, { state, links, nowMs: NOW_MS, nodeId: A, only: undefined, connectionsMax });
  return page
    .text('prometheus')
    .split('\n')
    .flatMap(line => {
      const [, path, value] = /^plimsoll_link_path_up\{.*path="([^"]*)".*\} (\d)$/.exec(line) ?? [];
      const [, leftOut] = /^plimsoll_link_paths_left_out (\d+)$/.exec(line) ?? [];
      return path !== undefined ? [`${path} ${value}`] : leftOut !== undefined ? [`left out ${leftOut}`] : [];
    });
};

test('a path has one series, 0 while it is lost, and a lost one stays where others are left out', () => {
  expect(seriesOf('no-answer', 10).toSorted()).toEqual(['en0–eth0 0', 'en1–eth1 1', 'left out 0']);
  expect(seriesOf('no-answer', 1).toSorted()).toEqual(['en0–eth0 0', 'left out 1']);
});

test('a path that waits for a node that was away has no series', () => {
  expect(seriesOf('node-stopped', 10).toSorted()).toEqual(['en1–eth1 1', 'left out 0']);
});
