import { chmodSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unknown } from '../../../src/core/unknown.ts';
import type { Gatherer } from '../../../src/gather/gatherer.ts';
import type { MachineAccessOptions } from '../../../src/gather/machine-access.ts';
import { platformSources } from '../../../src/gather/platform-gatherers.ts';
import { isRunning } from '../../support/process-ids.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { FixtureTree, fixtureText } from '../gpu/fixture-tree.ts';
import { GathererRun, isAbsence, isFailure, isHealths, isInventory, isLoads } from '../gpu/gatherer-run.ts';
import { StandInTools } from '../gpu/stand-in-tools.ts';
import { machineForTest } from '../machine-for-test.ts';

const text = (name: string): string => JSON.stringify(fixtureText(`nvidia-smi/${name}`));

const PAIR = ['GPU-aaaaaaaa-0000-4000-8000-000000000001', 'GPU-aaaaaaaa-0000-4000-8000-000000000002'];

/** A tool that answers both questions like a healthy pair of cards; `loads` overrides the stream. */
const pair = (loads = `every(20, () => fs.writeSync(1, ${text('loads-h100-pair.csv')}));`): string => `
  if (args[0] === '-q') { fs.writeSync(1, ${text('inventory-h100-pair.xml')}); process.exit(0); }
  ${loads}
`;

const setUp = async (body: string | undefined) => {
  const tools = await StandInTools.create();
  const tree = await FixtureTree.create();
  // Cards without links; the body implements everything else that the tool does.
  if (body !== undefined) tools.add('nvidia-smi', `if (args[0] === 'nvlink') process.exit(0);\n${body}`);
  const options = { root: tree.root, env: tools.env, timeouts: { gpuSilentMs: 10_000 } };
  return {
    tools,
    tree,
    options,
    async [Symbol.asyncDispose]() {
      await tools[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
};

describe('the NVIDIA gatherers', () => {
  it('report the devices and then their loads, from one process that stays', async () => {
    await using machine = await setUp(pair());
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const inventory = await run.until(isInventory);
    expect(inventory.devices.map(device => device.deviceId)).toEqual(PAIR);
    for (let ticks = 0, at = 0; ticks < 5; ticks += 1) {
      const loads = await run.until(isLoads, at);
      at = run.reported.indexOf(loads) + 1;
      expect(loads.devices.map(device => device.deviceId)).toEqual(PAIR);
    }
    const streams = machine.tools
      .starts('nvidia-smi')
      .filter(start => !['-q', 'nvlink'].includes(start.args[0] ?? ''));
    expect(streams).toHaveLength(1);
    expect(streams[0]?.args.slice(1)).toEqual(['--format=csv,noheader,nounits', '-l', '1']);
  });

  it('leave no process when they stop', async () => {
    await using machine = await setUp(pair());
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    await run.until(isLoads);
    await run.stop();
    for (const { processId } of machine.tools.starts('nvidia-smi')) expect(isRunning(processId)).toBe(false);
  });

  it('leave no process either when the tool ignores SIGTERM or is stopped', async () => {
    await using machine = await setUp(`process.on('SIGTERM', () => {}); ${pair()}`);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    await run.until(isLoads);
    const stream = machine.tools
      .starts('nvidia-smi')
      .find(start => !['-q', 'nvlink'].includes(start.args[0] ?? ''));
    process.kill(stream?.processId ?? 0, 'SIGSTOP');
    await run.stop();
    expect(isRunning(stream?.processId ?? 0)).toBe(false);
  });

  it('stop while the inventory hangs, and leave no process', async () => {
    await using machine = await setUp(`print('<nvidia_smi_log>'); every(1000, () => {});`);
    await using run = new GathererRun(
      nvidiaGatherers({ ...machine.options, timeouts: { gpuSilentMs: 500 } }),
    );
    await run.until(isFailure);
    await run.stop();
    for (const { processId } of machine.tools.starts('nvidia-smi')) expect(isRunning(processId)).toBe(false);
  });

  it('query links again that were inactive, and no card that has none', async () => {
    await using machine = await setUp(undefined);
    const head = (at: number): string => `GPU ${at}: NVIDIA H100 80GB HBM3 (UUID: ${PAIR[at]})`;
    machine.tools.add(
      'nvidia-smi',
      `
      const isUp = fs.existsSync(__dirname + '/up');
      if (args[0] === 'nvlink') {
        print(${JSON.stringify(head(0))});
        print(isUp ? '\t Link 0: 26.562 GB/s' : 'NVML: Unable to retrieve NVLink information as all links are inActive');
        print(${JSON.stringify(head(1))});
        print('Device does not have or support Nvlink');
        process.exit(0);
      }
      ${pair()}`,
    );
    const clock = new VirtualClock();
    await using run = new GathererRun(nvidiaGatherers(machine.options), clock);
    const none = unknown('no NVLink', 'not-offered');
    const before = await run.until(isHealths);
    expect(before.devices.map(({ links }) => links)).toEqual([
      unknown('all its links are inactive', 'links-inactive'),
      none,
    ]);
    writeFileSync(`${machine.tools.folder}/up`, '');
    await clock.advance(30_000);
    const after = await run.until(isHealths, run.reported.indexOf(before) + 1);
    expect(after.devices.map(({ links }) => links)).toEqual([
      [expect.objectContaining({ number: 0, isUp: true })],
      none,
    ]);
  });

  it('go on with loads while the inventory hangs', async () => {
    await using machine = await setUp(`
      if (args[0] === '-q') every(1000, () => {});
      else every(20, () => fs.writeSync(1, ${text('loads-h100-pair.csv')}));
    `);
    await using run = new GathererRun(nvidiaGatherers({ ...machine.options, timeouts: { gpuToolMs: 500 } }));
    const failure = await run.until(isFailure);
    expect(failure).toMatchObject({ reading: 'gpus', reason: 'nvidia-smi gave no answer in 500 ms' });
    await run.until(isLoads, run.reported.indexOf(failure));
  });

  it('read the devices again when one vanishes from the stream, and show loads of the others', async () => {
    await using machine = await setUp(`
      const isGone = () => fs.existsSync(__dirname + '/gone');
      if (args[0] === '-q') {
        fs.writeSync(1, isGone() ? ${text('inventory-h100-single.xml')} : ${text('inventory-h100-pair.xml')});
        process.exit(0);
      }
      const rows = ${text('loads-h100-pair.csv')}.trim().split('\\n');
      every(20, () => print(isGone() ? rows[0] : rows.join('\\n')));
    `);
    const clock = new VirtualClock();
    await using run = new GathererRun(nvidiaGatherers(machine.options), clock);
    expect((await run.until(isInventory)).devices).toHaveLength(2);
    expect((await run.until(isLoads)).devices).toHaveLength(2);
    await run.until(isHealths);
    writeFileSync(`${machine.tools.folder}/gone`, '');
    await run.until(reported => isLoads(reported) && reported.devices.length === 1);
    await clock.advance(5_000);
    const after = await run.until(reported => isInventory(reported) && reported.devices.length === 1);
    expect(after).toMatchObject({ devices: [{ deviceId: PAIR[0] }] });
  });

  it('ask again without a field that an older driver does not know', async () => {
    await using machine = await setUp(
      pair(`
        if (args[0].includes('clocks_event_reasons')) {
          fs.writeSync(1, ${text('message-invalid-field.txt')});
          process.exit(2);
        }
        if (args[0].includes('mig.mode.current')) {
          print('Field "mig.mode.current" is not a valid field to query.');
          process.exit(2);
        }
        every(20, () => fs.writeSync(1, ${text('loads-h100-pair.csv')}.replaceAll(' Disabled,', '')));
      `),
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const loads = await run.until(isLoads);
    expect(loads.devices[1]).toMatchObject({ throttleReasons: ['SW power cap', 'SW thermal slowdown'] });
    expect(run.reported.filter(isFailure)).toEqual([]);
  });

  it('report what the tool reports, and recover when it works again', async () => {
    await using machine = await setUp(`
      if (startNumber === 1) { fs.writeSync(1, ${text('message-no-driver.txt')}); process.exit(9); }
      ${pair()}
    `);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const loadFailure = await run.until(reported => isFailure(reported) && reported.reading === 'gpuLoads');
    const failure = await run.until(reported => isFailure(reported) && reported.reading === 'gpus');
    expect(loadFailure).toMatchObject({ reason: 'the NVIDIA driver is not loaded' });
    expect(failure).toMatchObject({ reason: 'the NVIDIA driver is not loaded' });
    await run.until(isInventory);
    await run.until(isLoads);
  });

  it('report that a GPU was lost in the middle of a stream, and recover', async () => {
    await using machine = await setUp(
      pair(`
        fs.writeSync(1, ${text('loads-h100-pair.csv')});
        if (startNumber === 1) { fs.writeSync(1, ${text('message-gpu-lost.txt')}); process.exit(15); }
        every(20, () => fs.writeSync(1, ${text('loads-h100-pair.csv')}));
      `),
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const failure = await run.until(isFailure);
    expect(failure.reason).toBe('GPU 0000:43:00.0 does not answer: Unknown Error');
    await run.until(isLoads, run.reported.indexOf(failure));
  });

  it('take a driver without devices for an empty inventory', async () => {
    await using machine = await setUp(`fs.writeSync(1, ${text('message-no-devices.txt')}); process.exit(6);`);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    expect((await run.until(isInventory)).devices).toEqual([]);
    expect((await run.until(isFailure)).reason).toBe('no NVIDIA device found');
  });

  it('drop a row on which the tool crashed half-way, and start it again', async () => {
    await using machine = await setUp(
      pair(`
        const rows = ${text('loads-h100-pair.csv')};
        if (startNumber === 1) {
          fs.writeSync(1, rows + rows.slice(0, 90));
          process.kill(process.pid, 'SIGKILL');
        }
        every(20, () => fs.writeSync(1, rows));
      `),
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const failure = await run.until(isFailure);
    expect(failure.reason).toBe('nvidia-smi was killed by SIGKILL');
    const again = await run.until(isLoads, run.reported.indexOf(failure));
    expect(again.devices).toHaveLength(2);
    expect(run.reported.filter(isLoads).every(reported => reported.devices.length === 2)).toBe(true);
  });

  it('kill a tool that falls silent, report it, and start it again', async () => {
    await using machine = await setUp(pair());
    await using run = new GathererRun(
      nvidiaGatherers({ ...machine.options, timeouts: { gpuSilentMs: 4_000 } }),
    );
    await run.until(isLoads);
    const from = run.reported.length;
    const stream = machine.tools
      .starts('nvidia-smi')
      .findLast(start => !['-q', 'nvlink'].includes(start.args[0] ?? ''));
    process.kill(stream?.processId ?? 0, 'SIGSTOP');
    const failure = await run.until(isFailure, from);
    expect(failure).toMatchObject({ reading: 'gpuLoads', reason: 'nvidia-smi was silent for 4000 ms' });
    expect(isRunning(stream?.processId ?? 0)).toBe(false);
    await run.until(isLoads, run.reported.indexOf(failure));
  });

  it('take a tool that prints garbage for a failed source, not for a live one', async () => {
    await using machine = await setUp(`every(10, () => print('\\u0000garbage, ' + Math.random()));`);
    await using run = new GathererRun(
      nvidiaGatherers({ ...machine.options, timeouts: { gpuSilentMs: 3_000, gpuToolMs: 3_000 } }),
    );
    const failure = await run.until(reported => isFailure(reported) && reported.reading === 'gpuLoads');
    expect(failure).toMatchObject({ reason: expect.stringContaining('garbage') });
    expect(run.reported.filter(isLoads)).toEqual([]);
  });

  it('bound what a flooding tool may print', async () => {
    await using machine = await setUp(`const flood = 'x'.repeat(65536); for (;;) fs.writeSync(1, flood);`);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const loads = await run.until(reported => isFailure(reported) && reported.reading === 'gpuLoads');
    expect(loads).toMatchObject({ reason: 'nvidia-smi sent a line that is too long' });
    const inventory = await run.until(reported => isFailure(reported) && reported.reading === 'gpus');
    expect(inventory).toMatchObject({ reason: expect.stringContaining('printed more than') });
  });

  it('take a tool that prints figures without end for a failed source, and leave the processor alone', async () => {
    await using machine = await setUp(
      pair(`while (true) fs.writeSync(1, ${text('loads-h100-pair.csv')}.repeat(100));`),
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    const failure = await run.until(
      reported => isFailure(reported) && /lines a second/.test(reported.reason),
    );
    expect(failure).toMatchObject({ reason: 'nvidia-smi prints more than 5000 lines a second' });
  });

  it('have nothing to report, for good, on a machine without NVIDIA', async () => {
    await using machine = await setUp(undefined);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    await run.ended;
    expect(
      run.reported
        .filter(isAbsence)
        .map(reported => reported.reading)
        .sort(),
    ).toEqual(['gpuHealths', 'gpuLoads', 'gpus']);
  });

  it('report that the tool is missing where the driver is loaded', async () => {
    await using machine = await setUp(undefined);
    await machine.tree.write(
      'proc/driver/nvidia/version',
      'NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31 2024\nGCC version: 12\n',
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    expect((await run.until(isFailure)).reason).toBe(
      'the NVIDIA driver 550.90.07 is loaded, but nvidia-smi is not installed',
    );
  });

  it('report that a card on the bus has no driver', async () => {
    await using machine = await setUp(undefined);
    await machine.tree.write(
      'sys/bus/pci/devices/0000:01:00.0/uevent',
      'PCI_CLASS=30200\nPCI_ID=10DE:2330\nPCI_SLOT_NAME=0000:01:00.0\n',
    );
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    expect((await run.until(isFailure)).reason).toBe(
      'an NVIDIA GPU is on the PCI bus (0000:01:00.0), but its driver is not installed',
    );
  });

  it('report that the tool disappeared under them', async () => {
    await using machine = await setUp(
      pair(`fs.writeSync(1, ${text('loads-h100-pair.csv')}); process.exit(1);`),
    );
    await machine.tree.write('proc/driver/nvidia/version', 'NVRM version: unreadable\n');
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    await run.until(isInventory);
    const exited = await run.until(reported => isFailure(reported) && reported.reading === 'gpuLoads');
    machine.tools.remove('nvidia-smi');
    const missing = await run.until(isFailure, run.reported.indexOf(exited) + 1);
    expect(missing.reason).toBe('the NVIDIA driver is loaded, but nvidia-smi is not installed');
  });

  it('find the tool where WSL keeps it, off the PATH', async () => {
    await using machine = await setUp(undefined);
    const folder = `${machine.tree.root}/usr/lib/wsl/lib`;
    await machine.tree.write('usr/lib/wsl/lib/libcuda.so.1', '');
    new StandInTools(folder).add('nvidia-smi', pair());
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    await run.until(isInventory);
    await run.until(isLoads);
  });

  it('report that they may not run the tool', async () => {
    await using machine = await setUp(pair());
    chmodSync(`${machine.tools.folder}/nvidia-smi`, 0o644);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    expect((await run.until(isFailure)).reason).toContain('EACCES');
  });

  it('give the memory of a GB10 to the host', async () => {
    await using machine = await setUp(`
      if (args[0] === '-q') { fs.writeSync(1, ${text('inventory-gb10.xml')}); process.exit(0); }
      every(20, () => fs.writeSync(1, ${text('loads-gb10.csv')}));
    `);
    await using run = new GathererRun(nvidiaGatherers(machine.options));
    expect((await run.until(isInventory)).devices[0]).toMatchObject({
      memoryIsUnified: true,
      memoryTotalBytes: unknown('unified memory'),
    });
    expect((await run.until(isLoads)).devices[0]).toMatchObject({
      memoryUsedBytes: unknown('unified memory'),
    });
  });
});

/** The rows of the table that report NVIDIA GPUs. */
const nvidiaGatherers = (options: Partial<MachineAccessOptions>): readonly Gatherer[] =>
  platformSources('linux', machineForTest(options)).filter(({ reports }) =>
    reports.some(({ vendor }) => vendor === 'nvidia'),
  );
