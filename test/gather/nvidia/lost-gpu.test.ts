import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LOAD_FIELDS, parseLoadRow } from '../../../src/gather/nvidia/load-query.ts';
import { lostMessage, pciAddress } from '../../../src/gather/nvidia/lost-gpu.ts';
import { readToolMessage } from '../../../src/gather/nvidia/nvidia-tool.ts';
import { parseInventory } from '../../../src/gather/nvidia/parse-inventory.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FixtureTree, fixtureText } from '../gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure, isHealths, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { StandInTools } from '../gpu/stand-in-tools.ts';
import { machineForTest } from '../machine-for-test.ts';

const LOST = 'Unable to determine the device handle for';
const read = (name: string): string => fixtureText(`nvidia-smi/${name}`);
const quotedText = (name: string): string => JSON.stringify(read(name));
const ONE_LOST = 'inventory-one-lost-driver-570.xml';
const HEALTHY = 'GPU-c0ffee00-0000-4000-8000-000000000014';

describe('a line instead of the figures of a GPU', () => {
  it.each([
    [`${LOST} GPU1: 0000:34:00.0: Unknown Error`, 1, '0000:34:00.0', 'Unknown Error'],
    [`${LOST} GPU 0000:01:00.0: Unknown Error`, undefined, '0000:01:00.0', 'Unknown Error'],
    [`${LOST} GPU0000:4F:00.0: Unknown Error`, undefined, '0000:4f:00.0', 'Unknown Error'],
    [`${LOST} GPU2: Unknown Error`, 2, undefined, 'Unknown Error'],
    [
      `${LOST} gpu 0000:02:00.0: GPU is lost.  Reboot the system`,
      undefined,
      '0000:02:00.0',
      'GPU is lost.  Reboot the system',
    ],
    [`${LOST} GPU3: 00000008:06:00.0: Not Found`, 3, '0008:06:00.0', 'Not Found'],
    [
      'Unable to detect the device handle for GPU0000:B1:00.0: Unknown Error',
      undefined,
      '0000:b1:00.0',
      'Unknown Error',
    ],
  ])('names it by number, address or both: %s', (line, index, address, reason) => {
    expect(lostMessage(line)).toEqual({ index, address, reason });
  });

  it('is no other line', () => {
    for (const line of ['No devices were found', `${LOST}`, 'GPU 0000:01:00.0: Unknown Error', ''])
      expect(lostMessage(line)).toBeUndefined();
  });

  it('keeps a PCI domain that needs more than four digits', () => {
    expect(pciAddress('00000000:2D:00.0')).toBe('0000:2d:00.0');
    expect(pciAddress('00010000:2D:00.0')).toBe('10000:2d:00.0');
  });
});

describe('the inventory of a machine with a lost GPU', () => {
  const inventoryOf = (text: string, aside = '') => {
    const parsed = parseInventory(text, aside);
    if (parsed.kind !== 'answered') throw new Error(parsed.reason);
    return parsed.value;
  };
  const lost = {
    deviceId: '0000:34:00.0',
    index: 1,
    pciAddress: '0000:34:00.0',
    state: 'lost',
    reason: 'Unknown Error',
  };

  it('has every figure of the healthy GPU, and the lost one by its address, whether the tool counts it or not', () => {
    const healthy = inventoryOf(
      read(ONE_LOST)
        .replace(/^Unable.*\n/, '')
        .replace('gpus>2<', 'gpus>1<'),
    );
    for (const counted of [1, 2]) {
      const inventory = inventoryOf(read(ONE_LOST).replace('gpus>2<', `gpus>${counted}<`));
      expect(inventory.devices).toEqual(healthy.devices);
      expect(inventory.devices[0]).toMatchObject({ deviceId: HEALTHY, memoryTotalBytes: 12_288 * 2 ** 20 });
      expect(inventory.failed).toMatchObject([lost]);
    }
  });

  it('is the same if the message comes between the elements, in a figure, at the end or on the other stream', () => {
    const line = `${LOST} GPU1: 0000:34:00.0: Unknown Error`;
    const bare = read(ONE_LOST).replace(/^Unable.*\n/, '');
    const first = inventoryOf(read(ONE_LOST));
    for (const text of [
      bare.replace('<pci>', `\n${line}\n<pci>`),
      bare.replace('12288 MiB', `\n${line}\n12288 MiB`),
      `${bare}\n${line}\n`,
      bare.replace('<gpu id', `${line}\r\n<gpu id`).replaceAll(line, `\n${line}`),
    ])
      expect(inventoryOf(text)).toEqual(first);
    expect(inventoryOf(bare, line)).toEqual(first);
  });

  it('leaves out the number of the lost GPU, as the tool does', () => {
    const pair = read('inventory-h100-pair.xml');
    const message = `${LOST} GPU1: 0000:34:00.0: Unknown Error\n`;
    expect(inventoryOf(`${message}${pair}`).devices.map(({ index }) => index)).toEqual([0, 2]);
  });

  it('lists what the tool counts and does not name, so that the others are shown', () => {
    const inventory = inventoryOf(read('inventory-h100-pair.xml').replace('gpus>2<', 'gpus>3<'));
    expect(inventory.devices).toHaveLength(2);
    expect(inventory.failed).toMatchObject([
      { state: 'lost', reason: 'nvidia-smi counts 3 GPUs and lists 2' },
    ]);
  });

  it('lists a GPU that was opened and is lost, with its name, apart from the devices', () => {
    const { devices, failed } = inventoryOf(read('inventory-gb200-one-lost.xml'));
    expect(devices.map(({ index }) => index)).toEqual([0]);
    expect(failed).toEqual([
      {
        deviceId: 'GPU-c0ffee00-0000-4000-8000-000000000002',
        name: 'NVIDIA GB200',
        index: 1,
        pciAddress: '0000:0b:00.0',
        state: 'lost',
        reason: 'GPU is lost',
      },
    ]);
  });

  it('lists a GPU that must be reset, and one of which no vital figure can be read', () => {
    const pair = read('inventory-gb200-one-lost.xml').replaceAll('GPU is lost', '0 %');
    const spoilt = (cells: RegExp): string => {
      const at = pair.lastIndexOf('<gpu ');
      return (
        pair.slice(0, at) + pair.slice(at).replace(cells, (_, open: string) => `${open}[Unknown Error]<`)
      );
    };
    expect(inventoryOf(pair).failed).toEqual([]);
    const vital = /(<(?:used|gpu_util|gpu_temp)>)[^<]*</g;
    expect(inventoryOf(spoilt(vital)).failed).toMatchObject([{ state: 'lost', reason: 'Unknown Error' }]);
    const reset = spoilt(/(<gpu_temp>)[^<]*</).replace('[Unknown Error]', '[GPU requires reset]');
    expect(inventoryOf(reset).failed).toMatchObject([{ index: 1, state: 'needs-reset' }]);
    // A single one may be missing of a healthy card.
    expect(inventoryOf(spoilt(/(<gpu_util>)[^<]*</)).failed).toEqual([]);
  });
});

describe('the message of a machine whose GPUs are all lost', () => {
  it('names the GPU, although the next line reports that there is none', () => {
    expect(readToolMessage(read('message-all-lost.txt'))).toMatchObject({
      kind: 'lost',
      reason: 'GPU 0000:01:00.0 does not answer: Unknown Error',
      code: 'no-answer',
    });
  });
});

describe('the load of a GPU that must be reset', () => {
  it('has no figure, not even 0 bytes in use', () => {
    const [bad, good] = read('loads-h100-requires-reset.csv')
      .split('\n')
      .map(line => parseLoadRow(LOAD_FIELDS, line));
    const why = { kind: 'unknown', reason: 'the GPU must be reset', code: 'device-failed' };
    expect(bad?.load).toMatchObject({
      use: why,
      memoryUsedBytes: why,
      temperatureCelsius: why,
      throttleReasons: why,
    });
    expect(good?.load).toMatchObject({ use: 1, temperatureCelsius: 74 });
  });
});

describe('the gatherers of a machine without a GPU', () => {
  it('show the first one that is plugged in while they run', async () => {
    await using machine = await setUp('process.exit(6);');
    machine.tools.remove('nvidia-smi');
    await machine.tree.write('sys/bus/pci/devices/0000:00:1f.0/uevent', 'PCI_CLASS=60100\n');
    const clock = new VirtualClock();
    await using run = new GathererRun(nvidia(machine), clock);
    for (let at = 0, count = 0; count < 3; count += 1)
      at = run.reported.indexOf(await run.until(isAbsence, at)) + 1;
    await machine.tree.write(
      'sys/bus/pci/devices/0000:1b:00.0/uevent',
      'DRIVER=nvidia\nPCI_CLASS=30200\nPCI_ID=10DE:2330\n',
    );
    machine.tools.add(
      'nvidia-smi',
      `
      if (args[0] === 'nvlink') process.exit(0);
      if (args[0] === '-q') { fs.writeSync(1, ${quotedText('inventory-h100-single.xml')}); process.exit(0); }
      every(20, () => fs.writeSync(1, ${quotedText('loads-h100-pair.csv')}));`,
    );
    await clock.advance(30_000);
    expect((await run.until(isInventory)).devices).toHaveLength(1);
    await run.until(isLoads);
  });
});

describe('the gatherers of a machine with a lost GPU', () => {
  it('show the healthy GPU and the lost one, and loads each second although a message comes before each', async () => {
    await using machine = await setUp(`
      if (args[0] === '-q') { fs.writeSync(1, ${quotedText(ONE_LOST)}); process.exit(0); }
      every(20, () => fs.writeSync(1, ${quotedText('loads-one-lost.csv')}));
    `);
    await using run = new GathererRun(nvidia(machine));
    expect(await run.until(isInventory)).toMatchObject({
      devices: [{ deviceId: HEALTHY }],
      failed: [{ deviceId: '0000:34:00.0', state: 'lost' }],
    });
    for (let ticks = 0, at = 0; ticks < 5; ticks += 1) {
      const loads = await run.until(isLoads, at);
      at = run.reported.indexOf(loads) + 1;
      expect(loads.devices).toMatchObject([{ deviceId: HEALTHY, use: 0.88, temperatureCelsius: 61 }]);
    }
    expect(run.reported.filter(isFailure)).toEqual([]);
  });

  it('list every GPU when all are lost: none of them disappears', async () => {
    await using machine = await setUp(`
      if (fs.existsSync(__dirname + '/gone')) { fs.writeSync(1, ${quotedText('message-all-lost.txt')}); process.exit(6); }
      if (args[0] === '-q') { fs.writeSync(1, ${quotedText('inventory-h100-pair.xml')}); process.exit(0); }
      every(20, () => { if (fs.existsSync(__dirname + '/gone')) process.exit(6); });
    `);
    const clock = new VirtualClock();
    await using run = new GathererRun(nvidia(machine), clock);
    const before = await run.until(isInventory);
    await run.until(isHealths);
    writeFileSync(`${machine.tools.folder}/gone`, '');
    await clock.advance(30_000);
    const after = await run.until(reported => isInventory(reported) && reported.devices.length === 0);
    expect(after).toMatchObject({
      failed: [
        { pciAddress: '0000:01:00.0', reason: 'Unknown Error' },
        ...before.devices.map(({ deviceId, name, index }) => ({
          deviceId,
          name,
          index,
          state: 'lost',
          reason: 'it is not listed any more',
        })),
      ],
    });
  });

  it('keep the id and name of a GPU that they have seen, and drop it when it is back', async () => {
    const pair = read('inventory-h100-pair.xml');
    const [, second = ''] = [...pair.matchAll(/<gpu id="([^"]+)"/g)].map(([, id]) => id);
    const at = pair.lastIndexOf('<gpu ');
    const single = `${LOST} GPU1: ${second}: Unknown Error\n${pair.slice(0, at)}</nvidia_smi_log>\n`;
    await using machine = await setUp(`
      const isGone = fs.existsSync(__dirname + '/gone');
      if (args[0] === '-q') { fs.writeSync(1, isGone ? ${JSON.stringify(single)} : ${JSON.stringify(pair)}); process.exit(0); }
      every(1000, () => {});
    `);
    const clock = new VirtualClock();
    await using run = new GathererRun(nvidia(machine), clock);
    const [, lost] = (await run.until(isInventory)).devices;
    await run.until(isHealths);
    writeFileSync(`${machine.tools.folder}/gone`, '');
    await clock.advance(30_000);
    const gone = await run.until(reported => isInventory(reported) && reported.devices.length === 1);
    expect(gone).toMatchObject({
      failed: [{ deviceId: lost?.deviceId, name: lost?.name, index: 1, reason: 'Unknown Error' }],
    });
    await run.until(isHealths, run.reported.indexOf(gone));
    machine.tools.remove('gone');
    await clock.advance(30_000);
    const back = await run.until(
      reported => isInventory(reported) && reported.devices.length === 2,
      run.reported.indexOf(gone),
    );
    expect(back).toMatchObject({ failed: [] });
  });

  it('list a GPU that the driver has and the tool does not name, unless its device file is not here', async () => {
    const information = (minor: number, model: string): string =>
      `Model: \t\t ${model}\nGPU UUID: \t GPU-????????-????-????-????-????????????\nBus Location: \t 0000:99:00.0\nDevice Minor: \t ${minor}\nGPU Excluded:\t No\n`;
    await using machine = await setUp(`
      if (args[0] === '-q') { fs.writeSync(1, ${quotedText('inventory-h100-pair.xml')}); process.exit(0); }
      every(1000, () => {});
    `);
    await machine.tree.write(
      'proc/driver/nvidia/gpus/0000:99:00.0/information',
      information(2, 'NVIDIA H100'),
    );
    await machine.tree.write(
      'proc/driver/nvidia/gpus/0000:9a:00.0/information',
      information(3, 'NVIDIA H100'),
    );
    await machine.tree.write('dev/nvidia2', '');
    await using run = new GathererRun(nvidia(machine));
    expect((await run.until(isInventory)).failed).toEqual([
      {
        deviceId: '0000:99:00.0',
        name: 'NVIDIA H100',
        index: { kind: 'unknown', reason: 'nvidia-smi does not list it' },
        pciAddress: '0000:99:00.0',
        state: 'lost',
        reason: 'the driver has it, and nvidia-smi does not list it',
      },
    ]);
  });

  it('name the other GPUs to a driver that prints nothing of them while one is lost', async () => {
    await using machine = await setUp(`
      const isNamed = args.at(-2) === '-i' && args.at(-1) === '0000:2d:00.0';
      if (!isNamed) { print(${JSON.stringify(`${LOST} GPU 0000:34:00.0: Unknown Error`)}); process.exit(255); }
      if (args[0] === '-q') { fs.writeSync(1, ${JSON.stringify(read(ONE_LOST).replace(/^Unable.*\n/, ''))}); process.exit(0); }
      every(20, () => print(${JSON.stringify(read('loads-one-lost.csv').split('\n')[1])}));
    `);
    for (const [minor, address] of ['0000:2d:00.0', '0000:34:00.0'].entries()) {
      await machine.tree.write(
        `proc/driver/nvidia/gpus/${address}/information`,
        `Model: X\nDevice Minor: ${minor}\n`,
      );
      await machine.tree.write(`dev/nvidia${minor}`, '');
    }
    await using run = new GathererRun(nvidia(machine));
    expect(await run.until(isInventory)).toMatchObject({
      devices: [{ deviceId: HEALTHY }],
      failed: [{ pciAddress: '0000:34:00.0', name: 'X', reason: 'Unknown Error' }],
    });
    expect((await run.until(isLoads)).devices).toMatchObject([{ deviceId: HEALTHY }]);
  });
});

const setUp = async (body: string) => {
  const tools = await StandInTools.create();
  const tree = await FixtureTree.create();
  tools.add('nvidia-smi', `if (args[0] === 'nvlink') process.exit(0);\n${body}`);
  return {
    tools,
    tree,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
};

const nvidia = ({ tools, tree }: Awaited<ReturnType<typeof setUp>>) =>
  platformSources(
    'linux',
    machineForTest({ root: tree.root, env: tools.env, timeouts: { gpuSilentMs: 10_000 } }),
  ).filter(({ name }) => name.startsWith('nvidia-'));
