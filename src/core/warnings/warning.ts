// What needs a person's attention: what it is, why it matters in a sentence or two, and the command that
// helps.

import * as v from 'valibot';
import { type Infer, nodeIdSchema } from '../schema.ts';
import { type Sentence, sentenceText } from '../text/sentence.ts';

/** Serious ones first. */
export const WARNING_LEVELS = ['danger', 'caution', 'note'] as const;

export const warningSchema = v.object({
  /** Stays the same while its subject does, so that a hidden one stays hidden. */
  id: v.string(),
  /** A note needs no action. */
  level: v.picklist(WARNING_LEVELS),
  /** The nodes concerned. */
  nodes: v.array(nodeIdSchema),
  title: v.string(),
  why: v.string(),
  /** Where to type the command, as text. */
  on: v.exactOptional(v.string()),
  command: v.exactOptional(v.string()),
});

export type Warning = Infer<typeof warningSchema>;

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
  'link mtu': 'a path on which large packets are lost, or small ones limit a fast cable',
  'link loss': 'a cable that loses packets',
  'link pair': 'a link that carries far less than others like it',
  'one way': 'a node that reaches another one which does not reach it',
  'bridge loop': 'Thunderbolt bridges in a ring',
  'rdma off': 'RDMA that is available and switched off',
  'rdma down': 'an RDMA port that is down on a linked cable',
  'rdma waits': 'an InfiniBand port without a subnet manager',
  'port flaps': 'a port that was lost and came back within the last hour',
  'port errors': 'an RDMA port with more errors than a sound cable has',
  'far adapter': 'measured links over a network adapter on another socket than the GPUs',
  'slot errors': 'errors of the PCIe link of a device',
  'stale failed': 'a reading whose source fails',
  'stale silent': 'a reading whose source sends nothing',
  'stale late': 'several sources of a machine send nothing',
  more: 'how many the list leaves out',
} as const;

type WarningKind = keyof typeof WARNING_KINDS;

// The list that people read: serious warnings first, with a limit per kind, so that none hides the others. If
// a whole cluster has one problem, two hundred machines would report it before the one broken cable.

/** The type of a warning without its subject: "stale", "link short". Ids start with it. */
export const warningSort = ({ id, level }: Pick<Warning, 'id' | 'level'>): string => {
  const words = id.split(' ', SORT_CHARACTERS_MAX);
  const end = words.findIndex(word => !SORT_WORD.test(word));
  return `${level} ${words.slice(0, end < 0 ? words.length : end).join(' ')}`;
};

export const boundedWarnings = (found: readonly Warning[]): readonly Warning[] => {
  const counts = new Map<string, number>();
  const kept = inLevelOrder(found).filter(warning => {
    const sort = warningSort(warning);
    const count = (counts.get(sort) ?? 0) + 1;
    counts.set(sort, count);
    return count <= OF_ONE_SORT_MAX;
  });
  const shown = kept.slice(0, WARNINGS_MAX);
  return shown.length === found.length ? shown : [...shown, leftOut(found.length - shown.length)];
};

/** Serious ones first, otherwise in their order. */
export const inLevelOrder = <Found extends Pick<Warning, 'level'>>(
  found: readonly Found[],
): readonly Found[] => WARNING_LEVELS.flatMap(level => found.filter(warning => warning.level === level));

const leftOut = (count: number): Warning => ({
  id: 'more',
  level: 'note',
  nodes: [],
  title: `${count} more ${count === 1 ? 'warning' : 'warnings'}`,
  why: `At most ${OF_ONE_SORT_MAX} of one kind are listed, and ${WARNINGS_MAX} in total. The others appear as these are resolved.`,
});

/** More than a person reads. */
const WARNINGS_MAX = 500;
/**
 * One per node of the largest cluster that is monitored: the list of nodes and Prometheus count by these.
 */
const OF_ONE_SORT_MAX = 200;
const SORT_CHARACTERS_MAX = 2;
const SORT_WORD = /^[a-z][a-z-]{1,11}$/;
