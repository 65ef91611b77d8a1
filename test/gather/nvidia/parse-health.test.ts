import fc from 'fast-check';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { gpuHealthSchema, healthFindings } from '../../../src/core/node/gpu-health.ts';
import { unknown } from '../../../src/core/unknown.ts';
import { parseHealth } from '../../../src/gather/nvidia/parse-health.ts';
import { fixtureText } from '../gpu/fixture-tree.ts';

const NOT_HERE = unknown('not available on this device', 'not-offered');
const NOT_PRINTED = unknown('not reported by this driver');

it('sums what each kind of memory of a device counts, since its driver was loaded and ever', () => {
  const [well, bad] = healthsOf('health-h100-pair.xml');
  expect(well).toEqual({
    deviceId: 'GPU-aaaaaaaa-0000-4000-8000-000000000001',
    eccVolatile: { corrected: 12, uncorrected: 0 },
    eccAggregate: { corrected: 240, uncorrected: 0 },
    repair: {
      rowsAfterCorrected: 0,
      rowsAfterUncorrected: 0,
      retiredPages: NOT_HERE,
      isPending: false,
      hasFailed: false,
    },
    pcieReplays: 0,
    recoveryAction: '',
    fabric: unknown('not reported by this driver'),
    links: unknown('not read yet'),
  });
  expect(bad).toMatchObject({
    eccVolatile: { corrected: 4, uncorrected: 3 },
    eccAggregate: { corrected: 91, uncorrected: 6 },
    repair: { rowsAfterCorrected: 1, rowsAfterUncorrected: 2, isPending: true, hasFailed: false },
    pcieReplays: 17,
    recoveryAction: 'Reset',
  });
});

it('finds nothing wrong with a card that corrects, and three things with one that does not', () => {
  const [well, bad] = healthsOf('health-h100-pair.xml').map((health, _, all) => healthFindings(health, all));
  expect(well).toEqual([]);
  expect(bad?.map(({ level, what }) => `${level}: ${what}`)).toEqual([
    'danger: 3 uncorrected memory errors',
    'caution: a repair of its memory needs a reset',
    'danger: its driver requests: Reset',
  ]);
});

it('reads repairs that wait, memory that cannot be repaired and a degraded fabric from the elements of 2025 and later', () => {
  const [rubin] = healthsOf('inventory-cuda-14.xml');
  expect(rubin?.repair).toMatchObject({ isPending: false, hasFailed: true });
  const xml = fixtureText('nvidia-smi/inventory-gb200-one-lost.xml').replaceAll('GPU is lost', 'N/A');
  const [first] = parseHealth(
    xml
      .replace('<channel_repair_pending>N/A', '<channel_repair_pending>Yes')
      .replaceAll('<state>N/A', '<state>Completed'),
  );
  expect(first?.repair).toMatchObject({ isPending: true });
});

it.each([
  ['<state>N/A</state>', unknown('not available on this device', 'not-offered')],
  [
    '<state>Completed</state><status>Success</status><health><summary>Healthy</summary><bandwidth>Full</bandwidth><route_unhealthy>False</route_unhealthy><incorrect_configuration>None</incorrect_configuration></health>',
    [],
  ],
  ['<state>In Progress</state><status>N/A</status>', ['registration in progress']],
  [
    '<state>Completed</state><status>Insufficient Resources</status>',
    ['registration failed: Insufficient Resources'],
  ],
  [
    '<state>Completed</state><status>Success</status><health><summary>Limited Capacity</summary><bandwidth>Degraded</bandwidth><route_recovery_in_progress>True</route_recovery_in_progress></health>',
    ['health limited capacity', 'bandwidth degraded', 'a route is being recovered'],
  ],
])('reads what is wrong with its place in the fabric: %#', (inside, faults) => {
  const [health] = parseHealth(oneGpu(`<fabric>${inside}</fabric>`));
  expect(health?.fabric).toEqual(faults);
  if (health === undefined) throw new Error('no device');
  const found = healthFindings(health, [health]).filter(({ code }) => code === 'fabric');
  expect(found).toHaveLength(Array.isArray(faults) && faults.length > 0 ? 1 : 0);
});

it('gives nothing for what a driver does not print', () => {
  const [health] = healthsOf('inventory-h100-single.xml');
  expect(health?.eccVolatile).toEqual({ corrected: NOT_PRINTED, uncorrected: NOT_PRINTED });
  expect(health?.repair.isPending).toEqual(NOT_PRINTED);
  expect(health?.recoveryAction).toEqual(NOT_PRINTED);
});

it('reads the names of older generations: single and double bits, retired pages', () => {
  const [health] = parseHealth(
    oneGpu(`<ecc_errors>
      <volatile><single_bit><device_memory>2</device_memory><total>3</total></single_bit>
        <double_bit><device_memory>1</device_memory><total>1</total></double_bit></volatile>
    </ecc_errors>
    <retired_pages>
      <multiple_single_bit_retirement><retired_count>4</retired_count></multiple_single_bit_retirement>
      <double_bit_retirement><retired_count>1</retired_count></double_bit_retirement>
      <pending_blacklist>Yes</pending_blacklist>
    </retired_pages>
    <remapped_rows>N/A</remapped_rows>`),
  );
  expect(health?.eccVolatile).toEqual({ corrected: 3, uncorrected: 1 });
  expect(health?.repair).toEqual({
    rowsAfterCorrected: NOT_HERE,
    rowsAfterUncorrected: NOT_HERE,
    retiredPages: 5,
    isPending: true,
    hasFailed: NOT_HERE,
  });
});

it('takes no part of an error for a count', () => {
  const [health] = parseHealth(oneGpu('<pci><replay_counter>1.5</replay_counter></pci>'));
  expect(health?.pcieReplays).toEqual(unknown('not a whole number: 1.5'));
});

it('reports that ECC is off rather than 0', () => {
  const [health] = parseHealth(
    oneGpu(
      '<ecc_mode><current_ecc>Disabled</current_ecc></ecc_mode><ecc_errors><volatile><dram_correctable>0</dram_correctable></volatile></ecc_errors>',
    ),
  );
  expect(health?.eccVolatile.corrected).toEqual(unknown('ECC is off'));
});

it('makes something that peers accept of any output of the tool', () => {
  const whole = fixtureText('nvidia-smi/health-h100-pair.xml');
  fc.assert(
    fc.property(fc.nat(whole.length), fc.string({ maxLength: 12 }), fc.nat(40), (at, noise, lost) =>
      parseHealth(whole.slice(0, at) + noise + whole.slice(at + lost)).every(health =>
        v.is(gpuHealthSchema, health),
      ),
    ),
    { numRuns: 100 },
  );
});

const healthsOf = (file: string) => parseHealth(fixtureText(`nvidia-smi/${file}`));

const oneGpu = (inside: string): string =>
  `<nvidia_smi_log><gpu id="00000000:01:00.0"><uuid>GPU-0000</uuid>${inside}</gpu></nvidia_smi_log>`;
