// What a terminal gets of a cluster whose members put hostile text into every field that other nodes accept.

import { expect, test } from 'vitest';
import { nodeIds } from '../../src/core/node/presence-view.ts';
import { forTerminal } from '../../src/core/text/single-line.ts';
import { linkTable } from '../../src/tui/link-table.ts';
import { paint } from '../../src/tui/part.ts';
import { renderSummary } from '../../src/tui/render.ts';
import { hostileMoments } from '../support/hostile-world.ts';

test('no sequence, no line break and nothing invisible of others reaches it, in colour or without', async () => {
  for await (const { state, nowMs } of hostileMoments({ everySeconds: 150, hasTrueLinks: true }))
    for (const color of [false, true]) {
      const options = { columns: 200, color, isUnicode: true };
      const lines = [
        ...nodeIds(state).flatMap(node =>
          renderSummary(state, node, nowMs, { ...options, hasGpuTable: true }),
        ),
        ...linkTable(state, nowMs, { columns: 200, rowsMax: 200 }).map(line => paint(line, options)),
      ];
      expect(lines.length).toBeGreaterThan(50);
      for (const line of lines) {
        expect(forTerminal(line)).toBe(line);
        // Only our own tones.
        const plain = line.replaceAll(
          new RegExp(`${String.fromCharCode(27)}\\[(?:0|1|2|31|32|33|34)m`, 'g'),
          '',
        );
        expect(plain).not.toMatch(/\p{Cc}|\u{200b}|\u{202e}|\u{2066}|\u{e0041}/u);
        if (!color) expect(plain).toBe(line);
      }
    }
});
