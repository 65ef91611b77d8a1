// A node before it talks to others: its home and key, its settings, its journal, the state from the journal, and the
// recorder that numbers its events. All of it ends with the given lifetimes.

import type { Clock } from '../clock/clock.ts';
import type { LogConfig } from '../config/config.ts';
import { HomeError, type HomeNotice, homeFiles, openHome } from '../config/home.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { Journal } from '../journal/journal.ts';
import { removeUnfinished } from '../process/atomic-file.ts';
import type { Notice } from '../wire/notice.ts';
import { Cluster } from './cluster.ts';
import { DaemonError } from './daemon-error.ts';
import type { DaemonOptions, LogOutput } from './daemon-options.ts';
import { EventRecorder, type Recorded } from './event-recorder.ts';
import { lockHome } from './home-lock.ts';
import { MachineAddresses } from './http/host.ts';
import type { Lifetimes } from './lifetimes.ts';
import { LiveConfig } from './live-config.ts';
import { DaemonLog } from './log/daemon-log.ts';
import type { LogEvent } from './log/log-events.ts';
import { type NodeKey, openNodeKey } from './node-key.ts';
import { Notices } from './notices.ts';
import { openDaemonJournal } from './open-journal.ts';
import { startOwnEpoch } from './own-epoch.ts';
import { restore } from './restore.ts';

export interface OwnNode {
  readonly key: NodeKey;
  readonly log: DaemonLog;
  readonly notices: Notices;
  readonly settings: LiveConfig;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly recorder: EventRecorder;
  /** What the other parts of the daemon need from it. */
  readonly voice: LocalNode;
}

/** To act as this node, and to see what it sees. */
export interface LocalNode {
  readonly nodeId: NodeId;
  readonly clock: Clock;
  readonly state: () => State;
  readonly record: (fact: Fact, ageMs?: number) => Recorded;
  readonly isOwnAddress: (address: string) => boolean;
}

/** @throws DaemonError when the home is in use or cannot be used. */
export const openOwnNode = async (
  { home, clock, onNotice, logOutput }: DaemonOptions,
  lifetimes: Lifetimes,
): Promise<OwnNode> => {
  const opened: { settings: LiveConfig | undefined } = { settings: undefined };
  const log = openLog(clock, logOutput, () => opened.settings?.config.log);
  const notices = new Notices(
    notice => {
      onNotice(notice);
      logNotice(log, 'notice-raised', notice);
    },
    notice => logNotice(log, 'notice-cleared', notice),
  );
  for (const notice of await usableHome(home)) notices.raise({ ...notice, id: notice.code });
  lifetimes.add(lockHome(home));
  await removeUnfinished(home);
  const key = await openNodeKey(home);
  const { nodeId } = key;
  const settings = await LiveConfig.open(homeFiles(home).config, notices);
  opened.settings = settings;
  const journal = lifetimes.add(
    openDaemonJournal(
      home,
      settings.config.journal,
      { ownNode: nodeId, ownPublicKey: key.publicKey, clock },
      notices,
    ),
  );
  const cluster = new Cluster();
  for (const reason of restore(journal, cluster, clock).refusals) {
    notices.raise({
      id: 'journal-refused',
      code: 'journal-refused',
      problem: `The journal has a record that this version cannot read: ${reason}.`,
      advice: '',
    });
  }
  const recorder = new EventRecorder({ key, clock, journal, cluster, notices });
  // Peers may have what is lost: its numbers must not be given again.
  if (journal.lost !== undefined)
    startOwnEpoch({ nodeId, clock, journal, cluster, recorder }, journal.lost.epoch);
  const addresses = new MachineAddresses(() => clock.nowMs());
  const voice: LocalNode = {
    nodeId,
    clock,
    state: () => cluster.state,
    record: (fact, ageMs) => recorder.record(fact, ageMs),
    isOwnAddress: address => addresses.has(address),
  };
  return { key, log, notices, settings, journal, cluster, recorder, voice };
};

/** Before config.toml is read, by its defaults. */
const openLog = (
  clock: Clock,
  output: LogOutput | undefined,
  config: () => LogConfig | undefined,
): DaemonLog =>
  new DaemonLog({
    clock,
    write: line => output?.write(line),
    settings: () => ({
      level: output?.level ?? config()?.level ?? (output?.isTerminal === true ? 'warn' : 'info'),
      format: output?.format ?? config()?.format ?? 'logfmt',
    }),
  });

const logNotice = (log: DaemonLog, event: LogEvent, { id, code, problem, advice }: Notice): void =>
  log.write(event, { code, problem, advice: advice === '' ? undefined : advice }, { subject: id });

const usableHome = async (home: string): Promise<readonly HomeNotice[]> => {
  try {
    return (await openHome(home)).notices;
  } catch (error) {
    if (!(error instanceof HomeError)) throw error;
    throw new DaemonError({ ...error.problem, code: 'home-unusable' }, { cause: error });
  }
};
