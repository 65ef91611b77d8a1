// The daemon of the home: whether it answers, what it reports about itself, and whether it could listen if it were started.

import { createServer } from 'node:net';
import { systemClock } from '../../clock/system-clock.ts';
import { homeFiles } from '../../config/home.ts';
import { effectiveConfig, readConfig } from '../../config/read-config.ts';
import type { ListenConfig } from '../../config/value-kinds.ts';
import { hostPortText } from '../../core/address/host-port.ts';
import { formatAge } from '../../core/figure/duration.ts';
import { figureText } from '../../core/figure/figure.ts';
import type { NodeId } from '../../core/ids.ts';
import { areEndsEqual, endsText, typeText } from '../../core/link/link-text.ts';
import { isCarrying, linkViews } from '../../core/link/link-view.ts';
import { type NodeView, nodeName, nodeView } from '../../core/node/node-view.ts';
import { nodeIds } from '../../core/node/presence-view.ts';
import { knownValue } from '../../core/node/reading-view.ts';
import { shortReason } from '../../core/problem.ts';
import type { State } from '../../core/state.ts';
import { clusterWarnings } from '../../core/warnings/cluster-warnings.ts';
import { readDaemonFile } from '../../daemon/daemon-file.ts';
import { decodeMeshStatus, type MeshStatus } from '../../wire/mesh-status.ts';
import { decodeNotices, type NoticeCode, type ReportedNotice } from '../../wire/notice.ts';
import { clusterNow } from '../cluster-stream.ts';
import { CommandError } from '../command-error.ts';
import { type DaemonClient, findDaemon, startAdvice } from '../daemon-client.ts';
import type { ProcessState } from '../process-state.ts';
import { type Check, checksOf } from './check.ts';
import { meshChecks } from './mesh-checks.ts';
import { readingChecks } from './reading-checks.ts';

const check = checksOf('daemon');
const clusterCheck = checksOf('cluster');

export const daemonChecks = async (home: string, state: ProcessState): Promise<readonly Check[]> => {
  const listen = effectiveConfig(await readConfig(homeFiles(home).config)).http.listen;
  const file = await readDaemonFile(homeFiles(home).daemon);
  if (file.kind === 'missing') {
    return [check('note', 'no daemon runs on this home', startAdvice(home, state)), await portCheck(listen)];
  }
  try {
    return await runningChecks(home, state);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { problem, advice } = error.problem;
    return [check('problem', problem, advice), await portCheck(listen)];
  }
};

const runningChecks = async (home: string, state: ProcessState): Promise<readonly Check[]> => {
  const client = await findDaemon(home, state);
  const signal = AbortSignal.any([state.stop, AbortSignal.timeout(ANSWER_MS)]);
  const [{ snapshot, state: cluster }, notices, mesh] = await Promise.all([
    clusterNow(client, systemClock, signal),
    client.json('/api/daemon', signal).then(decodeNotices),
    meshOf(client, signal),
  ]);
  const { url, pid } = client.file;
  const isSame = snapshot.plimsollVersion === state.version;
  return [
    check('ok', `it answers at ${url} (process ${pid})`),
    isSame
      ? check('ok', `it is version ${state.version}, as this command is`)
      : check(
          'problem',
          `it is version ${snapshot.plimsollVersion}, this command ${state.version}`,
          'Restart it.',
        ),
    ...noticeChecks(notices),
    ...(simulatedMeshChecks(viewsOf(cluster, systemClock.nowMs()), snapshot.nodeId) ??
      (mesh === undefined ? [] : meshChecks(mesh, state.platform))),
    ...clusterChecks(cluster, systemClock.nowMs()),
    ...endChecks(cluster, snapshot.nodeId, systemClock.nowMs()),
    ...readingChecks(nodeView(cluster, snapshot.nodeId, systemClock.nowMs())),
  ];
};

/** The daemon's notices about itself: most of them are problems to fix. */
export const noticeChecks = (notices: readonly ReportedNotice[]): readonly Check[] =>
  notices
    .filter(({ code }) => !REPORTED_ELSEWHERE.has(code))
    .map(({ code, problem, advice }) => check(IS_HARMLESS.has(code) ? 'note' : 'problem', problem, advice));

const viewsOf = (cluster: State, nowMs: number): readonly NodeView[] =>
  nodeIds(cluster).map(id => nodeView(cluster, id, nowMs));

/** What the pages warn of, a lost GPU among it. */
export const clusterChecks = (cluster: State, nowMs: number): readonly Check[] => {
  const views = viewsOf(cluster, nowMs);
  return clusterWarnings({ state: cluster, views, nowMs }).map(({ level, title, why, on, command }) =>
    clusterCheck(
      level === 'note' ? 'note' : 'problem',
      `${title}. ${why}`,
      command === undefined ? '' : `On ${on ?? 'any node'}: ${command}`,
    ),
  );
};

/** What each link of this node is made of at both ends, so that a slow port is not taken for a bad cable. */
const endChecks = (cluster: State, self: NodeId, nowMs: number): readonly Check[] =>
  linkViews(cluster, nowMs)
    .filter(({ nodes, standing }) => nodes.includes(self) && isCarrying(standing))
    .slice(0, ENDS_MAX)
    .map(({ best, nodes }) => {
      const other = nodes[0] === self ? nodes[1] : nodes[0];
      const nameOf = (id: NodeId): string => nodeName(cluster, id);
      return clusterCheck(
        areEndsEqual(best.carrier) ? 'ok' : 'note',
        `the link to ${nameOf(other)} is ${typeText(best)}: ${endsText(best, nameOf)}`,
      );
    });

/** Undefined for a daemon of another version without this endpoint; an earlier check reports that. */
const meshOf = async (client: DaemonClient, signal: AbortSignal): Promise<MeshStatus | undefined> => {
  try {
    return decodeMeshStatus(await client.json('/api/mesh', signal));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return undefined;
  }
};

/** Whether the next start could listen where it should. */
const portCheck = async (listen: ListenConfig): Promise<Check> => {
  const address = hostPortText(listen);
  const failure = await listenOnce(listen);
  if (failure === undefined) return check('ok', `${address} is free to listen on`);
  const isTaken = failure === 'EADDRINUSE';
  if (isTaken && !listen.isExplicit)
    return check('note', `${address} is taken: the next free port would be used`);
  return check(
    'problem',
    isTaken ? `${address} is taken by another program` : `${address} cannot be listened on (${failure})`,
    'Choose another in config.toml, [http] listen, or with --http HOST:PORT.',
  );
};

const listenOnce = ({ host, port }: ListenConfig): Promise<string | undefined> =>
  new Promise(resolve => {
    const server = createServer();
    server.once('error', error => resolve(shortReason(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });

/** Notices that the mesh and home sections report in more detail. */
const REPORTED_ELSEWHERE: ReadonlySet<string> = new Set<NoticeCode>(['no-link', 'journal-gone']);
/** Conditions that the daemon worked around at startup; it reports elsewhere where it listens. */
const IS_HARMLESS: ReadonlySet<string> = new Set<NoticeCode>([
  'http-port-taken',
  'mesh-port-taken',
  'no-owner-socket',
]);
const ANSWER_MS = 5_000;
/** Links that are listed one by one; the pages show all of them. */
const ENDS_MAX = 32;

// The mesh of a demo: it exists in the memory of one process, so its daemon has no cluster key, no port and no peers to report.
// Its nodes are only in the state.
const meshCheck = checksOf('mesh');

/** Undefined where the node is a real one. */
const simulatedMeshChecks = (views: readonly NodeView[], own: NodeId): readonly Check[] | undefined => {
  const here = views.find(({ nodeId }) => nodeId === own);
  if (here === undefined || knownValue(here.identity)?.isSimulated !== true) return undefined;
  const others = views.filter(view => view !== here);
  const count = views.length === 1 ? '1 node' : `${views.length} nodes`;
  return [
    meshCheck('ok', `it is simulated, in the memory of this daemon: ${count}`, ''),
    ...others.map(({ name, presence, silentMs, stoppedMs }) => {
      if (presence === 'live') return meshCheck('ok', `${name} is linked`, '');
      if (stoppedMs !== undefined) return meshCheck('note', `${name} was stopped`, '');
      const silence = Number.isFinite(silentMs) ? `, silent for ${figureText(formatAge(silentMs))}` : '';
      return meshCheck(
        'note',
        `${name} is ${presence}${silence}`,
        'The demo simulates nodes that go and come back.',
      );
    }),
  ];
};
