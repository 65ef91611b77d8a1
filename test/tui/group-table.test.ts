import { describe, expect, test } from 'vitest';
import type { GroupBy } from '../../src/core/group/group-by.ts';
import { EVERY_NODE } from '../../src/core/group/place-filter.ts';
import { renderStatus } from '../../src/tui/render-status.ts';
import { renderTop } from '../../src/tui/render-top.ts';
import { groupedState, NOW_MS } from '../support/grouped-nodes.ts';

const CLUSTER = groupedState([
  { name: 'a1', site: 'greenwich', rack: 'r1', gpuNames: ['NVIDIA H200', 'NVIDIA H200'], gpuUse: 0.5 },
  { name: 'a2', site: 'greenwich', rack: 'r1', silentMs: 60_000 },
  { name: 'a3', site: 'leith', rack: 'r2', model: 'Mac Studio' },
  { name: 'a4' },
]);
const OPTIONS = { columns: 160, rows: 40, color: false, isUnicode: true };

const status = (by: GroupBy | undefined, filter = EVERY_NODE): readonly string[] =>
  renderStatus(CLUSTER, NOW_MS, [], { ...OPTIONS, scope: { by, filter } }).map(line =>
    line.replaceAll(/[\u00a0\u202f]/g, ' '),
  );

describe('groups in a terminal', () => {
  test('have a row each, with how many nodes answer and what to look at', () => {
    const [head, ...rows] = status({ kind: 'site' });
    expect(head).toMatch(/^ {2}Site +Nodes +Kind +GPUs +Memory +GPU +FP16 +Mem\. read/);
    expect(rows[0]).toMatch(/^× greenwich +1 of 2 +mixed +2 .* 50 % .* 1 offline, 1 warning$/);
    expect(rows[1]).toMatch(/^● leith +1 +Mac Studio +0 /);
    expect(rows[2]).toMatch(/^● no group +1 .* not set in config\.toml$/);
  });

  test('show the nodes of one, and of the warnings only theirs', () => {
    const text = status(undefined, { rack: 'r2', tags: [] }).join('\n');
    expect(text).toContain('a3');
    expect(text).not.toMatch(/a1|a2|a4/);
    expect(status(undefined, { rack: 'r3', tags: [] })).toEqual(['None of 4 nodes matches the filter.']);
  });

  test('are counted where the screen has no room for all', () => {
    const many = groupedState(
      Array.from({ length: 40 }, (_, index) => ({ name: `n${index}`, rack: `r${index}` })),
    );
    const scope = { by: { kind: 'rack' as const }, filter: EVERY_NODE };
    const lines = renderTop(many, NOW_MS, [], { ...OPTIONS, rows: 30, scope });
    expect(lines[0]).toMatch(/^40 nodes/);
    expect(lines).toContain('  … 30 more groups');
    expect(lines.length).toBeLessThanOrEqual(30);
  });
});
