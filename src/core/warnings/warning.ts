// What needs a person's attention: what it is, why it matters in a sentence or two, and the command that
// helps.

import type { NodeId } from '../ids.ts';
import { type Sentence, sentenceText } from '../text/sentence.ts';

export interface Warning {
  /** Stays the same while its subject does, so that a hidden one stays hidden. */
  readonly id: string;
  /** A note needs no action. */
  readonly level: 'danger' | 'caution' | 'note';
  /** The nodes concerned. */
  readonly nodes: readonly NodeId[];
  readonly title: string;
  readonly why: string;
  /** Where to type the command, as text. */
  readonly on?: string;
  readonly command?: string;
}

/** A warning reported by core: its id starts with its kind. Lists of views contain others too. */
export interface FoundWarning extends Omit<Warning, 'title' | 'why'> {
  readonly id: WarningKind | `${WarningKind} ${string}`;
  readonly title: Sentence;
  readonly why: Sentence;
}

/** As a person reads it. */
export const shownWarning = (found: FoundWarning): Warning => ({
  ...found,
  title: sentenceText(found.title),
  why: sentenceText(found.why),
});

/** The kinds of warnings, with a description. */
export const WARNING_KINDS = {
  presence: 'a node is silent',
  stopped: 'the daemon of a node was stopped',
  conflict: 'two machines run from copies of one home',
  config: 'config.toml of a node cannot be read',
  kinds: 'a node runs a newer version',
  refused: 'a node reports more than any machine has',
  memory: 'memory above its load line',
  swap: 'swap in use',
  'gpu memory': 'memory of a GPU above its load line',
  disk: 'a disk is almost full',
  'gpu lost': 'a GPU that cannot be reached',
  'gpu needs-reset': 'a GPU that computes nothing until it is reset',
  'gpu uncorrected': 'uncorrected memory errors of a GPU',
  'gpu unrepaired': 'bad memory of a GPU that could not be replaced',
  'gpu pending': 'a repair of a GPU needs a reset',
  'gpu recovery': 'the driver of a GPU requests something',
  'gpu fabric': 'a degraded NVLink fabric',
  'gpu links': 'links between GPUs that are down',
  'gpu xid': "an error of a GPU in the kernel's log",
  'gpu sxid': "an error of an NVSwitch in the kernel's log",
  'gpu reset': 'a GPU hung and was reset',
  'gpu reset-failed': 'a GPU that could not be reset',
  throttled: 'a throttled GPU',
  pcie: 'a GPU with fewer lanes than it could have',
  week: 'a GPU that measures less than in the last week',
  builds: 'Macs with different builds of macOS',
  'link lost': 'a path that was open and is lost',
  'link short': 'a link that carries far less than it should',
  'link path': 'a path that is far slower than another one',
  'link week': 'a link that carries less than in the last week',
  'link queue': 'a long queue (bufferbloat)',
  'link pair': 'a link that carries far less than others like it',
  'one way': 'a node that reaches another one which does not reach it',
  'bridge loop': 'Thunderbolt bridges in a ring',
  'rdma off': 'RDMA that is available and switched off',
  'rdma down': 'an RDMA port that is down on a linked cable',
  'rdma waits': 'an InfiniBand port without a subnet manager',
  'stale failed': 'a reading whose source fails',
  'stale silent': 'a reading whose source sends nothing',
  'stale late': 'several sources of a machine send nothing',
  more: 'how many the list leaves out',
} as const;

type WarningKind = keyof typeof WARNING_KINDS;
