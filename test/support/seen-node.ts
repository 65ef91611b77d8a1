// A mesh transport that records all that it reports, and a way to wait until something has been reported.

import type {
  IdentityConflict,
  LinkClose,
  MeshLink,
  MeshRefusal,
  MeshTransport,
} from '../../src/mesh/mesh.ts';

export interface SeenNode extends AsyncDisposable {
  readonly transport: MeshTransport;
  readonly links: readonly MeshLink[];
  readonly frames: readonly Uint8Array[];
  readonly closes: readonly LinkClose[];
  readonly refusals: readonly MeshRefusal[];
  readonly conflicts: readonly IdentityConflict[];
  readonly stop: AbortController;
  start(): Promise<void>;
  isLinkedTo(other: SeenNode): boolean;
  /** Something was seen elsewhere that a wait may depend on. */
  changed(): void;
  readonly pass: () => Promise<void>;
}

export const seenNode = (transport: MeshTransport, pass: () => Promise<void>): SeenNode => {
  const links: MeshLink[] = [];
  const frames: Uint8Array[] = [];
  const closes: LinkClose[] = [];
  const refusals: MeshRefusal[] = [];
  const conflicts: IdentityConflict[] = [];
  const stop = new AbortController();
  transport.onLink(link => {
    links.push(link);
    link.onFrame(frame => {
      frames.push(frame);
      changed();
    });
    link.onClose(close => {
      closes.push(close);
      changed();
    });
    changed();
  });
  transport.onRefused(refusal => {
    if (refusals.length < REFUSALS_KEPT_MAX) refusals.push(refusal);
    changed();
  });
  transport.onConflict(conflict => {
    conflicts.push(conflict);
    changed();
  });
  return {
    transport,
    links,
    frames,
    closes,
    refusals,
    conflicts,
    stop,
    start: () => transport.start(stop.signal),
    isLinkedTo: other => transport.links.get(other.transport.localId)?.isOpen === true,
    changed,
    pass,
    [Symbol.asyncDispose]: async () => {
      let isEnded = false;
      const end = async (): Promise<void> => {
        try {
          await transport[Symbol.asyncDispose]();
        } finally {
          isEnded = true;
          changed();
        }
      };
      const ended = end();
      await untilPassing(pass, () => isEnded);
      await ended;
    },
  };
};

/** Waits until the check holds, looking again after every report of any node. */
export const until = (node: SeenNode, check: () => boolean): Promise<void> => untilPassing(node.pass, check);

export const linkOf = (node: SeenNode, peer: SeenNode): MeshLink => {
  const link = node.transport.links.get(peer.transport.localId);
  if (link === undefined) throw new Error('the two are not linked');
  return link;
};

const untilPassing = async (pass: () => Promise<void>, check: () => boolean): Promise<void> => {
  while (!check()) {
    const change = nextChange();
    await Promise.race([pass(), change]);
  }
};

const waiting = new Set<() => void>();

const nextChange = (): Promise<void> =>
  new Promise(resolve => {
    waiting.add(resolve);
  });

const changed = (): void => {
  for (const wake of waiting) wake();
  waiting.clear();
};

/** A flood is counted elsewhere; it shall not fill the memory that a test watches. */
const REFUSALS_KEPT_MAX = 10_000;
