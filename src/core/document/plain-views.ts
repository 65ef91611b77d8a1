// Plain documents as a person should see them now.

import type { NodeId } from '../ids.ts';
import type { State } from '../state.ts';
import { documentViews, type StoredKind } from './document-views.ts';
import { CUT_OFF, type PlainDigest } from './plain-document.ts';

export const STORED_PLAIN: StoredKind<PlainDigest> = {
  entries: of => of.documents,
  idOf: ({ documentId }) => documentId,
  lastSign: (of, node, id) => of.documentProgress[node]?.[id],
  silentReason: CUT_OFF,
};

export interface PlainView {
  /** The node that works or worked on it. */
  readonly node: NodeId;
  /** With the newest findings. */
  readonly document: PlainDigest;
  readonly state: PlainDigest['state'];
  readonly reason: string;
  readonly isLive: boolean;
}

/** Of every node that is not forgotten, newest first. */
export const plainViews = (of: State, nowMs: number): readonly PlainView[] =>
  documentViews(STORED_PLAIN, of, nowMs).map(({ node, document, state: shown, reason, isLive }) => {
    const live =
      document.state === 'running' ? of.documentProgress[node]?.[document.documentId]?.value : undefined;
    const { load, result } = live ?? document;
    return { node, document: { ...document, load, result }, state: shown, reason, isLive };
  });

/** The one of that id; if several nodes have one, the newest. */
export const plainView = (of: State, id: string, nowMs: number): PlainView | undefined =>
  plainViews(of, nowMs).find(({ document }) => document.documentId === id);
