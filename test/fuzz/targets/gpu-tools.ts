// What tools and drivers of GPUs print: nvidia-smi, amd-smi, rocm-smi, tegrastats, the open files of a card, the topology of KFD.

import { parseRocmSmi } from '../../../src/gather/amd-smi/amd-tool.ts';
import { parseAmdSmiMetric, parseAmdSmiStatic } from '../../../src/gather/amd-smi/parse-amd-smi.ts';
import { jsonDocuments } from '../../../src/gather/amd-smi/tool-json.ts';
import { parseKfdNode } from '../../../src/gather/amdgpu/kfd-topology.ts';
import { amdgpuName, pciIdsName } from '../../../src/gather/drm/device-names.ts';
import { parseFdinfo } from '../../../src/gather/drm/parse-fdinfo.ts';
import { LOAD_FIELDS, parseLoadRow } from '../../../src/gather/nvidia/load-query.ts';
import { endingError, readToolMessage } from '../../../src/gather/nvidia/nvidia-tool.ts';
import { parseInventory } from '../../../src/gather/nvidia/parse-inventory.ts';
import { parseProcesses } from '../../../src/gather/nvidia/parse-processes.ts';
import { parseTegrastats } from '../../../src/gather/tegrastats/parse-tegrastats.ts';
import { fixture } from '../../support/fixture.ts';
import { holdBelieved, holdFinite } from '../believed.ts';
import { type FuzzTarget, firstByteChooses, textOfInput, textSeeds } from '../fuzz-target.ts';

const seedsOf = (...paths: readonly string[]): readonly Uint8Array[] => textSeeds(...paths.map(fixture));

export const target: FuzzTarget = {
  name: 'gpu-tools',
  covers: [
    'src/gather/nvidia/parse-inventory.ts',
    'src/gather/nvidia/lost-gpu.ts',
    'src/gather/nvidia/parse-processes.ts',
    'src/gather/nvidia/tag-tree.ts',
    'src/gather/nvidia/nvidia-cell.ts',
    'src/gather/nvidia/load-query.ts',
    'src/gather/amd-smi/parse-amd-smi.ts',
    'src/gather/amd-smi/amd-tool.ts',
    'src/gather/amd-smi/tool-json.ts',
    'src/gather/tegrastats/parse-tegrastats.ts',
    'src/gather/drm/parse-fdinfo.ts',
    'src/gather/drm/device-names.ts',
  ],
  ...firstByteChooses([
    {
      seeds: seedsOf(
        'nvidia-smi/inventory-gb10.xml',
        'nvidia-smi/inventory-a100-mig.xml',
        'nvidia-smi/inventory-gt-1030-driver-470.xml',
        'nvidia-smi/inventory-one-lost-driver-570.xml',
      ),
      run: input => {
        const text = textOfInput(input);
        const answer = parseInventory(text);
        if (answer.kind === 'answered') holdBelieved({ kind: 'gpus', value: answer.value });
        return [answer, holdFinite(parseProcesses(text))];
      },
    },
    {
      seeds: seedsOf(
        'nvidia-smi/loads-h100-pair.csv',
        'nvidia-smi/loads-gb10.csv',
        'nvidia-smi/loads-unsupported-and-errors.csv',
        'nvidia-smi/loads-h100-requires-reset.csv',
      ),
      run: input => {
        const rows = textOfInput(input)
          .split('\n')
          .flatMap(line => parseLoadRow(LOAD_FIELDS, line) ?? []);
        for (const { load } of rows)
          holdBelieved({
            kind: 'gpuLoads',
            value: { vendor: 'nvidia', devices: [{ ...load, processes: [] }] },
          });
        return rows;
      },
    },
    {
      seeds: seedsOf(
        'nvidia-smi/message-gpu-lost.txt',
        'nvidia-smi/message-invalid-field.txt',
        'nvidia-smi/message-driver-mismatch.txt',
      ),
      run: input => [readToolMessage(textOfInput(input)), endingError(textOfInput(input), 'ended').message],
    },
    {
      seeds: seedsOf(
        'amd-smi/metric-mi300x.json',
        'amd-smi/metric-mi300x-dpx.json',
        'amd-smi/metric-watch.txt',
      ),
      run: input => {
        for (const document of jsonDocuments(textOfInput(input)))
          holdBelieved({
            kind: 'gpuLoads',
            value: { vendor: 'amd', devices: [...parseAmdSmiMetric(document, ['a', 'b'])] },
          });
      },
    },
    {
      seeds: seedsOf('amd-smi/static-mi300x-pair.json'),
      run: input => holdFinite(jsonDocuments(textOfInput(input)).flatMap(parseAmdSmiStatic)),
    },
    {
      seeds: seedsOf('rocm-smi/rx-7900-xt.json', 'rocm-smi/mi250-two-dies.json'),
      run: input => holdFinite(jsonDocuments(textOfInput(input)).flatMap(parseRocmSmi)),
    },
    {
      seeds: seedsOf('tegrastats/made-up-orin-nano-r36.txt', 'tegrastats/made-up-agx-xavier-r35.txt'),
      run: input => {
        for (const line of textOfInput(input).split('\n', 3)) {
          const answer = parseTegrastats(line, 'tegra-0');
          if (answer.kind === 'answered')
            holdBelieved({ kind: 'gpuLoads', value: { vendor: 'nvidia', devices: [answer.value] } });
        }
      },
    },
    {
      seeds: seedsOf('gpu/fdinfo/i915', 'gpu/fdinfo/xe', 'gpu/fdinfo/amdgpu', 'gpu/fdinfo/amdgpu-old'),
      run: input => holdFinite(parseFdinfo(textOfInput(input))),
    },
    {
      seeds: textSeeds(
        'cpu_cores_count 0\nsimd_count 304\nsimd_per_cu 4\nvendor_id 4098\ndomain 0\nlocation_id 768\nunique_id 123\ngfx_target_version 90402\n',
      ),
      run: input => holdFinite(parseKfdNode(textOfInput(input))),
    },
    {
      seeds: textSeeds(
        '1002  Advanced Micro Devices\n\t744c  Navi 31 [Radeon RX 7900]\n# x\n8086  Intel\n',
        '744C,\tC8,\tAMD Radeon RX 7900 XTX\n1.0.0\n',
      ),
      run: input => [
        pciIdsName(textOfInput(input), 0x1002, 0x744c),
        amdgpuName(textOfInput(input), 0x744c, 0xc8),
      ],
    },
  ]),
};
