// What a version of the past wrote, as test/fixtures/versions keeps it.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NodeId } from '../../src/core/ids.ts';
import { nodeId } from '../../src/core/ids.ts';
import type { EventClass } from '../../src/core/kind-row.ts';

export const PINNED_VERSION = '0.1.0';

/** Whose home it is. */
export const PINNED_NODE: NodeId = nodeId('72asyextvngonlc5w2nmguxzay');

export interface PinnedFact {
  readonly kind: string;
  readonly class: EventClass;
  readonly key: string;
  readonly payload: unknown;
}

/** The path of one of its files. */
export const pinnedPath = (name: string): string =>
  fileURLToPath(new URL(`../fixtures/versions/${PINNED_VERSION}/${name}`, import.meta.url));

export const pinnedText = (name: string): string => readFileSync(pinnedPath(name), 'utf8');

/** One fact of every kind and shape, in the order in which it recorded them. */
export const pinnedFacts = (): readonly PinnedFact[] => JSON.parse(pinnedText('facts.json'));
