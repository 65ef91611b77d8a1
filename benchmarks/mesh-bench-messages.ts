// The messages between the mesh benchmark and its processes over Node's channel between parent and child.

import type { MeshCandidate } from '../src/mesh/mesh.ts';

export type MeshBenchOrder =
  | { readonly kind: 'open'; readonly nodes: number; readonly key: string }
  | { readonly kind: 'join'; readonly candidates: readonly MeshCandidate[] }
  | { readonly kind: 'count-links' }
  | { readonly kind: 'talk'; readonly eventsPerSecond: number; readonly durableEvery: number }
  /** From here on things count. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' }
  | { readonly kind: 'stop' };

export type MeshBenchAnswer =
  | { readonly kind: 'opened'; readonly candidates: readonly MeshCandidate[] }
  | { readonly kind: 'links'; readonly count: number }
  | MeshMeasured;

interface MeshMeasured {
  readonly kind: 'measured';
  readonly cpuSeconds: number;
  /** From `begin` to `end` as the process met them: on a machine that is short of time they come late. */
  readonly seconds: number;
  /** One for each event of another node that reached the state of a node of this process. */
  readonly delaysMs: Float64Array;
  /** Events that nodes of this process recorded. */
  readonly reported: number;
  readonly residentBytes: number;
  readonly recordsStored: number;
  /** Came more than once. */
  readonly repeated: number;
}
