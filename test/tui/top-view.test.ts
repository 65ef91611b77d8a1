// What keys make of the view, and what each page shows of more than fits.

import { describe, expect, test } from 'vitest';
import type { NodeSystem } from '../../src/core/node/system.ts';
import { unknown } from '../../src/core/unknown.ts';
import { scopedCluster, WHOLE_CLUSTER } from '../../src/tui/cluster-scope.ts';
import { topFrame } from '../../src/tui/top-pages.ts';
import {
  firstTopView,
  TOP_HELP,
  type TopView,
  topAfter,
  typedKeys,
  windowAround,
} from '../../src/tui/top-view.ts';
import { at, idOf, stateOf } from '../dashboard/cluster/cluster-state.ts';
import { type Machine, notebook, rack, spark, studio } from '../e2e/machines.ts';

const FIRST = firstTopView(undefined);
const state = stateOf(at(studio), at(rack), at(notebook));
const SIZE = { columns: 80, rows: 24, color: false, isUnicode: true };

const frameOf = (view: TopView, size: Partial<typeof SIZE> = {}) =>
  topFrame(state, 0, [], { ...SIZE, ...size, view });

/** As a person types, each key on the frame that the last one led to. */
const typed = (...keys: readonly string[]): TopView | 'quit' =>
  keys.reduce<TopView | 'quit'>(
    (view, key) => (view === 'quit' ? view : topAfter(view, key, frameOf(view).rows)),
    FIRST,
  );

const viewAfter = (...keys: readonly string[]): TopView => {
  const view = typed(...keys);
  if (view === 'quit') throw new Error('it was quit');
  return view;
};

const shown = (...keys: readonly string[]): string => frameOf(viewAfter(...keys)).lines.join('\n');

describe('keys', () => {
  test('are read from what a terminal sends, several at once, and what is none is nothing', () => {
    expect(typedKeys('j\u001b[A\u001bOB\u001b[6~\r\u0003\u000cä')).toEqual([
      ...['j', 'up', 'down', 'page-down', 'enter', 'ctrl-c', 'ctrl-l', 'ä'],
    ]);
    expect(typedKeys('\u001b')).toEqual(['escape']);
    expect(typedKeys('\u001b[99~\u0000\u001b[1;5C')).toEqual([]);
  });

  test('q and Ctrl-C quit everywhere, but q is a letter while somebody types a name', () => {
    expect([typed('q'), typed('l', 'q'), typed('?', 'q'), typed('/', 'ctrl-c')]).toEqual(
      Array.from({ length: 4 }, () => 'quit'),
    );
    expect(viewAfter('/', 'q', 'x', 'backspace')).toMatchObject({ search: 'q', isTyping: true });
    expect(viewAfter('/', 'q', 'enter')).toMatchObject({ search: 'q', isTyping: false });
    expect(viewAfter('/', 'q', 'escape')).toMatchObject({ search: '' });
  });

  test('never leave the rows that there are', () => {
    expect(viewAfter('k', 'page-up')).toMatchObject({ cursor: 0 });
    expect(viewAfter(...Array.from({ length: 9 }, () => 'j'))).toMatchObject({ cursor: 2 });
    expect(viewAfter('end', 'home')).toMatchObject({ cursor: 0 });
  });

  test('choose a machine, and not a row: it stays chosen when the order changes', () => {
    const chosen = viewAfter('j');
    const { rows } = frameOf(chosen);
    expect(chosen.chosen).toBe(rows.nodes[1]);
    const turned = { ...rows, nodes: rows.nodes.toReversed() };
    expect(topAfter(chosen, 'enter', turned)).toMatchObject({ page: 'node', node: rows.nodes[1] });
    const end = topAfter({ ...chosen, chosen: rows.nodes[0] }, 'j', turned);
    expect(end).toMatchObject({ chosen: rows.nodes[0], cursor: 2 });
    // One that is gone gives its row to the next.
    const without = { ...rows, nodes: rows.nodes.slice(2), count: 1 };
    expect(topAfter(chosen, 'enter', without)).toMatchObject({ node: rows.nodes[2] });
  });

  test('each that the help names does something', () => {
    expect(shown('?')).toContain('Keys');
    for (const [keys] of TOP_HELP) expect(shown('?')).toContain(keys.slice(0, 12));
    expect(viewAfter('?', 'j')).toEqual(FIRST);
    expect(viewAfter('s')).toMatchObject({ sort: 'memory' });
    expect(viewAfter('g')).toMatchObject({ by: { kind: 'rack' } });
    expect(viewAfter('g', 'g', 'g', 'g')).toMatchObject({ by: undefined });
    expect(viewAfter('l')).toMatchObject({ page: 'links' });
    expect(viewAfter('l', 'r')).toMatchObject({ page: 'runs' });
    expect(viewAfter('w')).toMatchObject({ page: 'warnings' });
    expect(viewAfter('r', 'escape')).toMatchObject({ page: 'all' });
  });
});

describe('pages', () => {
  test('the chosen machine has a sign before it, and Enter opens it with a table of its GPUs', () => {
    const names = frameOf(FIRST).lines.filter(line => /^[> ] [●○×]/.test(line));
    expect(names.map(line => line.startsWith('>'))).toEqual([true, false, false]);
    const opened = viewAfter('j', 'enter');
    expect(opened).toMatchObject({ page: 'node', node: frameOf(FIRST).rows.nodes[1] });
    const rackPage = frameOf({ ...FIRST, page: 'node', node: idOf(rack) }, { rows: 60 }).lines.join('\n');
    expect(rackPage).toMatch(/GPU +Name +Use +Memory/);
  });

  test('machines are in the order of what their column shows: power of a GPU is in that of its machine', () => {
    const of = (machine: Machine, changed: Partial<NodeSystem>) => {
      const { facts } = at(machine);
      return {
        machine,
        facts: facts.map(fact =>
          fact.kind === 'system.gathered'
            ? { ...fact, payload: { ...fact.payload, value: { ...fact.payload.value, ...changed } } }
            : fact,
        ),
      };
    };
    // Its GPU's 148 W alone, and 131 W that its GPU's 148 W are a part of; the hottest sensor of one is its processor's.
    const mixed = stateOf(
      of(studio, { systemPowerWatts: unknown('no sensor') }),
      at(spark),
      of(notebook, { cpuTemperatureCelsius: 93 }),
      at(rack),
    );
    const column = (sort: TopView['sort'], figure: RegExp): readonly (number | undefined)[] =>
      topFrame(mixed, 0, [], { ...SIZE, columns: 240, view: { ...FIRST, sort } })
        .lines.filter(line => /^[> ] [●○×]/.test(line))
        .map(line => figure.exec(line)?.[1])
        .map(text => (text === undefined ? undefined : Number(text)));
    expect(column('power', / (\d+) W /)).toEqual([512, 148, 131, 38]);
    expect(column('temperature', / (\d+) °C /)).toEqual([93, 71, 64, 54]);
  });

  test('a search leaves what has it in its name, and reports it where nothing has', () => {
    const { name } = {
      name:
        frameOf(FIRST)
          .lines.find(line => line.startsWith('> '))
          ?.split(/\s+/)[2] ?? '',
    };
    const found = shown('/', ...name, 'enter');
    expect(found).toContain(name);
    expect(found.split('\n').filter(line => /^[> ] [●○×]/.test(line)).length).toBeLessThan(3);
    expect(shown('/', 'x', 'q', 'x', 'q', 'enter')).toContain('No machine has "xqxq" in its name');
  });

  test('w shows every warning in full, with where to type its command, and scrolls', () => {
    const reported = Array.from({ length: 30 }, (_, index) => ({
      problem: `notice ${index} ${'of many words '.repeat(8).trim()}`,
      advice: `advice ${index}`,
    }));
    const pageOf = (cursor: number) =>
      topFrame(state, 0, reported, { ...SIZE, view: { ...FIRST, page: 'warnings', cursor } });
    const first = pageOf(0);
    expect(first.lines[0]).toMatch(/^Warnings: 3\d$/);
    const all = Array.from({ length: first.rows.count }, (_, cursor) => pageOf(cursor).lines).flat();
    for (const { advice } of reported) expect(all.join('\n')).toContain(advice);
    const { warnings } = scopedCluster(state, 0, WHOLE_CLUSTER);
    const commands = warnings.flatMap(({ command }) => command ?? []);
    expect(commands).not.toEqual([]);
    for (const command of commands) expect(all.join('\n')).toContain(command);
    expect(frameOf({ ...FIRST, page: 'warnings', search: 'xqxq' }).lines[0]).toBe('Warnings: none');
  });

  test('fill the screen at any size and never more, the keys in the last row', () => {
    for (const rows of [2, 3, 10, 24, 50])
      for (const columns of [10, 40, 80, 200])
        for (const keys of [[], ['l'], ['r'], ['w'], ['enter'], ['?'], ['g']]) {
          const { lines } = frameOf(viewAfter(...keys), { rows, columns });
          expect(lines, `${columns}×${rows} ${keys.join(' ')}`).toHaveLength(rows);
          expect(lines.at(-1)?.length).toBeLessThanOrEqual(columns);
          expect(lines.at(-1)).toMatch(/^(q|a)/);
        }
  });

  test('a window is around what is chosen and within the list', () => {
    expect(windowAround(200, 0, 10)).toEqual({ from: 0, to: 10 });
    expect(windowAround(200, 100, 10)).toEqual({ from: 95, to: 105 });
    expect(windowAround(200, 199, 10)).toEqual({ from: 190, to: 200 });
    expect(windowAround(3, 2, 10)).toEqual({ from: 0, to: 3 });
  });
});
