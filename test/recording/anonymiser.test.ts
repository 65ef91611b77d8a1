import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { entriesOf } from '../../src/core/entry-maps.ts';
import { type Fact, factKey } from '../../src/core/event-kinds.ts';
import { nodeId } from '../../src/core/ids.ts';
import { objectiveFields } from '../../src/core/run/objective.ts';
import { unknown } from '../../src/core/unknown.ts';
import { Anonymiser } from '../../src/recording/anonymiser.ts';
import { HiddenText } from '../../src/recording/hidden-text.ts';
import { eventOf, type RecordedEvent } from '../../src/recording/recording-line.ts';
import { readRecording } from '../../src/recording/recording-reader.ts';
import { arbitraryFact } from '../core/arbitrary-event.ts';
import { PLAIN_RUN_ENTRY, runIdOf } from '../support/run-entry.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { recordingText, recordWorld } from './recorded-world.ts';

describe('a recording without names', () => {
  test('holds no id, name or address of the cluster, and every event of it', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'recording');
    const { last } = await recordWorld(path, { anonymiser: new Anonymiser() });
    const text = await recordingText(path);
    const names = Object.entries(last.nodeIdentities).flatMap(([id, { value }]) => [
      id,
      value.friendlyName,
      value.hostName,
    ]);
    const addresses = Object.values(last.nodeNetworks)
      .flatMap(({ value }) => value.interfaces.flatMap(one => one.addresses.map(({ address }) => address)))
      .filter(address => address !== '127.0.0.1');
    expect(names.length + addresses.length).toBeGreaterThan(30);
    for (const secret of [...names, ...addresses]) expect(text.split(`"${secret}`).length, secret).toBe(1);
    let events = 0;
    for await (const part of readRecording(path)) {
      if (part.kind !== 'line' || !('events' in part.line)) continue;
      for (const event of part.line.events) {
        expect(eventOf(event, 0), `${event.kind} ${event.key}`).toBeDefined();
        events += 1;
      }
    }
    expect(events).toBeGreaterThan(500);
  });

  test('has the same connections with the same profiles between the stand-ins', async () => {
    using folder = temporaryDirectory();
    const path = join(folder.path, 'recording');
    const { first } = await recordWorld(path, { anonymiser: new Anonymiser(), seconds: 1 });
    const opened = new Set<string>();
    const profiled = new Set<string>();
    for await (const part of readRecording(path)) {
      if (part.kind !== 'line' || part.line.kind !== 'origin') continue;
      for (const { origin, kind, key } of part.line.events) {
        if (kind === 'connection.opened') opened.add(`${origin} ${key}`);
        if (kind === 'link.profiled') profiled.add(`${origin} ${key}`);
      }
    }
    const count = entriesOf(first.connections)
      .flatMap(sinks => entriesOf(sinks))
      .reduce((sum, keys) => sum + Object.keys(keys).length, 0);
    expect(opened.size).toBe(count);
    expect([...profiled].filter(key => !opened.has(key))).toEqual([]);
  });
});

describe('the anonymiser', () => {
  test('gives equal things equal stand-ins and different ones different', () => {
    const text = new HiddenText();
    text.learn('node', 'Anna’s Mac Studio');
    const hidden = text.hidden('10.1.2.3 and 10.1.2.4, 10.1.2.3 again, of Anna’s Mac Studio');
    const [one, two, three] = hidden.match(/\d+(\.\d+){3}/g) ?? [];
    expect(one).toBe(three);
    expect(one).not.toBe(two);
    expect(hidden).toContain('of node-1');
  });

  test.each([
    ['an IPv4 address', 'no answer from 10.20.30.40 within 30 s', '10.20.30.40'],
    ['an IPv6 address', 'bound to 2a02:1234::17', '2a02:1234::17'],
    ['a link-local one with its scope', 'to fe80::1cf3:22ff:fe11:9%en3', '1cf3:22ff'],
    ['one in brackets with a port', 'dial [2a02:1234::17]:4181 failed', '2a02:1234::17'],
    ['a MAC address', 'of ac:de:48:00:11:22', 'ac:de:48:00:11:22'],
    ['a UUID', 'GPU-1b2c3d4e-aaaa-bbbb-cccc-0123456789ab', '1b2c3d4e'],
    ['a node id', 'a runner is active on tez4slbc3ifpejq72ytxqs6xlu', 'tez4slbc'],
    ['a URL', 'at https://llm.corp.internal:8443/team-a/v1?key=abc', 'corp'],
    ['a path', 'cannot open /Users/anna/models/secret.bin', 'anna'],
  ])('hides %s in running text', (_name, text, secret) => {
    expect(new HiddenText().hidden(text)).not.toContain(secret);
  });

  test('leaves alone what is the same everywhere', () => {
    for (const text of [
      'CUDA 12.8, driver 570.86.16',
      'PCIe 0000:c1:00.0',
      '127.0.0.1 and ::1',
      'no /proc/meminfo',
      'at 14:02:51',
      'half its rate one way',
    ])
      expect(new HiddenText().hidden(text)).toBe(text);
  });

  test('leaves out what a later version reports, whose meaning it cannot know', () => {
    const reported: Fact = {
      kind: 'reading.failed',
      payload: {
        reading: 'memory',
        vendor: 'none',
        source: 'procfs',
        intervalMs: 500,
        reason: 'gone',
        ...{ owner: 'Anna', contacts: ['anna@corp.internal'], seats: { anna: 3 } },
      },
    };
    const { payload } = new Anonymiser().event(recorded(reported));
    const { reading, vendor, source, intervalMs, reason } = reported.payload;
    expect(payload).toEqual({ reading, vendor, source, intervalMs, reason });
    expect(JSON.stringify(payload)).not.toMatch(/anna/i);
  });

  test('hides what sites, racks, kinds and tags are called, and keeps which nodes share them', () => {
    const hidden = new Anonymiser();
    const groupsAt = (rack: string) => {
      const { payload } = hidden.event(
        recorded({
          kind: 'config.gathered',
          payload: {
            source: 'config.toml',
            intervalMs: 30_000,
            value: {
              tags: ['team=secret'],
              site: 'acme-hq',
              rack,
              machineKind: 'acme one',
              ignoredInterfaces: [],
              staticPeerCount: 0,
              probes: { isEnabled: true, gpuTtlSeconds: 1, socketTtlSeconds: 1, rdmaTtlSeconds: 1 },
              makesLoad: false,
              webhooks: [],
              servedEndpoints: [],
            },
          },
        }),
      );
      return payload;
    };
    const settings = (rack: string) => ({
      value: { tags: ['tag-1'], site: 'site-1', rack, machineKind: 'kind-1' },
    });
    expect(groupsAt('acme-07')).toMatchObject(settings('rack-1'));
    expect(groupsAt('acme-08')).toMatchObject(settings('rack-2'));
    expect(groupsAt('acme-07')).toMatchObject(settings('rack-1'));
    expect(JSON.stringify(groupsAt('acme-09'))).not.toMatch(/acme|secret/);
  });

  test('hides who made a volume, and the folder in which a model is', () => {
    const disk = new Anonymiser().event(
      recorded(
        diskOf([
          '/dev/mapper/annas--vg-root',
          '/dev/disk/by-id/nvme-S5H9',
          '/dev/nvme0n1p2',
          '/dev/disk3s5',
          'tank/anna',
        ]),
      ),
    );
    expect(JSON.stringify(disk)).not.toMatch(/anna|S5H9/);
    expect(JSON.stringify(disk)).toMatch(/"\/dev\/nvme0n1p2".*"\/dev\/disk3s5"/);
    for (const { model, shown } of [
      { model: '/home/anna/models/Llama-3.1-8B', shown: 'Llama-3.1-8B' },
      { model: 'C:\\Users\\anna\\qwen.gguf', shown: 'qwen.gguf' },
      { model: '~/models/qwen.gguf', shown: 'qwen.gguf' },
      { model: 'models/anna/qwen.gguf', shown: 'qwen.gguf' },
      { model: 'meta-llama/Llama-3.1-8B', shown: 'meta-llama/Llama-3.1-8B' },
      { model: 'qwen3:8b', shown: 'qwen3:8b' },
    ])
      expect(new Anonymiser().event(recorded(runOf({ model }))).payload).toMatchObject({ model: shown });
  });

  test('hides a data set that is not a synthetic one, for any name of its file', () => {
    const payload = (dataset: string): unknown =>
      new Anonymiser().event(recorded(runOf({ dataset }))).payload;
    expect(payload('synthetic-anna.jsonl')).toMatchObject({ dataset: 'data set 1' });
    expect(payload('synthetic: 256 prompts of 128 words, seed 42')).toMatchObject({
      dataset: 'synthetic: 256 prompts of 128 words, seed 42',
    });
  });

  test('for any input, the event stays one that a reader accepts', () => {
    fc.assert(
      fc.property(arbitraryFact, fact => {
        const real: RecordedEvent = { ...recorded(fact) };
        if (eventOf(real, 0) === undefined) return;
        const hidden = new Anonymiser().event(real);
        expect(eventOf(hidden, 0), JSON.stringify(hidden)).toBeDefined();
      }),
    );
  });
});

const recorded = (fact: Fact): RecordedEvent => ({
  origin: nodeId('b'.repeat(26)),
  epoch: 1,
  seq: 1,
  kind: fact.kind,
  key: factKey(fact),
  payload: fact.payload,
  ageMs: 0,
  waitedMs: 0,
});

const diskOf = (devices: readonly string[]): Fact => ({
  kind: 'disk.gathered',
  payload: {
    source: 'statfs',
    intervalMs: 30_000,
    value: {
      volumes: devices.map(device => ({
        mountPoint: '/',
        device,
        fileSystem: 'ext4',
        totalBytes: 1,
        availableBytes: 0,
      })),
    },
  },
});

const runOf = (reported: { readonly model?: string; readonly dataset?: string }): Fact => ({
  kind: 'run.started',
  payload: {
    runId: runIdOf('20261122-120000-abcd'),
    startedAt: '2026-11-22T12:00:00Z',
    target: 'http://127.0.0.1:8000',
    serverKind: 'vLLM',
    model: 'm',
    pattern: { kind: 'concurrency', concurrency: 8 },
    ...PLAIN_RUN_ENTRY,
    dataset: 'd',
    seed: 1,
    command: 'plimsoll bench http://10.1.2.3:8000',
    isStreaming: true,
    limits: { samplesMax: 1, durationMs: unknown('not limited') },
    ...objectiveFields([], 1),
    directory: '/r',
    sweep: unknown('not a stage of a sweep'),
    targetNode: unknown('not a known node'),
    state: 'running',
    reason: '',
    figures: unknown('the run has not ended'),
    ...reported,
  },
});
