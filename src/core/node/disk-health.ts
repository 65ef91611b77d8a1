// Health of a node's disks, as their drivers export it: temperature with its limit, state, and worn life. What SMART has
// beyond that only the drive itself reports, to root.

import { formatCelsius, formatPercent } from '../figure/figure.ts';
import { figure, type Infer, list, openObject, reported, share, text } from '../schema.ts';
import { gathered } from './gathered.ts';
import { formattedCell, type ReadingTable, readingTable } from './reading-table.ts';

const diskHealthSchema = openObject({
  /** As the kernel names it: "nvme0n1", "sda". */
  name: text,
  model: reported(text),
  /** The driver's word: "live" or "running" for a disk that works, otherwise "dead", "offline", … */
  state: reported(text),
  temperatureCelsius: reported(figure),
  /** Above it the drive may fail or slow down. */
  criticalCelsius: reported(figure),
  /** Worn share of the life that its maker guarantees, in steps of 0.1 (JEDEC eMMC, EXT_CSD); 1 if exceeded. */
  wornShare: reported(share),
});

export type DiskHealth = Infer<typeof diskHealthSchema>;

/** Its row of the table of kinds. */
export const DISK_HEALTH_KINDS = {
  'diskHealth.gathered': {
    class: 'live',
    field: 'nodeDiskHealths',
    shape: 'node',
    entriesMax: 1,
    schema: gathered(openObject({ disks: list(diskHealthSchema) })),
    title: 'Disk health',
    table: ({ disks }: { readonly disks: readonly DiskHealth[] }): ReadingTable =>
      readingTable(disks, {
        name: 'Health of each disk',
        columns: [
          {
            title: 'Disk',
            of: disk => ({ value: disk.name, level: isDiskFailing(disk) ? 'caution' : undefined }),
          },
          { title: 'State', isClear: true, of: ({ state }) => state },
          { title: 'Model', isClear: true, kind: 'prose', of: ({ model }) => model },
          {
            title: 'Temperature',
            isClear: true,
            kind: 'figure',
            of: ({ temperatureCelsius }) => formattedCell(temperatureCelsius, formatCelsius),
          },
          {
            title: 'Critical',
            kind: 'figure',
            of: ({ criticalCelsius }) => formattedCell(criticalCelsius, formatCelsius),
          },
          { title: 'Worn', kind: 'figure', of: ({ wornShare }) => formattedCell(wornShare, formatPercent) },
        ],
      }),
    absentOn: { macos: 'not read on macOS' },
    isSteady: true,
    isSignOfLife: true,
    texts: { source: 'plain', name: 'plain', model: 'plain', state: 'plain' },
  },
} as const;

/** Whether the driver, the temperature or the worn life of a disk is a reason to look at it. */
const isDiskFailing = ({ state, temperatureCelsius, criticalCelsius, wornShare }: DiskHealth): boolean =>
  (typeof state === 'string' && !WORKING_STATES.has(state)) ||
  (typeof temperatureCelsius === 'number' &&
    typeof criticalCelsius === 'number' &&
    temperatureCelsius >= criticalCelsius) ||
  (typeof wornShare === 'number' && wornShare >= 1);

/** Of NVMe, and of SCSI and SATA (Documentation/ABI in the kernel, drivers/scsi/scsi_sysfs.c). */
const WORKING_STATES: ReadonlySet<string> = new Set(['live', 'running']);
