import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRocmSmi } from '../../../src/gather/amd-smi/amd-tool.ts';
import { parseAmdSmiMetric, parseAmdSmiStatic } from '../../../src/gather/amd-smi/parse-amd-smi.ts';
import { JsonSplitter, jsonDocuments } from '../../../src/gather/amd-smi/tool-json.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const MIB = 1024 * 1024;

describe('amd-smi static', () => {
  it('names the cards by PCI address, with the limit set rather than the highest, in both of its shapes', () => {
    const cards = jsonDocuments(fixtureText('amd-smi/static-mi300x-pair.json')).flatMap(parseAmdSmiStatic);
    expect(cards).toMatchObject([
      { address: '0000:05:00.0', name: 'AMD Instinct MI300X', computeUnits: 304, powerLimitWatts: 700 },
      { address: '0000:26:00.0', architecture: 'gfx942', powerLimitWatts: 650, isPartition: false },
    ]);
    expect(cards[0]?.memoryTotalBytes).toBe(196_592 * MIB);
  });
});

describe('amd-smi metric', () => {
  it('takes the junction where there is no edge, and the fastest of eight clocks', () => {
    expect(metric('metric-mi300x.json', ['0000:05:00.0'])).toMatchObject([
      {
        deviceId: '0000:05:00.0',
        use: 0.97,
        memoryUsedBytes: 171_530 * MIB,
        temperatureCelsius: 71,
        powerWatts: 690,
        clockMhz: 2097,
        pcieNow: { generation: 5, width: 16 },
        throttleReasons: { kind: 'unknown' },
      },
    ]);
  });

  it('reads the list at top level of older releases, with texts where others have objects', () => {
    expect(metric('metric-rx-6600-xt-top-level-list.json', ['0000:03:00.0'])).toMatchObject([
      {
        use: 0.01,
        temperatureCelsius: 36,
        powerWatts: 6,
        clockMhz: 800,
        pcieNow: { generation: 4, width: 8 },
      },
    ]);
  });

  it('counts a card in two parts once, with its memory once', () => {
    const loads = metric('metric-mi300x-dpx.json', ['0000:05:00.0', '0000:26:00.0']);
    expect(loads).toHaveLength(1);
    expect(loads[0]).toMatchObject({ deviceId: '0000:05:00.0', memoryUsedBytes: 171_530 * MIB, use: 0.97 });
  });

  it('finds the documents of a watching tool after its banner, line by line', () => {
    const splitter = new JsonSplitter();
    const uses = fixtureText('amd-smi/metric-watch.txt')
      .split('\n')
      .flatMap(line => splitter.add(line))
      .map(document => parseAmdSmiMetric(document, ['0000:05:00.0'])[0]?.use);
    expect(uses).toEqual([0.88, 0.03]);
  });

  it('finds the next document after one that was cut off by a crash', () => {
    const splitter = new JsonSplitter();
    const whole = '{"gpu_data": [{"gpu": 0}]}';
    expect(splitter.add('{ not json }')).toEqual([]);
    expect(splitter.add(whole)).toHaveLength(1);
  });

  it('gives an answer for any JSON, and any text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), json => {
        parseAmdSmiStatic(json);
        parseAmdSmiMetric({ gpu_data: json }, []);
        parseAmdSmiMetric([json, { usage: json, power: json, clock: json, mem_usage: json, pcie: json }], []);
        parseRocmSmi({ card0: json, system: json });
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void jsonDocuments(text)));
  });

  it('takes no fraction for a number of lanes, and gives whole bytes', () => {
    const entry = { gpu: 0, pcie: { width: 8.5, speed: 32 }, mem_usage: { used_vram: 1.1 } };
    expect(parseAmdSmiMetric([entry], ['a'])[0]).toMatchObject({
      memoryUsedBytes: 1_153_434,
      pcieNow: { kind: 'unknown' },
    });
  });

  it('never gives a figure that is not finite', () => {
    const value = fc.oneof(
      fc.double(),
      fc.constantFrom('N/A', '1e999', '-5', 0, -1, null, [], { value: 'N/A' }),
    );
    fc.assert(
      fc.property(value, value, (figure, other) => {
        const entry = {
          usage: { gfx_activity: figure },
          power: { socket_power: { value: other } },
          clock: { gfx_0: { clk: figure } },
          temperature: { edge: figure },
          mem_usage: { used_vram: { value: figure } },
          pcie: { width: figure, speed: other },
        };
        for (const load of parseAmdSmiMetric([entry], [])) {
          for (const each of Object.values(load))
            if (typeof each === 'number') expect(each).toSatisfy(Number.isFinite);
        }
      }),
    );
  });
});

describe('rocm-smi', () => {
  it('names cards, passes over the key "system", and takes no id for a name and no 0 for a limit', () => {
    expect(jsonDocuments(fixtureText('rocm-smi/mi250-two-dies.json')).flatMap(parseRocmSmi)).toMatchObject([
      { address: '0000:63:00.0', name: 'AMD Instinct MI250', powerLimitWatts: 500, architecture: 'gfx90a' },
      { address: '0000:43:00.0', name: undefined, powerLimitWatts: undefined },
    ]);
  });

  it('gives the address as sysfs writes it', () => {
    expect(jsonDocuments(fixtureText('rocm-smi/rx-7900-xt.json')).flatMap(parseRocmSmi)).toMatchObject([
      { address: '0000:0b:00.0', name: 'Radeon RX 7900 XT', memoryTotalBytes: 21_458_059_264 },
    ]);
  });
});

const metric = (fixture: string, deviceIds: readonly string[]) =>
  jsonDocuments(fixtureText(`amd-smi/${fixture}`)).flatMap(document =>
    parseAmdSmiMetric(document, deviceIds),
  );
