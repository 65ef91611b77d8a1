// `plimsoll accept` against a simulated cluster: what it measures, stores, continues, signs and writes.

import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPlan } from '../../src/cli/accept/acceptance-plan-file.ts';
import { runAcceptance } from '../../src/cli/accept/run-acceptance.ts';
import { signedBy } from '../../src/cli/accept/signature.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { STAGE_TITLES } from '../../src/core/acceptance/acceptance-document.ts';
import { jsonLines } from '../../src/core/text/single-line.ts';
import { acceptanceJunit } from '../../src/report/acceptance-junit.ts';
import { plainMarkdown, plainPage } from '../../src/report/plain-report.ts';
import { type LiveDaemon, liveDemo } from '../support/live-daemons.ts';
import { madeUpProcess } from '../support/made-up-process.ts';
import { documentFaults } from '../support/published-schema.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { whileTimePasses } from '../support/while-time-passes.ts';

type Request = Parameters<typeof runAcceptance>[0]['request'];

const everything = (soakMs: number): Request => ({
  kind: 'new',
  command: 'plimsoll accept',
  soakMs,
  duty: 0.9,
  plan: undefined,
  nodes: () => undefined,
});

const command = async (live: LiveDaemon, args: readonly string[]): Promise<string> => {
  const process = madeUpProcess([...args, '--home', live.home]);
  await process.run();
  return process.stdout.text + process.stderr.text;
};

describe('an acceptance of a simulated pair', () => {
  test('judges every stage, is listed, and is shown in every format, signed by the node', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 2, clock });
    await clock.advance(5_000);
    const { state } = madeUpProcess([]);
    const lines: string[] = [];
    const { acceptance, report, directory } = await whileTimePasses(
      clock,
      runAcceptance({
        home: live.home,
        state,
        clock,
        print: async line => {
          lines.push(line);
        },
        request: everything(100_000),
      }),
    );
    expect(acceptance).toMatchObject({ state: 'complete', nodes: ['james', 'mike'] });
    expect(acceptance.watched.watchedMs).toBeGreaterThanOrEqual(100_000);
    expect(acceptance.stages.map(({ key }) => key)).toEqual(Object.keys(STAGE_TITLES));
    for (const { key, checks } of acceptance.stages) expect(checks.length, key).toBeGreaterThan(0);
    expect(await documentFaults(JSON.parse(jsonLines(acceptance)))).toEqual([]);
    expect(lines).toContain('Soak: links and devices are kept under load.');
    const soak = acceptance.stages.find(({ key }) => key === 'soak')?.checks ?? [];
    // What each node reached is in the result; a benchmark has priority.
    const loaded = soak.filter(({ check }) => check === 'time-under-load');
    expect(loaded.map(({ subject, result, reason }) => `${subject}: ${result}: ${reason}`).sort()).toEqual([
      'james: devices: pass: of the soak',
      'james: links: pass: of the soak',
      'mike: devices: undecided: a benchmark runs against mike',
      'mike: links: undecided: a benchmark runs against mike',
    ]);
    for (const { result, value } of loaded) if (result === 'pass') expect(value).toBeGreaterThan(0.6);
    expect(soak.filter(({ check }) => check === 'rate-over-time').length).toBeGreaterThan(0);
    expect(soak.filter(({ check, result }) => check === 'rate-over-time' && result === 'fail')).toEqual([]);

    expect(await command(live, ['runs'])).toContain(acceptance.id);
    expect(await command(live, ['report', acceptance.id])).toContain('Readings and versions');
    expect(JSON.parse(await command(live, ['report', acceptance.id, '--json']))).toEqual(
      JSON.parse(jsonLines(acceptance)),
    );
    const json = readFileSync(join(directory, 'acceptance.json'), 'utf8');
    const signature = await signedBy(live.home, json);
    const page = plainPage(report, [], signature);
    for (const part of [signature.statement, signature.signature, signature.publicKey, signature.nodeId])
      expect(page).toContain(part);
    expect(plainMarkdown(report)).toContain('Devices');
    const junit = acceptanceJunit(acceptance);
    expect(junit.match(/<testcase /g)).toHaveLength(acceptance.stages.flatMap(({ checks }) => checks).length);
  });

  test('that is stopped continues with what it had watched, and measures nothing again that is fresh', async () => {
    const clock = new VirtualClock();
    await using live = await liveDemo({ size: 2, clock });
    await clock.advance(5_000);
    const process = madeUpProcess([]);
    const first = await whileTimePasses(
      clock,
      runAcceptance({
        home: live.home,
        state: process.state,
        clock,
        print: async line => {
          if (line.startsWith('Soak')) process.stop('SIGINT');
        },
        request: everything(400_000),
      }),
    );
    expect(first.acceptance.state).toBe('interrupted');
    const { watchedMs } = first.acceptance.watched;
    expect(watchedMs).toBeGreaterThan(0);
    expect(watchedMs).toBeLessThan(400_000);
    const second = await whileTimePasses(
      clock,
      runAcceptance({
        home: live.home,
        state: madeUpProcess([]).state,
        clock,
        print: async () => undefined,
        request: { kind: 'resumed', directory: first.directory },
      }),
    );
    expect(second.acceptance).toMatchObject({ id: first.acceptance.id, state: 'complete', soakMs: 400_000 });
    expect(second.acceptance.watched.watchedMs).toBeGreaterThanOrEqual(Math.max(400_000, watchedMs));
  });
});

describe('the command', () => {
  test('judges the named nodes, writes the requested files, and ends with the code of its outcome', async () => {
    await using live = await liveDemo({ size: 2 });
    const [html, junit, md] = ['a.html', 'a.xml', 'a.md'].map(name => join(live.home, name));
    const files = ['--html', html ?? '', '--junit', junit ?? '', '--md', md ?? ''];
    const process = madeUpProcess(['accept', '--nodes', 'james', '--json', ...files, '--home', live.home]);
    const code = await process.run();
    const document: unknown = JSON.parse(process.stdout.text);
    expect(await documentFaults(document)).toEqual([]);
    expect(document).toMatchObject({
      outcome: 'undecided',
      nodes: ['james'],
      command: 'plimsoll accept --nodes james',
    });
    expect(code).toBe(EXIT_CODES.acceptUndecided.code);
    expect(readFileSync(html ?? '', 'utf8')).toContain('plimsoll acceptance sha256');
    expect(readFileSync(junit ?? '', 'utf8')).toContain('<testsuite name="plimsoll accept"');
    expect(readFileSync(md ?? '', 'utf8')).toContain('Devices: passed');
  });

  test.each([
    [['--nodes', 'nobody'], EXIT_CODES.usage.code, /no node is called "nobody"/],
    [['--resume', 'x', '--soak', '1m'], EXIT_CODES.usage.code, /--resume/],
    [['--resume', 'x'], EXIT_CODES.benchRunDirectory.code, /no acceptance can be resumed/],
  ])('refuses what it cannot do: %j', async (args, expected, problem) => {
    await using live = await liveDemo({ size: 2 });
    const process = madeUpProcess(['accept', ...args, '--home', live.home]);
    expect(await process.run()).toBe(expected);
    expect(process.stderr.text).toMatch(problem);
  });
});

test('the signature of an acceptance is that of the key of the node, over the digest of its file', async () => {
  await using live = await liveDemo({ size: 2, clock: new VirtualClock() });
  const { statement, signature, publicKey } = await signedBy(live.home, '{}\n');
  expect(statement).toContain(createHash('sha256').update('{}\n').digest('hex'));
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  expect(verify(null, Buffer.from(statement), key, Buffer.from(signature, 'base64'))).toBe(true);
  expect(verify(null, Buffer.from(`${statement}0`), key, Buffer.from(signature, 'base64'))).toBe(false);
});

describe('a plan', () => {
  const planOf = async (text: string) => {
    using folder = temporaryDirectory();
    writeFileSync(join(folder.path, 'plan.yaml'), text);
    return await readPlan('plan.yaml', folder.path);
  };

  test('is YAML or JSON', async () => {
    expect(await planOf('nodes: [a, b]\nlimits:\n  link-rate: 9e10\nskip: [mtu]\n')).toEqual({
      nodes: ['a', 'b'],
      limits: { 'link-rate': 9e10 },
      skip: ['mtu'],
    });
    expect(await planOf('{"limits": {"memory-bandwidth": 2.9e12}}')).toEqual({
      limits: { 'memory-bandwidth': 2.9e12 },
    });
  });

  test.each([
    ['limits:\n  link-speed: 1\n', /no check with a limit is called "link-speed"/],
    ['limits:\n  node-up: 1\n', /no check with a limit is called "node-up"/],
    ['skip: [all]\n', /no check is called "all"/],
    ['node: [a]\n', /cannot be used/],
    ['nodes: [\n', /cannot be used/],
  ])('that names what is not there is refused: %j', async (text, problem) => {
    await expect(planOf(text)).rejects.toMatchObject({
      code: 'badConfig',
      exitCode: EXIT_CODES.badConfig.code,
      message: expect.stringMatching(problem),
    });
  });
});
