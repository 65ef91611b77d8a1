// The link between two nodes at one moment, on the surfaces that a person reads: `plimsoll status`, with and without --json,
// and the page in Chromium.

import type { Page } from 'playwright-core';
import * as v from 'valibot';
import type { Warning } from '../../src/core/warnings/warning.ts';
import type { ListedLink } from '../../src/wire/api/cluster-answers.ts';
import { statusDocumentSchema } from '../../src/wire/api/status-document.ts';
import { type ChangingCable, HTTP_PORT } from './changing-cable.ts';

export interface LinkSurfaces {
  /** Of `status --json`: of this link alone, and the ids of its nodes in the order of the watched pair. */
  readonly links: readonly ListedLink[];
  readonly ids: readonly [string, string];
  readonly warnings: readonly Warning[];
  /** The row of `status`, with plain spaces. */
  readonly row: string;
  /** The row of the page's table, and its figures from the first of the pair to the second and back. */
  readonly pageRow: string;
  readonly pageThere: string;
  readonly pageBack: string;
  readonly pageWarnings: string;
}

export const readSurfaces = async (cable: ChangingCable, page: Page): Promise<LinkSurfaces> => {
  const { nodes, links, warnings } = v.parse(
    statusDocumentSchema,
    JSON.parse(await cable.output('atlas', 'status', '--json')),
  );
  const idOf = (name: string): string => nodes.find(node => node.name === name)?.nodeId ?? '';
  const [first, second] = [idOf('atlas'), idOf('juno')];
  const isPair = (a: string, b: string): boolean =>
    (a === first && b === second) || (a === second && b === first);
  const text = await cable.output('atlas', 'status');
  return {
    links: links.filter(({ source, sink }) => isPair(source, sink)),
    ids: [first, second],
    warnings,
    row: plain(text.split('\n').find(line => line.includes('atlas') && line.includes('juno')) ?? ''),
    ...(await pageOf(page)),
  };
};

const pageOf = async (
  page: Page,
): Promise<Pick<LinkSurfaces, 'pageRow' | 'pageThere' | 'pageBack' | 'pageWarnings'>> => {
  await page.goto(`http://127.0.0.1:${HTTP_PORT}/`);
  const row = page
    .getByRole('table', { name: 'Links' })
    .getByRole('row')
    .filter({ hasText: 'atlas' })
    .filter({ hasText: 'juno' });
  await row.waitFor();
  const pageRow = plain((await row.textContent()) ?? '');
  const [aToB, bToA] = await Promise.all(
    ['there', 'back'].map(async way => plain((await row.locator(`[data-way="${way}"]`).textContent()) ?? '')),
  );
  const isTurned = pageRow.trim().startsWith('juno');
  return {
    pageRow,
    pageThere: (isTurned ? bToA : aToB) ?? '',
    pageBack: (isTurned ? aToB : bToA) ?? '',
    pageWarnings: plain((await page.getByRole('complementary', { name: 'Warnings' }).textContent()) ?? ''),
  };
};

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
