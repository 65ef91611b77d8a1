// What is wrong in a cluster, as a person finds it on the page: on the committed recording of eight machines, one of which is
// asleep. Everything is found by its role and name.

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { requireBuild } from '../support/build.ts';
import { isLongRun } from '../support/counts.ts';
import { recordingFixture } from '../support/recording-fixture.ts';
import { axeFindings, chromiumPath } from './browser.ts';
import { test } from './browser-test.ts';
import { service } from './fleet.ts';
import { serveMachines } from './serve-machines.ts';
import { type StartedCommand, startCommand } from './started-command.ts';

describe('a cluster with faults', () => {
  let replay: StartedCommand;
  beforeAll(async () => {
    if (chromiumPath() === undefined) return;
    requireBuild();
    replay = await startCommand(['up', '--replay', recordingFixture]);
  });
  afterAll(async () => {
    await replay?.[Symbol.asyncDispose]();
  });

  test('shows a node that stopped answering as a ghost, its links as dots without figures, and counts neither', async ({
    browser,
  }) => {
    const { page, problems } = await browser.open(replay.url);
    const ghost = page.getByRole('link', {
      name: /^juno \(simulated\), no contact, .*no contact for \d+ min/,
    });
    await ghost.locator('text').getByText('no contact').waitFor();
    const links = page.getByRole('button', { name: /^Link .*\bjuno\b/ });
    await links.first().waitFor();
    const names = await links.evaluateAll(all => all.map(one => one.getAttribute('aria-label')));
    expect(names).toHaveLength(7);
    for (const name of names) expect(name).toMatch(/^Link (juno to|\S+ to juno).*: no contact$/);
    const gone = page.getByRole('button', { name: 'Link atlas to juno, Thunderbolt 5 (RDMA): no contact' });
    const whole = page.getByRole('button', { name: /^Link atlas to hermes, Thunderbolt 5 \(RDMA\): \d/ });
    expect([await isDotted(gone), await isDotted(whole)]).toEqual([true, false]);
    expect(await isDotted(ghost)).toBe(true);
    // Of 1.86 TB with the notebook's 128 GB.
    await totalNamed(page, 'Memory').getByText('1.74').waitFor();
    await totalNamed(page, 'FP16 compute')
      .getByText('of 8 GPUs')
      .or(totalNamed(page, 'FP16 compute').getByText('8 GPUs'))
      .first()
      .waitFor();
    const row = page.getByRole('row', { name: /^atlas – juno / });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      expect.stringMatching(/^Thunderbolt\s5\s\(RDMA\)/),
      // The last figures, with their age.
      expect.stringMatching(/^\d\d\.\d\sGb\/s$/),
      expect.stringMatching(/^\d\d\.\d\sGb\/s$/),
      expect.stringMatching(/s$/),
      expect.stringMatching(/s$/),
      expect.stringMatching(/^\d+\smin$/),
      'no contact',
    ]);
    await page.getByRole('article', { name: /^juno stopped answering \d+ min ago$/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('flags a link that carries far less one way, on the map, in its row, in the matrix and as a warning', async ({
    browser,
  }) => {
    const { page } = await browser.open(replay.url);
    const short = page.getByRole('button', {
      name: /^Link spark-2 to bosun, Ethernet: 9\.\d\d Gb\/s to bosun, 4\.8\d Gb\/s to spark-2/,
    });
    const sound = page.getByRole('button', { name: /^Link spark-1 to bosun, Ethernet: \d/ });
    await short.waitFor();
    expect(await strokesOf(short)).not.toEqual(await strokesOf(sound));
    await page
      .getByRole('row', { name: /^spark-2 – bosun .* bosun→spark-2 4\.8\d Gb\/s of 10 Gb\/s$/ })
      .waitFor();
    const warning = page.getByRole('article', { name: /^bosun to spark-2: 4\.8\d Gb\/s is far less/ });
    await warning.getByRole('button', { name: 'Copy the command plimsoll probe link spark-2' }).waitFor();
    await page.goto(`${replay.url}/links`);
    await page
      .getByRole('button', {
        name: /^bosun to spark-2: 4\.8\d Gb\/s, 4[89]\S* per cent of what it should carry, below its rate$/,
      })
      .waitFor();
    await page.getByRole('button', { name: /^spark-2 to bosun: 9\.\d\d Gb\/s/ }).waitFor();
  });

  test('keeps the row of a connection whose probe failed, with the reason in place of figures', async ({
    browser,
  }) => {
    const { page } = await browser.open(replay.url);
    await page.getByRole('button', { name: /^Link pip to spark-1, / }).dispatchEvent('click');
    const dock = page.getByRole('region', { name: 'Connections of pip – spark-1' });
    const row = dock.getByRole('row', { name: /^pip to spark-1 / });
    await row.getByRole('cell', { name: 'failed: no answer within 30 s' }).waitFor();
    await dock.getByRole('row', { name: /^spark-1 to pip .* 93\d Mb\/s 93\d Mb\/s / }).waitFor();
  });

  test('hatches in the matrix who cannot be reached, and who does not answer', async ({ browser }) => {
    const { page } = await browser.open(`${replay.url}/links`);
    const cutOff = page.getByRole('button', { name: 'hermes to anchor: not reachable' });
    const asleep = page.getByRole('button', { name: 'atlas to juno: no contact' });
    const measured = page.getByRole('button', { name: /^atlas to hermes: 74\.\d Gb\/s, 9\d\S* per cent/ });
    await measured.waitFor();
    await page.getByRole('button', { name: 'anchor to hermes: not reachable' }).waitFor();
    expect([await isHatched(cutOff), await isHatched(asleep), await isHatched(measured)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('of a stream that has gone silent keeps links and figures, and calls nothing live', async ({
    browser,
  }) => {
    await using served = await serveMachines({
      machines: service().machines,
      limits: { streamHeartbeatMs: 600_000 },
    });
    served.reportAll(service().reported);
    const { page } = await browser.open(`${served.url}/?stale=700`);
    const connection = page.getByRole('status', { name: 'Connection' });
    await connection.getByText('Stale').waitFor();
    await page.getByText(/^last event .* ago$/).waitFor();
    await page
      .getByRole('button', { name: /^Link atlas to juno, Thunderbolt 5 \(RDMA\): 74\.8 Gb\/s/ })
      .waitFor();
    expect(await connection.getByText('Live').count()).toBe(0);
    if (isLongRun) expect(await axeFindings(page)).toEqual([]);
  });
});

const totalNamed = (page: Page, name: string): Locator =>
  page
    .getByRole('region', { name: 'What this cluster can carry' })
    .getByRole('article', { name, exact: true });

/** Whether some line of it is drawn in dots or dashes. */
const isDotted = async (part: Locator): Promise<boolean> =>
  (await lineStyles(part, 'strokeDasharray')).some(dashes => dashes !== 'none');

/** The colours of its lines. */
const strokesOf = async (part: Locator): Promise<readonly string[]> => [
  ...new Set(await lineStyles(part, 'stroke')),
];

const lineStyles = (part: Locator, property: 'stroke' | 'strokeDasharray'): Promise<readonly string[]> =>
  part.evaluate(
    (element, name) =>
      [...element.querySelectorAll('path, line, rect')].map(line =>
        String(element.ownerDocument.defaultView?.getComputedStyle(line)[name]),
      ),
    property,
  );

const isHatched = (cell: Locator): Promise<boolean> =>
  cell.evaluate(element =>
    [element, ...element.querySelectorAll('*')].some(part =>
      element.ownerDocument.defaultView
        ?.getComputedStyle(part)
        .backgroundImage.includes('repeating-linear-gradient'),
    ),
  );
