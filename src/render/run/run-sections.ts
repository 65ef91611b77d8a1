// The sections of a run's report, in the order of every format. A new section is a row here.

import type { Report } from '../../core/run/report.ts';
import type { Section } from '../section.ts';
import { agentSection } from './agent-rows.ts';
import { clientSection } from './client-rows.ts';
import { costSection } from './cost-rows.ts';
import { energySection } from './energy-rows.ts';
import { errorSection, finishSection, outcomeSection, rateSection } from './outcome-rows.ts';
import { prefixCacheSection } from './prefix-cache-rows.ts';
import { headroomSection } from './run-headroom-text.ts';
import { scenarioSection } from './scenario-rows.ts';
import { serverSection } from './server-rows.ts';
import { sessionSection } from './session-rows.ts';
import { speculationSection } from './speculation-rows.ts';
import { stallSection } from './stall-rows.ts';
import { userSection } from './user-rows.ts';
import { variantSection } from './variant-rows.ts';

/** undefined: the run has nothing of the kind. */
type RunSection = (report: Report) => Section | undefined;

const RUN_SECTIONS: readonly RunSection[] = [
  scenarioSection,
  outcomeSection,
  errorSection,
  finishSection,
  rateSection,
  userSection,
  stallSection,
  clientSection,
  serverSection,
  variantSection,
  agentSection,
  sessionSection,
  prefixCacheSection,
  speculationSection,
  headroomSection,
  energySection,
  costSection,
];

export const runSections = (report: Report): readonly Section[] =>
  RUN_SECTIONS.flatMap(sectionOf => sectionOf(report) ?? []);
