import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openDocumentFolder, plainFolder } from '../../../src/bench/run/document-folder.ts';
import { runCampaign } from '../../../src/cli/probe/probe-all.ts';
import { foundRuns } from '../../../src/cli/runs/found-runs.ts';
import { plainViews } from '../../../src/core/document/plain-views.ts';
import type { GpuProfile } from '../../../src/core/node/gpu-profile.ts';
import { isKnown, isUnknown, unknown } from '../../../src/core/unknown.ts';
import {
  CAMPAIGN,
  type Campaign,
  deviceMeasurements,
  linkMeasurements,
  type Measurement,
} from '../../../src/render/campaign/probe-campaign.ts';
import { plainReport } from '../../../src/render/document/plain-kind.ts';
import { plainText } from '../../../src/render/document/plain-text.ts';
import { LINK_FIGURES } from '../../support/link-figures.ts';
import { type LiveDaemon, liveDemo } from '../../support/live-daemons.ts';
import { madeUpCampaign } from '../../support/made-up-campaign.ts';
import { madeUpProcess } from '../../support/made-up-process.ts';
import { documentFaults } from '../../support/published-schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { whileTimePasses } from '../../support/while-time-passes.ts';

const run = async (live: LiveDaemon, args: readonly string[]): Promise<string> => {
  const process = madeUpProcess([...args, '--home', live.home]);
  await process.run();
  return process.stdout.text + process.stderr.text;
};

describe('a probe campaign of a simulated pair', () => {
  test('measures everything once, is announced, listed, shown in every format and removed', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 2, clock });
    await clock.advance(5_000);
    const lines: string[] = [];
    const seen = new Set<string>();
    const { state } = madeUpProcess([]);
    const ended = await whileTimePasses(
      clock,
      runCampaign({
        home: live.home,
        state,
        clock,
        print: async line => {
          lines.push(line);
          for (const view of plainViews(live.daemon.state, clock.nowMs()))
            seen.add(`${view.document.form} ${view.isLive}`);
        },
      }),
    );
    const { campaign } = ended;
    expect(campaign).toMatchObject({ state: 'complete', nodes: ['mike', 'james'], unreached: [] });
    expect(campaign.ended).toBe(campaign.requested);
    // A simulated benchmark loads mike: its devices and RDMA wait for that, and the reason is in the document.
    const missing = campaign.measurements.filter(({ value }) => isUnknown(value));
    expect(missing.length).toBeGreaterThan(0);
    for (const { node, value } of missing)
      expect([node, value]).toEqual(['mike', unknown('a benchmark runs against mike')]);
    expect(campaign.measurements.every(({ before }) => isKnown(before))).toBe(true);
    const kinds = new Set(campaign.measurements.map(({ node, kind, what }) => `${node} ${kind} ${what}`));
    for (const node of ['mike', 'james'])
      for (const what of ['gpu memory, read', 'link upload', 'link download', 'link round trip p50'])
        expect(kinds).toContain(`${node} ${what}`);
    expect(lines.filter(line => /^\d+ of \d+: /.test(line))).toHaveLength(campaign.requested);
    expect([...seen]).toContain('campaign true');
    expect(plainViews(live.daemon.state, clock.nowMs())).toMatchObject([
      { state: 'complete', isLive: false, document: { documentId: campaign.id, directory: ended.directory } },
    ]);

    expect(await run(live, ['runs'])).toMatch(new RegExp(`${campaign.id} +complete .*mike, james`));
    expect(await run(live, ['runs', '--json'])).toContain('"kind": "campaign"');
    const text = await run(live, ['report', campaign.id]);
    expect(text).toContain('mike, link to james (rdma');
    expect(text).toContain('plimsoll probe memory measures it there');
    const page = join(live.home, 'campaign.html');
    await run(live, ['report', campaign.id, '--html', page, '--csv', `${page}.csv`, '--md', `${page}.md`]);
    for (const file of [page, `${page}.csv`, `${page}.md`]) expect(existsSync(file), file).toBe(true);
    const printed: unknown = JSON.parse(await run(live, ['report', campaign.id, '--json']));
    expect(printed).toEqual(campaign);
    expect(await documentFaults(printed)).toEqual([]);
    expect(await run(live, ['runs', 'rm', campaign.id, '--yes'])).toContain('Deleted 1 run');
    expect(existsSync(ended.directory)).toBe(false);
  });

  test('that is stopped keeps what was measured by then', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 2, clock });
    await clock.advance(5_000);
    const process = madeUpProcess([]);
    const { campaign } = await whileTimePasses(
      clock,
      runCampaign({
        home: live.home,
        state: process.state,
        clock,
        print: async line => {
          if (line.endsWith(': measured')) process.stop('SIGINT');
        },
      }),
    );
    expect(campaign.state).toBe('interrupted');
    const [known, missing] = [isKnown, isUnknown].map(
      isSuch => campaign.measurements.filter(({ value }) => isSuch(value)).length,
    );
    expect(known).toBeGreaterThan(0);
    expect(missing).toBeGreaterThan(0);
    expect(await run(live, ['runs'])).toMatch(new RegExp(`${campaign.id} +interrupted`));
    expect(await run(live, ['report', campaign.id])).toContain('it was stopped: what was measured is stored');
  });
});

test('a campaign whose process was killed is listed as interrupted, and as running while it has its lock', async () => {
  using home = temporaryDirectory();
  mkdirSync(join(home.path, 'runs'));
  const states = async () =>
    await Array.fromAsync(foundRuns({ home: home.path, isAlive: () => true }), ({ state, result }) => [
      state,
      result,
    ]);
  const folder = await openDocumentFolder(plainFolder(CAMPAIGN), join(home.path, 'runs', 'c1'));
  await folder.write(plainReport(CAMPAIGN, campaignOf([], { state: 'running', ended: 0 })));
  expect(await states()).toEqual([['running', '0 of 2 ended']]);
  // As after a kill -9: the system releases the lock, and nothing else is written.
  folder[Symbol.dispose]();
  expect(await states()).toEqual([['interrupted', '0 of 2 ended']]);
});

describe('the report of a campaign', () => {
  const link = { node: 'atlas', subject: 'link to juno (socket 10.0.0.2)', reason: '', before: undefined };
  const profileOf = (uploadBitsPerSecond: number, roundTripNsP50: number) => ({
    ...LINK_FIGURES,
    uploadBitsPerSecond,
    roundTripNsP50,
  });
  const textOf = (measurements: readonly Measurement[], isUnicode = true): string =>
    plainText(plainReport(CAMPAIGN, campaignOf(measurements)), { isUnicode }).join('\n');

  test('cannot control a terminal, and is ASCII where that has nothing else', () => {
    const node = '\u001b[31mRöd\u0007';
    const rows = linkMeasurements({ ...link, node, profile: profileOf(5e9, 20_000), before: undefined });
    const measurements = rows.flatMap(row => row ?? []);
    expect(textOf(measurements, false)).toMatch(/^[\n\x20-\x7e]*$/);
    for (const sign of ['\u0007', '\u001b']) expect(textOf(measurements)).not.toContain(sign);
    expect(textOf(measurements)).toContain('Röd');
  });

  test('has each figure with its change, and marks what became much worse', () => {
    const [upload, download, roundTrip] = linkMeasurements({
      ...link,
      profile: profileOf(5e9, 20_000),
      before: profileOf(10e9, 10_000),
    });
    expect([upload?.value, upload?.before]).toEqual([5e9, 10e9]);
    const cells = CAMPAIGN.sections(campaignOf([upload, download, roundTrip].flatMap(row => row ?? [])))
      .flatMap(({ tables = [] }) => tables)
      .flatMap(({ rows }) => rows.map(row => row[3]));
    expect(cells).toMatchObject([
      { text: '−50.0 %', tone: 'caution' },
      { text: '0.0 %', tone: 'plain' },
      { text: '+100 %', tone: 'caution' },
    ]);
  });

  test('gives the reason of what was not measured, with the last good figures as those before', () => {
    const failed = { ...LINK_FIGURES, failure: unknown('the cable is out') };
    const measurements = linkMeasurements({ ...link, profile: failed, before: LINK_FIGURES });
    expect(measurements.map(({ value, before }) => [value, isKnown(before)])).toEqual(
      Array(3).fill([unknown('the cable is out'), true]),
    );
    expect(textOf(measurements)).toMatch(/Not measured: 1\n.*\n.*link to juno .* the cable is out/);
    const never = linkMeasurements({ ...link, profile: undefined, reason: 'a benchmark runs' });
    expect(textOf(never)).toContain('a benchmark runs');
  });

  test('leaves out figures that an engine does not have', () => {
    const rows = deviceMeasurements(
      { node: 'atlas', subject: 'NVIDIA H100', reason: '', profile: GPU_PROFILE, before: undefined },
      'gpu',
    );
    expect(rows.map(({ what }) => what)).toEqual(['FP16 matrix product', 'memory, read']);
    expect(
      deviceMeasurements(
        { node: 'atlas', subject: 'NVIDIA H100', reason: 'refused', profile: undefined, before: undefined },
        'gpu',
      ),
    ).toMatchObject([{ value: unknown('refused'), before: { kind: 'unknown' } }]);
  });
});

const campaignOf = (measurements: readonly Measurement[], more: Partial<Campaign> = {}): Campaign =>
  madeUpCampaign('c1', { unreached: [], measurements, ...more });

const NO_FIGURE = unknown('this engine has none');
const GPU_PROFILE: GpuProfile = {
  deviceId: 'gpu-0',
  deviceName: 'NVIDIA H100',
  deviceKind: 'gpu',
  engine: 'cuda',
  fp16FlopsPerSecond: 800e12,
  fp32FlopsPerSecond: NO_FIGURE,
  memoryReadBytesPerSecond: 3e12,
  memoryCopyBytesPerSecond: NO_FIGURE,
  memoryGemvBytesPerSecond: NO_FIGURE,
  int8OperationsPerSecond: NO_FIGURE,
  fp8FlopsPerSecond: NO_FIGURE,
  isLowerBound: false,
  method: '',
  measuredAgeMs: 0,
  intervalMs: NO_FIGURE,
  failure: 'none',
};
