// Errors of GPUs and their switches in the kernel's log, by number and device. The PCI address is that of the driver: a GPU that is lost has no other name.

import { gpuErrorKind, type NodeGpuErrors, xidMeaning } from '../../../core/node/gpu-errors.ts';
import type { Labels, MetricPage } from './metric-page.ts';

export const addGpuErrors = (
  page: MetricPage,
  errors: NodeGpuErrors | undefined,
  { labels, wallMs, ageMs }: { readonly labels: Labels; readonly wallMs: number; readonly ageMs: number },
): void => {
  for (const error of errors?.errors ?? []) {
    const { address, xid, count, newestAgeMs } = error;
    const kind = gpuErrorKind(error);
    const which = kind === 'xid' ? XID : OTHER;
    const errorLabels = {
      ...labels,
      pci: address,
      ...(kind === 'xid' ? { xid: String(xid) } : { kind, number: String(xid) }),
    };
    page.counter(which.errors, errorLabels, count);
    // What a number means may depend on its text (154: an action is asked for, or none any more), so the newest is judged.
    const { level } = xidMeaning(error);
    page.gauge(which.newest, { ...errorLabels, level }, (wallMs - ageMs - newestAgeMs) / 1_000);
  }
};

const OTHER = {
  errors: {
    name: 'plimsoll_gpu_driver_errors_total',
    help: 'Errors of NVSwitches (SXid) and resets of AMD and Intel GPUs since the machine started.',
  },
  newest: {
    name: 'plimsoll_gpu_driver_error_timestamp_seconds',
    help: 'When the newest error of an NVSwitch or reset of a GPU was logged, and how severe it is.',
  },
} as const;

const XID = {
  errors: {
    name: 'plimsoll_gpu_xid_errors_total',
    help: "Errors that NVIDIA's driver has logged since the machine started.",
  },
  newest: {
    name: 'plimsoll_gpu_xid_timestamp_seconds',
    help: "When the newest error of NVIDIA's driver was logged, and how severe it is.",
  },
} as const;
