// The forms of plain documents. A form is one row.

import { ACCEPTANCE } from '../acceptance/acceptance-report.ts';
import { CAMPAIGN } from '../campaign/probe-campaign.ts';
import { type PlainForm, plainForm } from './plain-kind.ts';

export const PLAIN_FORMS: readonly PlainForm[] = [plainForm(CAMPAIGN), plainForm(ACCEPTANCE)];
