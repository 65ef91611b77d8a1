// One thing that `plimsoll doctor` looked at, and the document with all of them.

import * as v from 'valibot';
import { count, type Infer } from '../../core/schema.ts';

const checkSchema = v.object({
  section: v.picklist([
    'this computer',
    'home',
    'settings',
    'daemon',
    'mesh',
    'fleet',
    'cluster',
    'tools',
    'readings',
  ]),
  verdict: v.pipe(
    v.picklist(['ok', 'note', 'problem']),
    v.description('A note needs no action; a problem is something a person should put right.'),
  ),
  text: v.string(),
  advice: v.pipe(v.string(), v.description('What to do; empty if there is nothing to do.')),
});

export type Check = Infer<typeof checkSchema>;
export type Verdict = Check['verdict'];

export const doctorSchema = v.object({
  schema: v.literal('plimsoll.doctor/1'),
  problems: v.pipe(count, v.description('How many checks found one. The exit code is 8 if it is not 0.')),
  checks: v.array(checkSchema),
});

export type DoctorDocument = Infer<typeof doctorSchema>;

type Checker = (verdict: Verdict, text: string, advice?: string) => Check;

/** What makes the checks of a section. */
export const checksOf =
  (section: Check['section']): Checker =>
  (verdict, text, advice = '') => ({ section, verdict, text, advice });
