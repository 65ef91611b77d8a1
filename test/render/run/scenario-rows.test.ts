import { expect, test } from 'vitest';
import type { Report } from '../../../src/core/run/report.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { buildReport } from '../../../src/metrics/build-report.ts';
import { scenarioLines, scenarioSection } from '../../../src/render/run/scenario-rows.ts';
import { runConfig } from '../../support/run-records.ts';

const reported = (rules: Readonly<Record<string, number>>, scenario: Report['scenario']): Report => {
  const { run, ...config } = runConfig();
  const report = buildReport({
    config: { ...config, run: { ...run, scenario: { name: 'nightly', rules, durationMs: 60_000 } } },
    snapshot: undefined,
    source: 'complete-message',
    droppedEvents: 0,
    eventLogDropped: 0,
    isInterrupted: false,
    runProblems: [],
    sourceProblems: [],
    notices: [],
  });
  return scenario === undefined ? report : { ...report, scenario };
};

const FIGURES = { completed: 10, counted: 10, lastContentMs: 60_000, normalizedInteractivity: 21.25 };

test('a run that keeps its rules is valid, with its normalized interactivity', () => {
  const report = reported({ coverage: 0.95, counted: 0.9 }, FIGURES);
  const section = scenarioSection(report);
  expect(scenarioLines(report)).toEqual([
    'Scenario nightly: valid',
    'E2E normalized interactivity: 21.3\u00a0tok/s for each user (1 / p90 of latency / output tokens)',
  ]);
  expect(section?.tables?.[0]?.rows.map(([, kept]) => kept)).toEqual([
    { text: 'yes', tone: 'good' },
    { text: 'yes', tone: 'good' },
  ]);
});

test('one that breaks rules is not valid, with each reason at its rule and above', () => {
  const section = scenarioSection(
    reported({ duration: 900_000, coverage: 0.95 }, { ...FIGURES, lastContentMs: 30_000 }),
  );
  expect(section?.lead?.[0]).toBe(
    'Scenario nightly: not valid: it was planned for 60\u00a0s; the last content arrived after 50% of it',
  );
  expect(section?.tables?.[0]?.rows).toEqual([
    [
      'The run is planned for at least 900\u00a0s (--duration).',
      { text: 'no: it was planned for 60\u00a0s', tone: 'bad' },
    ],
    [
      'Content arrived until at least 95% of the planned time.',
      { text: 'no: the last content arrived after 50% of it', tone: 'bad' },
    ],
  ]);
});

test('what is not known of its interactivity has its reason, and a run without a scenario has no section', () => {
  const none = { ...FIGURES, normalizedInteractivity: unknown('the server reported no output tokens') };
  expect(scenarioSection(reported({}, none))?.lead?.[1]).toBe(
    'E2E normalized interactivity: unknown, the server reported no output tokens',
  );
  expect(scenarioSection(reported({}, undefined))?.lead?.[1]).toContain('its requests cannot be read');
  const { run, ...report } = reported({}, undefined);
  const { scenario: _, ...plain } = run;
  expect(scenarioSection({ ...report, run: plain })).toBeUndefined();
});
