// Stored documents of every node as a person should see them now: runs, sweeps, comparisons. One that reports
// nothing for the time of a lease is shown as interrupted, even before a node has recorded that: its process
// is gone or cut off, and must not look alive.

import { ageMsOf } from '../entry-maps.ts';
import { isNodeId, type NodeId } from '../ids.ts';
import { isForgotten } from '../node/presence-view.ts';
import type { Entry, State } from '../state.ts';
import { compareText } from '../text/single-line.ts';

/** DESIGN §3.1: a runner older than this is ignored, ms. */
export const LEASE_MS = 10_000;

/** What every document has that is created by work over time. */
export interface StoredDocument {
  /** ISO 8601 of the machine that works on it; for display, and for the order. */
  readonly startedAt: string;
  readonly state: string;
  /** Why the state is not 'complete'; '' if there is no reason to show. */
  readonly reason: string;
  /** Where its files are, on the machine of the entry's origin. */
  readonly directory: string;
}

/** The part of a kind's row that reads State. */
export interface StoredKind<D extends StoredDocument> {
  readonly entries: (state: State) => Readonly<Record<string, Readonly<Record<string, Entry<D>>>>>;
  readonly idOf: (document: D) => string;
  /** The newest live event about one in progress. */
  readonly lastSign: (state: State, node: NodeId, id: string) => Entry<unknown> | undefined;
  /** The reason that is shown for one that is silent. */
  readonly silentReason: string;
}

interface DocumentView<D extends StoredDocument> {
  /** The node that works or worked on it. */
  readonly node: NodeId;
  readonly document: D;
  /** As shown: an entry with 'running' that is silent is 'interrupted'. */
  readonly state: D['state'] | 'interrupted';
  readonly reason: string;
  readonly isLive: boolean;
  /** Since the last event of one in progress, ms; 0 if it has ended. */
  readonly silentMs: number;
}

/** Documents of every node that is not forgotten, newest first. */
export const documentViews = <D extends StoredDocument>(
  kind: StoredKind<D>,
  state: State,
  nowMs: number,
): readonly DocumentView<D>[] =>
  Object.entries(kind.entries(state))
    .flatMap(([node, entries]) =>
      isNodeId(node) && !isForgotten(state, node)
        ? Object.values(entries).map(entry => viewOf(kind, state, { node, entry, nowMs }))
        : [],
    )
    .sort(
      (a, b) =>
        compareText(b.document.startedAt, a.document.startedAt) ||
        compareText(kind.idOf(a.document), kind.idOf(b.document)),
    );

interface EntryAt<D> {
  readonly node: NodeId;
  readonly entry: Entry<D>;
  readonly nowMs: number;
}

/** Since the last event about one in progress, ms. */
export const silenceMs = <D extends StoredDocument>(
  { idOf, lastSign }: StoredKind<D>,
  state: State,
  { node, entry, nowMs }: EntryAt<D>,
): number => {
  const sign = lastSign(state, node, idOf(entry.value));
  return Math.min(ageMsOf(entry, nowMs), sign === undefined ? Infinity : ageMsOf(sign, nowMs));
};

const viewOf = <D extends StoredDocument>(
  kind: StoredKind<D>,
  state: State,
  at: EntryAt<D>,
): DocumentView<D> => {
  const document = at.entry.value;
  const common = { node: at.node, document };
  if (document.state !== 'running')
    return { ...common, state: document.state, reason: document.reason, isLive: false, silentMs: 0 };
  const silentMs = silenceMs(kind, state, at);
  return silentMs <= LEASE_MS
    ? { ...common, state: document.state, reason: '', isLive: true, silentMs }
    : { ...common, state: 'interrupted', reason: kind.silentReason, isLive: false, silentMs };
};
