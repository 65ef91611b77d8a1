// What a person looks at in `plimsoll top`, and what each key makes of it. Pure: a view and a key give the next view.

import type { GroupBy } from '../core/group/group-by.ts';
import type { NodeId } from '../core/ids.ts';

type TopPage = 'all' | 'links' | 'runs' | 'warnings' | 'node';

export interface TopView {
  readonly page: TopPage;
  /** Of the page 'node'. */
  readonly node: NodeId | undefined;
  readonly isHelp: boolean;
  /** How far a page is scrolled; of the machines the row that is chosen, where `chosen` is none of them. */
  readonly cursor: number;
  /** The machine that is chosen: it stays so when the order changes. */
  readonly chosen: NodeId | undefined;
  readonly sort: TopSort;
  readonly by: GroupBy | undefined;
  /** Only what has this in its names. */
  readonly search: string;
  readonly isTyping: boolean;
}

export type TopSort = (typeof TOP_SORTS)[number];

/** What the page shows now, as far as keys need it. */
export interface TopRows {
  readonly count: number;
  /** Of each row, in their order: somebody may type faster than frames are drawn. None where rows are no nodes. */
  readonly nodes: readonly NodeId[];
  /** Rows that fit. */
  readonly room: number;
}

export const firstTopView = (by: GroupBy | undefined): TopView => ({
  page: 'all',
  node: undefined,
  isHelp: false,
  ...TOP,
  sort: 'name',
  by,
  search: '',
  isTyping: false,
});

/** "quit": the person has seen enough. */
export const topAfter = (view: TopView, key: string, rows: TopRows): TopView | 'quit' => {
  if (key === 'ctrl-c') return 'quit';
  if (view.isTyping) return typed(view, key);
  if (view.isHelp) return key === 'q' ? 'quit' : { ...view, isHelp: false };
  const last = Math.max(0, rows.count - 1);
  const at = chosenRow(view, rows);
  const moved = (by: number): TopView => {
    const cursor = Math.min(last, Math.max(0, at + by));
    return { ...view, cursor, chosen: rows.nodes[cursor] ?? view.chosen };
  };
  const turned = (page: TopPage): TopView => ({
    ...view,
    page: view.page === page ? 'all' : page,
    ...TOP,
  });
  switch (key) {
    case 'q':
      return 'quit';
    case '?':
    case 'h':
      return { ...view, isHelp: true };
    case 'j':
    case 'down':
      return moved(1);
    case 'k':
    case 'up':
      return moved(-1);
    case ' ':
    case 'page-down':
      return moved(Math.max(1, rows.room));
    case 'page-up':
      return moved(-Math.max(1, rows.room));
    case 'home':
      return moved(-last);
    case 'G':
    case 'end':
      return moved(last);
    case '/':
      return { ...view, isTyping: true, search: '', ...TOP };
    case 's':
      return { ...view, sort: next(TOP_SORTS, view.sort), ...TOP };
    case 'g':
      return { ...view, by: nextGroup(view.by), page: 'all', ...TOP };
    case 'l':
      return turned('links');
    case 'r':
      return turned('runs');
    case 'w':
      return turned('warnings');
    case 'enter': {
      const node = rows.nodes[at];
      return node === undefined ? view : { ...view, page: 'node', node, cursor: 0, chosen: node };
    }
    case 'escape':
      return view.page === 'all'
        ? { ...view, search: '', by: undefined, ...TOP }
        : { ...view, page: 'all', cursor: 0 };
    default:
      return view;
  }
};

/** The chosen machine of a page whose rows are machines, at its current position. */
export const chosenRow = (
  { chosen, cursor }: Pick<TopView, 'chosen' | 'cursor'>,
  { nodes, count }: Pick<TopRows, 'nodes' | 'count'>,
): number => {
  const at = chosen === undefined ? -1 : nodes.indexOf(chosen);
  return at >= 0 ? at : Math.min(cursor, Math.max(0, count - 1));
};

const typed = (view: TopView, key: string): TopView => {
  switch (key) {
    case 'enter':
      return { ...view, isTyping: false };
    case 'escape':
      return { ...view, isTyping: false, search: '' };
    case 'backspace':
      return { ...view, search: [...view.search].slice(0, -1).join('') };
    default:
      // The names of other keys are longer than the one sign that a person types.
      return [...key].length === 1 && view.search.length < SEARCH_LENGTH_MAX
        ? { ...view, search: view.search + key, ...TOP }
        : view;
  }
};

const nextGroup = (by: GroupBy | undefined): GroupBy | undefined => {
  const kinds: readonly (GroupBy['kind'] | undefined)[] = GROUPS;
  const kind = GROUPS[kinds.indexOf(by?.kind) + 1];
  return kind === undefined ? undefined : { kind };
};

const next = <T>(all: readonly [T, ...(readonly T[])], now: T): T =>
  all[(all.indexOf(now) + 1) % all.length] ?? all[0];

/** The keys in what a terminal sent at once: names for those that are no sign. */
export const typedKeys = (text: string): readonly string[] => {
  const keys: string[] = [];
  let rest = text;
  while (rest !== '') {
    const sequence = SEQUENCE.exec(rest)?.[0];
    const [sign = ''] = rest;
    const key = sequence ?? sign;
    rest = rest.slice(key.length);
    const name = NAMES.get(key);
    if (name !== undefined) keys.push(name);
    else if (sequence === undefined && !/\p{Cc}/u.test(key)) keys.push(key);
  }
  return keys;
};

/** The part of a list around what is chosen. */
export const windowAround = (
  count: number,
  chosen: number,
  room: number,
): { readonly from: number; readonly to: number } => {
  const from = Math.max(0, Math.min(chosen - Math.floor(room / 2), count - room));
  return { from, to: Math.min(count, from + Math.max(0, room)) };
};

export const TOP_HELP: readonly (readonly [string, string])[] = [
  ['j k, arrows', 'choose the next or previous row'],
  ['space, page keys', 'a screen forward or back; home, end (G): the first, the last'],
  ['Enter', 'the chosen machine with its GPUs and links; Esc: back'],
  ['l', 'all links'],
  ['r', 'all runs'],
  ['w', 'all warnings, each with the command that helps'],
  ['s', 'sort machines by name, memory, GPU use, temperature, power'],
  ['g', 'group by rack, site, kind, not at all'],
  ['/', 'only names with these letters; Enter keeps it, Esc ends it'],
  ['Ctrl-L', 'redraw the screen'],
  ['q, Ctrl-C', 'quit'],
];

/** The first row. */
const TOP = { cursor: 0, chosen: undefined } as const;
const TOP_SORTS = ['name', 'memory', 'GPU', 'temperature', 'power'] as const;
const GROUPS = ['rack', 'site', 'kind'] as const;
const SEARCH_LENGTH_MAX = 64;
/** ECMA-48 control sequences, and what xterm sends for keys (ctlseqs). A lone escape is one, too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what a terminal sends.
const SEQUENCE = /^\u001b(?:[[O][0-9;]*[A-Za-z~]?)?/;
const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u0003', 'ctrl-c'],
  ['\u000c', 'ctrl-l'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\u007f', 'backspace'],
  ['\b', 'backspace'],
  ['\u001b', 'escape'],
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  ['\u001b[H', 'home'],
  ['\u001bOH', 'home'],
  ['\u001b[1~', 'home'],
  ['\u001b[F', 'end'],
  ['\u001bOF', 'end'],
  ['\u001b[4~', 'end'],
]);
