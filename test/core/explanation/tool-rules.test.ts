import { expect, test } from 'vitest';
import { TOOL_RULES } from '../../../src/core/explanation/tool-rules.ts';

test('every tool has a rule for every family', () => {
  for (const { measures } of Object.values(TOOL_RULES)) expect(Object.keys(measures)).toHaveLength(4);
});
