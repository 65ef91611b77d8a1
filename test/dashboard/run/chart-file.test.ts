import { expect, test } from 'vitest';
import { chartFile, chartFileName } from '../../../dashboard/src/run/chart-file.ts';
import { requestsOverTime } from '../../../src/render/chart/run-charts.ts';

test('the file of a chart reports its run and what it shows, in letters that every system takes', () => {
  expect(chartFileName('20261012-1', 'Time to first token')).toBe(
    'plimsoll-20261012-1-time-to-first-token.svg',
  );
  expect(chartFileName('../../x', '<b>a\u202e/b')).toBe('plimsoll-x-b-a-b.svg');
});

test('a chart in a file carries its style and its colours: no variable, no class without a rule, nothing from elsewhere', () => {
  const column = [1, 2, 3];
  const empty = { 1: [], 10: [], 25: [], 50: [], 75: [], 90: [], 99: [] };
  const text = chartFile(
    {
      of: 'run',
      draw: options =>
        requestsOverTime(
          {
            stepMs: 1_000,
            percentilesNs: empty,
            outputTokensPerSecond: column,
            requestsPerSecond: column,
            inFlight: column,
            failed: [0, 1, 0],
          },
          options,
        ),
    },
    'Requests <&>',
  );
  expect(text).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*aria-label="Requests &#60;&#38;&#62;"/,
  );
  expect(text).not.toMatch(/var\(|href|url\(|<script/);
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
  const classes = [...text.matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) =>
    names.trim().split(/\s+/),
  );
  expect([...new Set(classes)].filter(name => name !== 'chart' && !style.includes(`.${name}`))).toEqual([]);
});

test('where there is nothing to draw there is no file', () => {
  expect(chartFile({ of: 'run', draw: () => undefined }, 'Requests')).toBe('');
});
