// `--plan FILE` of `plimsoll accept`: YAML or JSON, each key checked against the table of checks.

import { resolve } from 'node:path';
import * as v from 'valibot';
import { ACCEPTANCE_CHECKS } from '../../core/acceptance/accept-cluster.ts';
import { type AcceptancePlan, acceptancePlanSchema } from '../../core/acceptance/acceptance-plan.ts';
import { firstLine } from '../../core/text/single-line.ts';
import { fileReason } from '../../process/disk-reason.ts';
import { readInputText } from '../../process/input-file.ts';
import { CommandError } from '../command-error.ts';

/** @throws CommandError `badConfig` where it cannot be read, or names what is not there */
export const readPlan = async (file: string, cwd: string): Promise<AcceptancePlan> => {
  const path = resolve(cwd, file);
  const { parseYaml } = await import('../yaml-document.ts');
  const refused = (problem: string, advice: string, cause?: unknown): CommandError =>
    new CommandError('badConfig', `the plan in ${path} cannot be used: ${problem}`, advice, { cause });
  let value: unknown;
  try {
    // YAML contains JSON.
    value = parseYaml(await readInputText(path, 'optionsFile'));
  } catch (error) {
    throw refused(firstLine(fileReason(error)), EXAMPLE, error);
  }
  const read = v.safeParse(acceptancePlanSchema, value);
  if (!read.success) {
    const [issue] = read.issues;
    throw refused([v.getDotPath(issue) ?? [], issue.message].flat().join(': '), EXAMPLE);
  }
  const plan = read.output;
  const limited = ACCEPTANCE_CHECKS.filter(check => check.plan !== undefined).map(({ id }) => id);
  const strange = Object.keys(plan.limits ?? {}).find(id => !limited.includes(id));
  if (strange !== undefined)
    throw refused(
      `no check with a limit is called ${JSON.stringify(strange)}`,
      `There are: ${limited.join(', ')}.`,
    );
  const ids = ACCEPTANCE_CHECKS.map(({ id }) => id);
  const unknownId = (plan.skip ?? []).find(id => !ids.includes(id));
  if (unknownId !== undefined)
    throw refused(`no check is called ${JSON.stringify(unknownId)}`, `There are: ${ids.join(', ')}.`);
  return plan;
};

const EXAMPLE = 'docs/accept.md has an example.';
