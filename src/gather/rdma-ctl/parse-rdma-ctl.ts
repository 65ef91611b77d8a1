// `rdma_ctl status` prints one word. The whole answer is compared, because "partially enabled" is neither.

import { type Reported, unknown } from '../../core/unknown.ts';

export const parseRdmaCtlStatus = (text: string): Reported<boolean> => {
  const answer = text.trim();
  if (answer === 'enabled') return true;
  if (answer === 'disabled') return false;
  return unknown(`rdma_ctl says "${answer.slice(0, 80)}"`);
};
