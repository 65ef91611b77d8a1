// A page in both themes and at the tested widths, one after the other in the same page: loading it again for each
// costs more than all the checks.

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isLongRun } from '../support/counts.ts';
import { axeFindings } from './browser.ts';

export interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** Both themes at all widths in the long run, dark at the narrowest otherwise: most of a look is what axe computes. */
export const looksAt = (widths: readonly number[]): readonly Look[] =>
  isLongRun
    ? THEMES.flatMap(theme => widths.map(width => ({ theme, width })))
    : [{ theme: 'dark', width: Math.min(...widths) }];

/** Axe finds nothing, and nothing but wide tables is scrolled sideways. */
export const expectForEverybody = async (
  page: Page,
  looks: readonly Look[],
  isMeant: (finding: string) => boolean = () => true,
): Promise<void> => {
  for (const { theme, width } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(SETTLED);
    const at = { url: page.url(), theme, width };
    const found = (await axeFindings(page)).filter(isMeant);
    expect({ ...at, found }).toEqual({ ...at, found: [] });
    expect({ ...at, scrollWidth: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({
      ...at,
      scrollWidth: width,
    });
  }
};

const THEMES = ['light', 'dark'] as const;

/** What follows a size is drawn, and colours are no longer on their way from one theme to the other. */
const SETTLED = `(async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const ending = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
  await Promise.allSettled(ending.map(({ finished }) => finished));
})()`;
