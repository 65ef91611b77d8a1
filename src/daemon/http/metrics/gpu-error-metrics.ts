// Errors of GPUs in the kernel's log, by number and device. The PCI address is that of the driver: a GPU that is lost has no other name.

import { type NodeGpuErrors, xidMeaning } from '../../../core/node/gpu-errors.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addGpuErrors = (
  page: MetricPage,
  errors: NodeGpuErrors | undefined,
  { labels, wallMs, ageMs }: { readonly labels: Labels; readonly wallMs: number; readonly ageMs: number },
): void => {
  for (const { address, xid, count, newestAgeMs, text } of errors?.errors ?? []) {
    const errorLabels = { ...labels, pci: address, xid: String(xid) };
    page.counter(XID.errors, errorLabels, count);
    // What a number means may depend on its text (154: an action is asked for, or none any more), so the newest is judged.
    const { level } = xidMeaning({ xid, text });
    page.gauge(XID.newest, { ...errorLabels, level }, (wallMs - ageMs - newestAgeMs) / 1_000);
  }
};

const XID = {
  errors: {
    name: 'plimsoll_gpu_xid_errors_total',
    help: "Errors that NVIDIA's driver has logged since the machine started.",
  },
  newest: {
    name: 'plimsoll_gpu_xid_timestamp_seconds',
    help: 'When the newest of them was logged, and how grave it is.',
  },
} as const;
