// What a run reached of its machine's bound, its depth profile, and what it cost in energy, as sections of its page.

import { depthTestName } from '../../core/depth/depth-profile.ts';
import type { Report } from '../../core/run/report.ts';
import { capitalized } from '../../core/text/single-line.ts';
import { isUnknown } from '../../core/unknown.ts';
import { depthRemarks, plusMinusText } from '../../render/run/depth-text.ts';
import { ENERGY_COLUMNS, energyRemarks, energyRows } from '../../render/run/energy-rows.ts';
import {
  RUN_HEADROOM_HEAD,
  runHeadroomRemarks,
  runHeadroomRows,
} from '../../render/run/run-headroom-text.ts';
import { type Markup, markup } from '../../render/text/markup.ts';
import { pageSection, table } from './page-parts.ts';

export const boundTables = (report: Report): Markup =>
  markup`${depthTable(report)}${headroomTable(report)}${energyTable(report)}`;

const depthTable = ({ depth, calibration }: Report): Markup | undefined =>
  depth === undefined
    ? undefined
    : pageSection({
        title: 'Speed by depth of context',
        remark: `one request at a time, ± over ${depth.plan.repetitions} repetitions`,
        content: markup`${table({
          name: 'Speed by depth of context',
          head: ['Test', 't/s'],
          rows: depth.rows.map(row => [depthTestName(row, depth.plan), plusMinusText(row.tokensPerSecond)]),
        })}${depthRemarks(depth, calibration).map(({ test, text }) => markup`<p class="none">${test}: ${text}</p>`)}`,
      });

const headroomTable = ({ headroom }: Report): Markup | undefined =>
  headroom === undefined || isUnknown(headroom)
    ? undefined
    : pageSection({
        title: 'Under the bound',
        remark: 'what measured ceilings allow, and what is expected of the engine',
        content: markup`${
          headroom.standings.length === 0
            ? undefined
            : table({
                name: 'Under the bound',
                head: RUN_HEADROOM_HEAD.map(capitalized),
                rows: runHeadroomRows(headroom),
              })
        }${runHeadroomRemarks(headroom).map(remark => markup`<p class="none">${remark}</p>`)}`,
      });

const energyTable = ({ energy }: Report): Markup | undefined =>
  energy === undefined || isUnknown(energy)
    ? undefined
    : pageSection({
        title: 'Energy',
        remark: 'by the sensors of the node that was loaded, while it was measured',
        content: markup`${
          energyRows(energy).length === 0
            ? undefined
            : table({ name: 'Energy', head: ENERGY_COLUMNS.map(capitalized), rows: energyRows(energy) })
        }${energyRemarks(energy).map(remark => markup`<p class="none">${remark}</p>`)}`,
      });
