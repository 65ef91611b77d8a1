import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publicConfig } from '../../src/config/config.ts';
import { CONFIG_SECTIONS } from '../../src/config/config-keys.ts';
import { problemLines } from '../../src/config/config-problem.ts';
import { configTemplate, settingLines } from '../../src/config/config-template.ts';
import { type ParsedConfig, parseConfig } from '../../src/config/parse-config.ts';
import { defaultConfig } from '../../src/config/read-config.ts';
import { PRESENCE_LIMITS } from '../../src/core/node/presence-view.ts';
import { machineAccess } from '../../src/gather/machine-access.ts';
import { JOURNAL_LIMITS } from '../../src/journal/journal.ts';

const configOf = (text: string) => {
  const parsed = parseConfig(text, 'config.toml');
  if (parsed.kind === 'broken') throw new Error(parsed.problems.flatMap(problemLines).join('\n'));
  return parsed.config;
};

const problemsOf = (text: string): readonly string[] => {
  const parsed: ParsedConfig = parseConfig(text, 'config.toml');
  if (parsed.kind === 'ok') throw new Error('nothing is wrong with it');
  return parsed.problems.map(problem => problemLines(problem).join('\n'));
};

describe('a config file', () => {
  test('that is empty gives the defaults of DESIGN §7', () => {
    expect(configOf('')).toEqual({
      name: undefined,
      tags: [],
      site: undefined,
      rack: undefined,
      machineKind: undefined,
      prices: undefined,
      http: { listen: { kind: 'listen', host: '127.0.0.1', port: 4180, isExplicit: false }, hostNames: [] },
      mesh: {
        listen: { kind: 'listen', host: '::', port: 4181, isExplicit: false },
        peers: [],
        staleMs: 10_000,
        offlineMs: 30_000,
        discovery: { kind: 'every-interface' },
      },
      fleet: {
        servers: [],
        cluster: 'plimsoll',
        credentials: undefined,
        ca: undefined,
        isHandshakeFirst: true,
        mayBePlain: false,
        subscriptions: 'all',
      },
      network: { ignoredInterfaces: [] },
      probes: {
        isEnabled: true,
        gpuTtlMs: 3_600_000,
        socketTtlMs: 300_000,
        rdmaTtlMs: 21_600_000,
        bandwidthShare: 0.02,
        bytesPerHourMax: 50e9,
        port: undefined,
      },
      journal: { sizeBytesMax: 512_000_000, rawHistoryMs: 259_200_000, hourlyHistoryMs: 7_776_000_000 },
      gather: {
        memoryMs: 500,
        systemMs: 1_000,
        gpuMs: 1_000,
        thunderboltMs: 5_000,
        networkMs: 10_000,
        rdmaMs: 10_000,
        diskMs: 30_000,
        identityMs: 30_000,
      },
      endpoints: [],
      engines: { isEnabled: true, ports: [], intervalMs: 5_000 },
      webhooks: [],
      bench: {
        isAgent: false,
        targets: [],
        keys: [],
        requestsPerSecondMax: 5_000,
        connectionsMax: 2_048,
        durationMsMax: 3_600_000,
        samplesMax: 2_000_000,
        port: undefined,
      },
      otlp: { endpoint: undefined, intervalMs: 10_000, compression: 'none' },
      log: { level: undefined, format: 'logfmt' },
    });
  });

  test('that is empty gives the defaults that the parts have on their own', () => {
    const { gather, journal, mesh } = defaultConfig();
    const { intervals } = machineAccess({ env: {}, plimsollVersion: '0.0.0' });
    expect(intervals).toMatchObject(gather);
    expect(JOURNAL_LIMITS).toEqual(journal);
    expect(mesh).toMatchObject(PRESENCE_LIMITS);
  });

  // docs/config.md is compared in test/cli/docs.test.ts.
  test.each(
    CONFIG_SECTIONS.flatMap(({ name, isList, keys }) => keys.map(row => ({ section: name, isList, ...row }))),
  )('has $section $key in its template, its reader, its settings and its check, from one row', row => {
    const { section, isList, property, key, meaning } = row;
    const header = isList ? `[[${section}]]` : `[${section}]`;
    const under = section === '' ? '' : `${header}\n`;
    const written = configTemplate();
    const rest = written.slice(section === '' ? 0 : written.indexOf(`\n${isList ? '# ' : ''}${header}\n`));
    const text = rest.slice(0, rest.indexOf('\n[', 1));
    expect(text).toContain(`\n# ${key} = `);
    expect(text.replaceAll('\n# ', ' ')).toContain(meaning);

    const parsed = parseConfig('', 'config.toml');
    if (parsed.kind === 'broken') throw new Error('the defaults are valid');
    const read: unknown = isList ? [] : section === '' ? parsed.config : Reflect.get(parsed.config, section);
    if (!isList) {
      expect(read).toHaveProperty(property);
      expect(parsed.settings).toContainEqual(expect.objectContaining({ section, key }));
    }
    // No value is a date: the reader of each refuses one, and the check refuses a name that is almost the key's.
    const name = section === '' ? key : `${section}.${key}`;
    expect(problemsOf(`${under}${key} = 1979-05-27`).join('\n')).toMatch(
      new RegExp(`^config.toml:\\d:\\d+: (?:${name}: |${key} is not a list)`, 'm'),
    );
    expect(problemsOf(`${under}${key}_ = 1`).join('\n')).toContain(`Did you mean ${key}?`);
  });

  test('as a first start writes it changes nothing', () => {
    expect(configOf(configTemplate())).toEqual(defaultConfig());
  });

  test('as a first start writes it is in order with every comment taken away', () => {
    const uncommented = configTemplate().replaceAll(/^# ((?:\[\[)?[a-z_]+(?: =|\]\]).*)$/gm, '$1');
    const config = configOf(uncommented);
    expect({
      ...config,
      name: undefined,
      site: undefined,
      rack: undefined,
      machineKind: undefined,
      prices: undefined,
      endpoints: [],
      engines: { isEnabled: true, ports: [], intervalMs: 5_000 },
      webhooks: [],
      probes: { ...config.probes, port: undefined },
      bench: { ...config.bench, port: undefined },
      otlp: { ...config.otlp, endpoint: undefined },
      log: { ...config.log, level: undefined },
    }).toEqual({
      ...defaultConfig(),
      http: { listen: { kind: 'listen', host: '127.0.0.1', port: 4180, isExplicit: true }, hostNames: [] },
      mesh: { ...defaultConfig().mesh, listen: { kind: 'listen', host: '::', port: 4181, isExplicit: true } },
      fleet: { ...defaultConfig().fleet, credentials: 'fleet.nkey', ca: 'fleet-ca.pem' },
    });
    expect(config).toMatchObject({ name: 'atlas', probes: { port: 4190 } });
    expect(config.endpoints).toEqual([{ url: 'http://127.0.0.1:8000' }]);
  });

  test('is read key by key', () => {
    const config = configOf(`
name = "atlas"
tags = ["studio"]
rack = "r07"
kind = "HGX H200"
[http]
listen = "[::]:8080"
[mesh]
listen = "off"
peers = ["juno", "10.0.0.2:4181", "[fe80::2%en3]:4181", "fe80::3%en4"]
discovery = ["en3", "en4"]
[network]
ignored_interfaces = ["docker0"]
[probes]
enabled = false
gpu_ttl = "500ms"
[journal]
size_max = "1.5GB"
raw_days = 1
[[endpoints]]
url = "http://127.0.0.1:8000/v1"
[[endpoints]]
url = "https://ada:secret@atlas.example:8443"
`);
    expect(config).toMatchObject({
      name: 'atlas',
      tags: ['studio'],
      http: { listen: { host: '::', port: 8080, isExplicit: true } },
      mesh: { listen: { kind: 'off' }, discovery: { kind: 'interfaces', names: ['en3', 'en4'] } },
      network: { ignoredInterfaces: ['docker0'] },
      probes: { isEnabled: false, gpuTtlMs: 500, socketTtlMs: 300_000 },
      journal: { sizeBytesMax: 1_500_000_000, rawHistoryMs: 86_400_000 },
    });
    expect(config.mesh.peers).toHaveLength(4);
    expect(publicConfig(config)).toEqual({
      tags: ['studio'],
      site: { kind: 'unknown', reason: 'not set in config.toml' },
      rack: 'r07',
      machineKind: 'HGX H200',
      ignoredInterfaces: ['docker0'],
      staticPeerCount: 4,
      presence: { staleMs: 10_000, offlineMs: 30_000 },
      probes: { isEnabled: false, gpuTtlSeconds: 0.5, socketTtlSeconds: 300, rdmaTtlSeconds: 21_600 },
      makesLoad: false,
      webhooks: [],
      servedEndpoints: ['http://127.0.0.1:8000', 'https://atlas.example:8443'],
    });
  });

  test('lists what this machine may load for others, and where its keys are', () => {
    const { bench } = configOf(`
[bench]
agent = true
targets = ["https://LLM.example.net:443/", "http://[2001:DB8::7]:8000"]
keys = ["https://llm.example.net LLM_KEY", "http://[2001:db8::7]:8000 /run/secrets/a key"]
duration_max = "10m"
`);
    expect(bench).toMatchObject({
      isAgent: true,
      targets: ['https://llm.example.net', 'http://[2001:db8::7]:8000'],
      keys: [
        { origin: 'https://llm.example.net', source: { kind: 'variable', name: 'LLM_KEY' } },
        { origin: 'http://[2001:db8::7]:8000', source: { kind: 'file', path: '/run/secrets/a key' } },
      ],
      durationMsMax: 600_000,
    });
  });

  test('reports to others whether it makes load, never what for', () => {
    const reported = (text: string) => publicConfig(configOf(`[bench]\n${text}`));
    expect(reported('agent = true').makesLoad).toBe(false);
    expect(reported('targets = ["http://10.0.0.7:8000"]').makesLoad).toBe(false);
    const both = reported(
      'agent = true\ntargets = ["http://10.0.0.7:8000"]\nkeys = ["http://10.0.0.7:8000 KEY"]',
    );
    expect(both.makesLoad).toBe(true);
    expect(JSON.stringify(both)).not.toMatch(/10\.0\.0\.7|KEY/);
  });

  test('lists targets as whole origins, without wildcards, and no key where its place should be', () => {
    for (const [line, reported] of [
      ['targets = ["https://*.example.net"]', 'has a wildcard'],
      ['targets = ["https://llm.example.net/v1"]', 'is more than an origin'],
      ['targets = ["https://llm.example.net?x=1"]', 'is more than an origin'],
      ['targets = ["llm.example.net"]', 'is not an origin'],
      ['targets = ["http://169.254.169.254"]', 'where a cloud hands out credentials'],
      ['targets = ["ftp://llm.example.net"]', 'is not an origin'],
      ['targets = ["https://ada:word@llm.example.net"]', 'has credentials in it'],
      ['keys = ["https://llm.example.net"]', 'does not name a target'],
      ['keys = ["https://llm.example.net sk-12"]', 'neither the name of a variable nor'],
      ['keys = ["https://llm.example.net relative/file"]', 'neither the name of a variable nor'],
    ] as const)
      expect(problemsOf(`[bench]\n${line}`)[0]).toContain(reported);
  });

  test('reports how long the node may be silent, and is never offline before it is stale', () => {
    const presenceOf = (text: string) => publicConfig(configOf(`[mesh]\n${text}`)).presence;
    expect(presenceOf('stale_after = "2s"\noffline_after = "4s"')).toEqual({
      staleMs: 2_000,
      offlineMs: 4_000,
    });
    expect(presenceOf('stale_after = "1m"')).toEqual({ staleMs: 60_000, offlineMs: 60_000 });
    expect(problemsOf('[otlp]\nendpoint = "http://ada:secret@127.0.0.1:4318"')[0]).toContain(
      'has credentials',
    );
    expect(problemsOf('[otlp]\nendpoint = "127.0.0.1:4318"')[0]).toContain('is not a URL of HTTP');
    expect(problemsOf('[otlp]\ncompression = "zstd"')[0]).toContain('neither "none" nor "gzip"');
    expect(problemsOf('[mesh]\noffline_after = "500ms"')[0]).toContain('out of range');
  });

  test('takes the level and the format of the log, and names the possible ones where it is another', () => {
    expect(configOf('[log]\nlevel = "warn"\nformat = "json"\n').log).toEqual({
      level: 'warn',
      format: 'json',
    });
    expect(problemsOf('[log]\nlevel = "verbose"')[0]).toContain(
      '"verbose" is not one of debug, info, warn, error',
    );
    expect(problemsOf('[log]\nformat = 3')[0]).toContain('3 is not one of logfmt, json');
  });

  test('with an unknown key is refused with the line, a mark and a suggestion', () => {
    expect(problemsOf('tags = []\n[probes]\n  gpu_tll = "1h"\n')).toEqual([
      'config.toml:3:3: unknown key "gpu_tll" in [probes]\n    gpu_tll = "1h"\n    ^\n  Did you mean gpu_ttl?',
    ]);
    expect(problemsOf('gpu_ttl = "1h"')[0]).toContain('It belongs under [probes].');
    expect(problemsOf('[nettwork]\n')[0]).toMatch(
      /^config.toml:1:2: .*\n.*\n.*\n {2}Did you mean network\?$/,
    );
    expect(problemsOf('__proto__ = 1')[0]).toContain('unknown key "__proto__"');
  });

  test('with several mistakes is refused with all of them, in the order of the file', () => {
    const problems = problemsOf(
      '[journal]\nraw_days = "3"\nsize_max = 5\n[http]\nlisten = "4180"\nhost_names = 3\n',
    );
    expect(problems.map(problem => problem.split(': ')[0])).toEqual([
      'config.toml:2:12',
      'config.toml:3:12',
      'config.toml:5:10',
      'config.toml:6:14',
    ]);
    expect(problems[2]).toContain('Add the host: 127.0.0.1:4180.');
  });

  test('with tens of thousands of mistakes names the first 64 of them, so that it costs no more than a few', () => {
    const unknown = problemsOf(Array.from({ length: 25_000 }, (_, index) => `a${index} = 1`).join('\n'));
    expect(unknown).toHaveLength(64);
    expect(unknown.at(0)).toContain('config.toml:1:1: unknown key "a0"');
    expect(unknown.at(-1)).toContain('config.toml:64:1: unknown key "a63"');
    expect(problemsOf(`[[endpoints]]\n`.repeat(200))).toHaveLength(64);
  });

  test('names the item of a list that is wrong, also over several lines', () => {
    expect(problemsOf('[mesh]\npeers = [\n  "a", # "b"\n  5,\n]')[0]).toMatch(
      /^config.toml:4:3: mesh.peers: 5 /,
    );
    expect(problemsOf('[[endpoints]]\nurl = "http://a"\n[[endpoints]]\nurl = "ftp://a"')[0]).toMatch(
      /^config.toml:4:7: endpoints.url/,
    );
  });

  test.each([
    ['name = \n', 1],
    ['a = 1\n\n[probes\n', 3],
    ['name = "a"\nname = "b"', 2],
    ['name = "a" extra', 1],
    ['x = """never closed', 1],
    [`x = ${'['.repeat(5_000)}`, 1],
  ])('that is not TOML is refused at its line: %j', (text, line) => {
    expect(problemsOf(text)[0]).toMatch(new RegExp(`^config.toml:${line}:\\d+: this is not TOML: `));
  });

  test('shows a number that is none as it was written', () => {
    expect(problemsOf('[mesh]\nstale_after = nan')[0]).toContain('stale_after: NaN is not');
  });

  test('never shows a password, neither in a wrong line nor among its settings', () => {
    const secret = 'pass/w@rd';
    for (const text of [
      `[[endpoints]]\nurl = "ftp://ada:${secret}@atlas"`,
      `name = "http://ada:${secret}@atlas" x`,
    ]) {
      expect(problemsOf(text).join('\n')).not.toContain('w@rd');
      expect(problemsOf(text).join('\n')).not.toContain('ada');
    }
    const parsed = parseConfig('[[endpoints]]\nurl = "http://ada:hunter2@atlas"', 'config.toml');
    expect(
      JSON.stringify(parsed.kind === 'ok' && settingLines(parsed.settings, 'config.toml')),
    ).not.toContain('hunter2');
  });

  test('shows its settings with their source, as TOML that means the same', () => {
    const text = 'name = "atlas"\n[probes]\nenabled = false\n[[endpoints]]\nurl = "http://a"\n';
    const parsed = parseConfig(text, 'config.toml');
    if (parsed.kind === 'broken') throw new Error('in order');
    const lines = settingLines(parsed.settings, 'config.toml');
    expect(lines.find(line => line.startsWith('enabled'))).toMatch(/^enabled = false +# config.toml:3$/);
    expect(lines.find(line => line.startsWith('gpu_ttl'))).toMatch(/^gpu_ttl = "1h" +# default$/);
    const listens = { http: { listen: expect.anything() }, mesh: { listen: expect.anything() } };
    expect(configOf(lines.join('\n'))).toMatchObject({
      ...parsed.config,
      ...listens,
      mesh: expect.anything(),
    });
  });

  test('of any text at all gives a config or problems, and never an exception', () => {
    const word = fc.constantFrom(
      'name',
      '=',
      '"',
      "'",
      '[',
      ']',
      '[[',
      '\n',
      '#',
      '{',
      '}',
      ',',
      '.',
      'probes',
      '1',
      '\\',
      '"""',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word, { maxLength: 40 }).map(words => words.join(' ')),
    );
    fc.assert(
      fc.property(text, candidate => {
        const parsed = parseConfig(candidate, 'config.toml');
        if (parsed.kind === 'broken')
          for (const problem of parsed.problems) expect(problemLines(problem).length).toBeGreaterThan(1);
      }),
      { numRuns: 2_000 },
    );
  });
});
