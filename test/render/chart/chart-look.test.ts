import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DARK_TOKENS, LIGHT_TOKENS } from '../../../src/render/chart/chart-look.ts';

const css = readFileSync(new URL('../../../dashboard/src/look/tokens.css', import.meta.url), 'utf8');

test.each([
  ['light', LIGHT_TOKENS, ':root {'],
  ['dark', DARK_TOKENS, ':root[data-theme="dark"] {'],
] as const)('pictures have the %s colours of the dashboard', (_, tokens, begin) => {
  const block = css.slice(css.indexOf(begin), css.indexOf('\n}', css.indexOf(begin)));
  const reported = Object.keys(tokens).map(
    name => [name, new RegExp(`^\\s*--${name}:\\s*([^;]+);`, 'm').exec(block)?.[1]] as const,
  );
  expect(Object.fromEntries(reported)).toEqual(tokens);
});
