// A node before it talks to others: its home and key, its settings, its journal, the state from the journal, and the
// recorder that numbers its events. All of it ends with the given lifetimes.

import type { Clock } from '../clock/clock.ts';
import type { LogConfig } from '../config/config.ts';
import { HomeError, type HomeNotice, homeFiles, openHome } from '../config/home.ts';
import type { Event } from '../core/event.ts';
import type { Fact } from '../core/event-kinds.ts';
import type { NodeId } from '../core/ids.ts';
import type { State } from '../core/state.ts';
import type { Journal, StoredRecord } from '../journal/journal.ts';
import { removeUnfinished } from '../process/atomic-file.ts';
import { decodeRecordBody } from '../wire/durable-record.ts';
import type { Notice } from '../wire/notice.ts';
import { Cluster } from './cluster.ts';
import { DaemonError } from './daemon-error.ts';
import type { DaemonOptions, LogOutput } from './daemon-options.ts';
import { EventRecorder, type Recorded } from './event-recorder.ts';
import { lockHome } from './home-lock.ts';
import { MachineAddresses } from './http/host.ts';
import type { Lifetimes } from './lifetimes.ts';
import { LiveConfig } from './live-config.ts';
import { DaemonLog, type LogEvent } from './log/daemon-log.ts';
import { type NodeKey, openNodeKey } from './node-key.ts';
import { Notices } from './notices.ts';
import { openDaemonJournal } from './open-journal.ts';
import { startOwnEpoch } from './own-epoch.ts';

export interface OwnNode {
  readonly key: NodeKey;
  readonly log: DaemonLog;
  readonly notices: Notices;
  readonly settings: LiveConfig;
  readonly journal: Journal;
  readonly cluster: Cluster;
  readonly recorder: EventRecorder;
  /** What the other parts of the daemon need from it. */
  readonly localNode: LocalNode;
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
  const localNode: LocalNode = {
    nodeId,
    clock,
    state: () => cluster.state,
    record: (fact, ageMs) => recorder.record(fact, ageMs),
    isOwnAddress: address => addresses.has(address),
  };
  return { key, log, notices, settings, journal, cluster, recorder, localNode };
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

// From the journal back to state, at start. Receipt times are placed in the past by this machine's wall clock; a replay
// receives nothing new, so a node that was silent before the restart is still silent after it.
interface Restored {
  readonly events: number;
  /** Reasons of records that this version cannot read, at most a few. */
  readonly refusals: readonly string[];
}

export const restore = (journal: Journal, cluster: Cluster, clock: Clock): Restored => {
  let count = 0;
  const refusals: string[] = [];
  for (const position of journal.origins()) {
    if (position.through === 0) continue;
    const events: Event[] = [];
    for (const record of journal.currentRecords(position.origin)) {
      const decoded = decodeRecordBody(record.body, {
        ageMs: record.ageMs,
        receivedAtMs: receivedAtMs(record, clock),
      });
      if (decoded.kind === 'event') events.push(decoded.event);
      else if (refusals.length < REFUSALS_MAX) refusals.push(decoded.reason);
    }
    count += events.length;
    cluster.restore({ ...position, events, receivedAtMs: lastReceiptMs(events, clock) });
  }
  return { events: count, refusals };
};

/** Never in the future, also when the wall clock was set back meanwhile. */
const receivedAtMs = (record: StoredRecord, clock: Clock): number =>
  clock.nowMs() - Math.max(0, clock.wallMs() - record.storedAtWallMs);

/** If compaction kept nothing of an origin, the time it was last seen is unknown. */
const lastReceiptMs = (events: readonly Event[], clock: Clock): number =>
  events.at(-1)?.receivedAtMs ?? clock.nowMs() - LONG_AGO_MS;

const REFUSALS_MAX = 5;
const LONG_AGO_MS = 365 * 24 * 3_600_000;
