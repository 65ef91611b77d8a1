// A Jetson made of files and a stand-in tool. Its lines are made up after NVIDIA's documentation: no recorded output of
// tegrastats was at hand, and nothing here has been verified on hardware.

import { describe, expect, it } from 'vitest';
import type { GpuLoad } from '../../../src/core/node/gpu.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { parseTegrastats } from '../../../src/gather/tegrastats/parse-tegrastats.ts';
import { forAnyOutput } from '../../support/arbitrary-output.ts';
import { figuresIn } from '../../support/figures-in.ts';
import { fixture } from '../../support/fixture.ts';
import { FixtureTree, fixtureText } from '../gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure, isHealths, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { StandInTools } from '../gpu/stand-in-tools.ts';
import { machineForTest } from '../machine-for-test.ts';

describe('a line of tegrastats', () => {
  it('reports load, clock and temperature of the GPU', () => {
    expect(loadIn(ORIN_NANO)).toEqual({
      deviceId: 'tegra-0',
      use: 0.37,
      memoryUsedBytes: unknown('unified memory'),
      memoryReservedUsedBytes: unknown('tegrastats does not report it'),
      temperatureCelsius: 50.125,
      powerWatts: unknown('measured only together with other parts of the chip (VDD_CPU_GPU_CV)'),
      clockMhz: 612,
      pcieNow: unknown('on the chip, no PCIe link'),
      throttleReasons: unknown('tegrastats does not report it'),
      processes: unknown('tegrastats does not report it'),
    });
  });

  it('reports its power if the module measures the GPU alone', () => {
    expect(loadIn(AGX_XAVIER)).toMatchObject({
      use: 0.05,
      clockMhz: 675,
      temperatureCelsius: 34.5,
      powerWatts: 0.31,
    });
  });

  it.each([
    ['GR3D_FREQ 0%@[1300,1100]', { use: 0, clockMhz: 1300 }],
    ['GR3D_FREQ 10%@1300', { use: 0.1, clockMhz: 1300 }],
    ['GR3D_FREQ 10%', { use: 0.1, clockMhz: unknown('tegrastats does not report it') }],
    ['GR3D_FREQ @[1000,1000,1000]', { use: unknown('tegrastats does not report it'), clockMhz: 1000 }],
    ['GR3D_FREQ 120%@[612]', { use: unknown('not a share: 120 %') }],
    ['GPU@-256C', { temperatureCelsius: unknown('the sensor is off') }],
    ['gpu@47.625C/47.625C', { temperatureCelsius: 47.625 }],
    [
      'VDD_GPU_SOC 5139mW/5139mW/5139mW',
      { powerWatts: unknown('measured only together with other parts of the chip (VDD_GPU_SOC)') },
    ],
    ['POM_5V_GPU 40/38', { powerWatts: 0.04 }],
    [
      '',
      {
        use: unknown('tegrastats does not report it'),
        temperatureCelsius: unknown('tegrastats does not report it'),
      },
    ],
  ])('may read "%s"', (fields, load) => {
    expect(loadIn(`RAM 1/2MB (lfb 1x4MB) ${fields}`)).toMatchObject(load);
  });

  it('never throws and never gives a figure that is not finite, for any text', () => {
    forAnyOutput([ORIN_NANO, AGX_XAVIER], text => {
      for (const line of text.split('\n')) {
        const load = parseTegrastats(line, 'tegra-0');
        if (load.kind === 'answered') expect(figuresIn([load.value]).every(Number.isFinite)).toBe(true);
      }
    });
  });
});

describe('a Jetson', () => {
  it('reports its one GPU and its load, although nvidia-smi answers too', async () => {
    await using jetson = await setUp();
    jetson.tools.add('nvidia-smi', NVIDIA_SMI);
    jetson.tools.add('tegrastats', STREAM);
    await using run = new GathererRun(jetson.gatherers());
    expect(await run.until(isInventory)).toMatchObject({
      source: 'device tree',
      devices: [
        {
          deviceId: 'tegra-0',
          name: 'NVIDIA Jetson Orin Nano Developer Kit',
          memoryIsUnified: true,
          memoryTotalBytes: unknown('unified memory'),
          driver: 'Jetson Linux 36.4.4',
          architecture: 'Ampere',
        },
      ],
    });
    const loads = await run.until(isLoads);
    expect(loads).toMatchObject({ source: 'tegrastats', devices: [{ deviceId: 'tegra-0' }] });
    // Only nvidia-smi may report its health; nothing else is requested from nvidia-smi or reported from it.
    await run.until(isHealths);
    await run.stop();
    expect(jetson.tools.starts('nvidia-smi').filter(({ args }) => !REPORTS_HEALTH.has(args[0]))).toEqual([]);
    expect(new Set(run.reported.filter(isInventory).map(({ source }) => source))).toEqual(
      new Set(['device tree']),
    );
    expect(new Set(run.reported.filter(isLoads).map(({ source }) => source))).toEqual(
      new Set(['tegrastats']),
    );
    expect(jetson.tools.starts('tegrastats')[0]?.args).toEqual(['--interval', '1000']);
    expect(run.reported.filter(isFailure)).toEqual([]);
  });

  it('is reported by nvidia-smi while tegrastats is missing, and by tegrastats once it is there', async () => {
    await using jetson = await setUp();
    jetson.tools.add('nvidia-smi', NVIDIA_SMI);
    await using run = new GathererRun(jetson.gatherers());
    const inventory = await run.until(isInventory);
    expect(inventory.source).toBe('nvidia-smi, instead of tegrastats');
    jetson.tools.add('tegrastats', STREAM);
    await run.until(reported => isLoads(reported) && reported.source === 'tegrastats');
  });

  it('reports what is missing where neither tool is there', async () => {
    await using jetson = await setUp();
    await using run = new GathererRun(jetson.gatherers());
    for (const reading of ['gpus', 'gpuLoads'])
      expect(await run.until(reported => isFailure(reported) && reported.reading === reading)).toMatchObject({
        reason: expect.stringMatching(/^tegrastats is not on PATH/),
      });
  });

  it('reports it when tegrastats prints something else', async () => {
    await using jetson = await setUp();
    jetson.tools.add('tegrastats', `every(10, () => print('hello'));`);
    await using run = new GathererRun(jetson.gatherers());
    const { reason } = await run.until(isFailure);
    expect(reason).toBe('tegrastats printed a line without its figures');
  });

  it('with a GPU on PCI leaves it to nvidia-smi', async () => {
    await using jetson = await setUp();
    await jetson.tree.write(
      'sys/bus/pci/devices/0000:01:00.0/uevent',
      'DRIVER=nvidia\nPCI_CLASS=30000\nPCI_ID=10DE:2B00\nPCI_SLOT_NAME=0000:01:00.0\n',
    );
    jetson.tools.add('nvidia-smi', NVIDIA_SMI);
    jetson.tools.add('tegrastats', STREAM);
    await using run = new GathererRun(jetson.gatherers());
    expect((await run.until(isInventory)).source).toBe('nvidia-smi');
    expect(jetson.tools.starts('tegrastats')).toEqual([]);
  });
});

it('on any other machine tegrastats is not even looked for', async () => {
  await using tools = await StandInTools.create();
  tools.add('tegrastats', STREAM);
  await using run = new GathererRun(nvidiaRows(machineForTest({ env: tools.env })));
  await run.ended;
  expect(run.reported.filter(isAbsence)).toHaveLength(3);
  expect(tools.starts('tegrastats')).toEqual([]);
});

const ORIN_NANO = fixture('tegrastats/made-up-orin-nano-r36.txt');
const AGX_XAVIER = fixture('tegrastats/made-up-agx-xavier-r35.txt');
const STREAM = `fs.writeSync(1, ${JSON.stringify(ORIN_NANO)}); every(20, () => print(${JSON.stringify(ORIN_NANO.split('\n')[1])}));`;
const REPORTS_HEALTH = new Set<string | undefined>(['-q', 'nvlink']);
const NVIDIA_SMI = `
  if (args[0] === 'nvlink') process.exit(0);
  if (args[0] === '-q') { fs.writeSync(1, ${JSON.stringify(fixtureText('nvidia-smi/inventory-gb10.xml'))}); process.exit(0); }
  every(20, () => fs.writeSync(1, ${JSON.stringify(fixtureText('nvidia-smi/loads-gb10.csv'))}));
`;

/** The load of the first line that contains one. */
const loadIn = (text: string): GpuLoad => {
  for (const line of text.split('\n')) {
    const load = parseTegrastats(line, 'tegra-0');
    if (load.kind === 'answered') return load.value;
  }
  throw new Error('no line of figures');
};

const nvidiaRows = (machine: Parameters<typeof platformSources>[1]) =>
  platformSources('linux', machine).filter(({ reports }) =>
    reports.some(({ vendor }) => vendor === 'nvidia'),
  );

const setUp = async () => {
  const tools = await StandInTools.create();
  const tree = await FixtureTree.create({
    files: {
      'proc/device-tree/model': 'NVIDIA Jetson Orin Nano Developer Kit\0',
      'proc/device-tree/compatible': 'nvidia,p3768-0000+p3767-0005\0nvidia,p3767-0005\0nvidia,tegra234\0',
      'etc/nv_tegra_release': '# R36 (release), REVISION: 4.4, GCID: 1, BOARD: generic, EABI: aarch64\n',
    },
  });
  return {
    tools,
    tree,
    gatherers: () => nvidiaRows(machineForTest({ root: tree.root, env: tools.env })),
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
};
