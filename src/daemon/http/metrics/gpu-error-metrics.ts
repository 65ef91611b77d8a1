// Errors of GPUs in the kernel's log, by number and device. The PCI address is that of the driver: a GPU that is lost has no other name.

import type { NodeGpuErrors } from '../../../core/node/gpu-errors.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addGpuErrors = (
  page: MetricPage,
  errors: NodeGpuErrors | undefined,
  { labels, wallMs, ageMs }: { readonly labels: Labels; readonly wallMs: number; readonly ageMs: number },
): void => {
  for (const { address, xid, count, newestAgeMs } of errors?.errors ?? []) {
    const errorLabels = { ...labels, pci: address, xid: String(xid) };
    page.counter(XID.errors, errorLabels, count);
    page.gauge(XID.newest, errorLabels, (wallMs - ageMs - newestAgeMs) / 1_000);
  }
};

const XID = {
  errors: {
    name: 'plimsoll_gpu_xid_errors_total',
    help: "Errors that NVIDIA's driver has logged since the machine started.",
  },
  newest: { name: 'plimsoll_gpu_xid_timestamp_seconds', help: 'When the newest of them was logged.' },
} as const;
