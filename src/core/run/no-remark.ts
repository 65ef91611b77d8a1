// The remark of a reply that says nothing of itself, from which others are made: what an older version has of each field.

import { NO_FIGURE } from './event-record.ts';
import type { SampleRemark } from './sample-remark.ts';

export const NO_REMARK: SampleRemark = {
  cachedTokens: NO_FIGURE,
  predictedTokens: NO_FIGURE,
  reasoningTokens: NO_FIGURE,
  isRepeat: false,
  hasRetryAfter: false,
  isWithoutText: false,
  doubts: [],
  finishName: '',
  otherModel: '',
};
